import { sql } from "drizzle-orm";
import { sqlQuery } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Deps } from "../../../deps.ts";
import { MAX_CRASHES } from "../rules.ts";
import { uploads } from "../table.ts";
import { BROKE_OFF, undecidedOr } from "./verdicts.ts";
import { fail, LostLease } from "./writes.ts";

/**
 * Ends a job whose runs broke off each time they took it, so that it is not swept up again for ever. A
 * message also dies where the job could not be reached (the database was away for longer than the queue
 * tries, say): the sweep sends it again, and it goes on from where it stood.
 */
export async function endDeadJob(deps: Deps, uploadId: number): Promise<void> {
  const find = sqlQuery(
    sql`SELECT * FROM ${uploads} WHERE id = ${uploadId} AND status = 'processing'
      AND crashes >= ${MAX_CRASHES} AND lease_until <= ${deps.now().getTime()}
      AND deleted_at IS NULL`,
    rowReader(uploads),
  );
  const [[upload]] = await deps.db.run([find]);
  if (!upload) return;
  try {
    await fail(deps, upload, undecidedOr(upload, BROKE_OFF));
  } catch (error) {
    if (!(error instanceof LostLease)) throw error;
  }
}
