import { sql } from "drizzle-orm";
import { type Db, sqlQuery } from "../../src/db/client.ts";
import { type EventState, type Evidence, plainText, type UploadState } from "./findings.ts";

const numberOrNull = (value: unknown) => (value === null ? null : Number(value));

export async function readDatabase(db: Db): Promise<Pick<Evidence, "uploads" | "events">> {
  const [uploads, events] = await db.run([
    sqlQuery(
      sql`SELECT id, coalesce(description, title) AS description, account_id, status, failure_code, error_message, due_at, lease_until FROM uploads`,
      (row): UploadState => ({
        id: Number(row.id),
        text: plainText(String(row.description)),
        accountId: String(row.account_id),
        status: String(row.status),
        failureCode: row.failure_code === null ? null : String(row.failure_code),
        message: row.error_message === null ? null : String(row.error_message),
        dueAt: numberOrNull(row.due_at),
        leaseUntil: numberOrNull(row.lease_until),
      }),
    ),
    sqlQuery(
      sql`SELECT name, json_extract(data, '$.uploadId') AS upload FROM events`,
      (row): EventState => ({ uploadId: Number(row.upload), name: String(row.name) }),
    ),
  ]);
  return { uploads, events };
}
