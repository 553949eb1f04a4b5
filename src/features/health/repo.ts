import { sql } from "drizzle-orm";
import { prepared, preparedWrite, withDatabaseSize } from "../../db/client.ts";
import { OWNER_ID } from "../../db/open-accounts.ts";
import { pickColumns, rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { uploads } from "../posts/table.ts";
import { teams } from "../teams/table.ts";
import { dayOf, GROWTH_DAYS } from "./rules.ts";
import { databaseSizes } from "./table.ts";

/** When the oldest waiting job became due. A running job is not late: large files and slow platforms take long. */
export const oldestDue = prepared<{ lately: Date }, Date | null>(
  ({ lately }) =>
    sql`SELECT due_at FROM uploads WHERE due_at IS NOT NULL
        AND (lease_until IS NULL OR lease_until <= ${lately})
        AND (status <> 'processing' OR progressed_at IS NULL OR progressed_at <= ${lately})
      ORDER BY due_at LIMIT 1`,
  valueReader(uploads.dueAt),
);

const firstSizeSince = prepared(
  ({ day }: Params<{ day: number }>) =>
    sql`SELECT day, size_bytes FROM database_sizes WHERE day >= ${day} ORDER BY day LIMIT 1`,
  rowReader(pickColumns(databaseSizes, ["day", "sizeBytes"])),
);

/** The size now, and the first size of the weeks by which the pace is judged. */
export const databaseSize = (now: Date) =>
  withDatabaseSize(firstSizeSince({ day: dayOf(now) - GROWTH_DAYS }));

const newestSize = prepared(
  () => sql`SELECT * FROM database_sizes ORDER BY day DESC LIMIT 1`,
  rowReader(databaseSizes),
);

/** The size now, and the row of the last measured day. */
export const lastMeasured = () => withDatabaseSize(newestSize({}));

/** The team that the owner of the instance owns. */
export const teamOfOperator = prepared(
  () => sql`SELECT id FROM teams WHERE owner_id = ${sql.raw(OWNER_ID)} AND deleted_at IS NULL`,
  valueReader(teams.id),
);

/** Answers 0 when the day has a row already. */
export const storeSize = preparedWrite<typeof databaseSizes.$inferSelect>(
  ({ day, sizeBytes, level }) =>
    sql`INSERT OR IGNORE INTO database_sizes (day, size_bytes, level)
      VALUES (${day}, ${sizeBytes}, ${level})`,
);

export const forgetSizesBefore = preparedWrite(
  ({ day }: Params<{ day: number }>) => sql`DELETE FROM database_sizes WHERE day < ${day}`,
);
