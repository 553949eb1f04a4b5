import { sql } from "drizzle-orm";
import type { UploadStatus } from "../../src/core/upload-status.ts";
import { type Db, sqlQuery } from "../../src/db/client.ts";
import type { Deps } from "../../src/deps.ts";
import { creditDrifts } from "../../src/features/credits/repo/balances.ts";
import { type Part, toPartAnswers } from "../../src/features/posts/parts.ts";
import {
  type EventState,
  type Evidence,
  type PartState,
  plainText,
  type UploadState,
} from "./findings.ts";

const numberOrNull = (value: unknown) => (value === null ? null : Number(value));

const partsOf = ({ status, part, parts }: Record<string, unknown>): PartState[] =>
  toPartAnswers({
    status: status as UploadStatus,
    failureCode: null,
    part: Number(part),
    parts: JSON.parse(String(parts)) as Part[] | null,
  }).map(({ failure, errorMessage: message, ...answer }) => ({
    ...answer,
    text: plainText(answer.text),
    failureCode: failure?.code ?? null,
    message,
  }));

export async function readDatabase(db: Db): Promise<Pick<Evidence, "uploads" | "events">> {
  const [uploads, events] = await db.run([
    sqlQuery(
      sql`SELECT id, coalesce(description, title) AS description, account_id, status, failure_code, error_message, due_at, lease_until, part, parts FROM uploads
        WHERE deleted_at IS NULL`,
      (row): UploadState => ({
        id: Number(row.id),
        text: plainText(String(row.description)),
        accountId: String(row.account_id),
        status: String(row.status),
        failureCode: row.failure_code === null ? null : String(row.failure_code),
        message: row.error_message === null ? null : String(row.error_message),
        dueAt: numberOrNull(row.due_at),
        leaseUntil: numberOrNull(row.lease_until),
        parts: partsOf(row),
      }),
    ),
    sqlQuery(
      sql`SELECT name, json_extract(data, '$.uploadId') AS upload FROM events`,
      (row): EventState => ({ uploadId: Number(row.upload), name: String(row.name) }),
    ),
  ]);
  return { uploads, events };
}

/**
 * Places under daily caps and credits of X that failed posts still hold, and teams whose balance is not
 * what the ledger says. A post that may be out keeps both.
 */
export async function readLeaks({ db }: Pick<Deps, "db">): Promise<string[]> {
  const [posts, drifts] = await db.run([
    sqlQuery(
      sql`SELECT id, counted_at, credits_spent, credits_refunded FROM uploads
        WHERE status = 'failed' AND failure_code <> 'platform_processing_timeout'
          AND (counted_at IS NOT NULL OR coalesce(credits_spent, 0) <> coalesce(credits_refunded, 0))`,
      (row) =>
        `#${row.id}: counted at ${row.counted_at}, ${row.credits_spent} credits spent, ${row.credits_refunded} given back`,
    ),
    creditDrifts(0, 10),
  ]);
  const drifted = drifts.filter(({ periods, purchased }) => periods !== 0 || purchased !== 0);
  return [...posts, ...drifted.map(({ teamId }) => `team ${teamId}: balance and ledger disagree`)];
}
