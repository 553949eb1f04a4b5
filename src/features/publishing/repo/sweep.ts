import { sql } from "drizzle-orm";
import { addSeconds } from "../../../core/time.ts";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { instant } from "../../../db/columns.ts";
import { rowReader } from "../../../db/rows.ts";
import { changeFacts } from "../../posts/repo/write.ts";
import { LOOK_AHEAD_SECONDS } from "../../posts/rules.ts";
import { uploads } from "../../posts/table.ts";

export const SLICE = 1_000;
/** A message that is this late counts as lost. */
const PATIENCE_MS = 20_000;
const MAX_PATIENCE_MS = 55_000;

const readWoken = rowReader({ id: uploads.id, dueAt: instant("due_at").notNull() });

export type Woken = ReturnType<typeof readWoken>;

/**
 * Marks and returns the oldest idle jobs without a message that are due within `LOOK_AHEAD_SECONDS`.
 *
 * @param suspects `late` also takes jobs whose message may be lost. `all` also takes jobs whose message was just sent,
 * because without queues every message is lost.
 */
export function takeSlice(
  now: Date,
  after: Woken,
  suspects: "none" | "late" | "all",
): Query<Woken[]> {
  const at = now.getTime();
  const until = addSeconds(now, LOOK_AHEAD_SECONDS).getTime();
  const patience = sql`MIN(${MAX_PATIENCE_MS}, MAX(${PATIENCE_MS}, woken_at - due_at))`;
  const conditions = { none: sql``, late: sql`OR woken_at + ${patience} <= ${at}`, all: sql`OR 1` };
  const taken = changeFacts(
    { wokenAt: sql`MAX(due_at, ${at})` },
    sql`u.id IN (SELECT id FROM uploads
      WHERE due_at IS NOT NULL AND due_at <= ${until}
        AND (due_at, id) > (${after.dueAt.getTime()}, ${after.id})
        AND (lease_until IS NULL OR lease_until <= ${at})
        AND (woken_at IS NULL OR woken_at < due_at OR woken_at < lease_until
          ${conditions[suspects]})
      ORDER BY due_at, id LIMIT ${SLICE})`,
  );
  return sqlQuery(sql`${taken} RETURNING id, due_at`, readWoken);
}

export const forgetWaking = (ids: number[]): Query<number> =>
  sqlWrite(
    changeFacts(
      { wokenAt: null },
      sql`u.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    ),
  );
