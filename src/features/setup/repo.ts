import { sql } from "drizzle-orm";
import { insertInto } from "../../db/assignments.ts";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import { type SetupTick, setupTicks } from "./table.ts";

const readTick = rowReader(setupTicks);

export const allTicks = (): Query<SetupTick[]> =>
  sqlQuery(sql`SELECT * FROM setup_ticks`, readTick);

/** A tick by the owner does not replace the platform's confirmation. */
export const insertTick = (tick: SetupTick): Query<number> =>
  sqlWrite(
    tick.source === "owner"
      ? sql`${insertInto(setupTicks, tick)} ON CONFLICT DO NOTHING`
      : sql`${insertInto(setupTicks, tick)} ON CONFLICT (platform, step)
          DO UPDATE SET source = excluded.source, ticked_at = excluded.ticked_at`,
  );

export const deleteTick = ({ platform, step }: Pick<SetupTick, "platform" | "step">) =>
  sqlWrite(sql`DELETE FROM setup_ticks WHERE platform = ${platform} AND step = ${step}`);

export const deleteConfirmation = ({ platform, step }: Pick<SetupTick, "platform" | "step">) =>
  sqlWrite(
    sql`DELETE FROM setup_ticks WHERE platform = ${platform} AND step = ${step} AND source = 'platform'`,
  );
