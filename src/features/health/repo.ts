import { sql } from "drizzle-orm";
import { prepared } from "../../db/client.ts";
import { valueReader } from "../../db/rows.ts";
import { uploads } from "../posts/table.ts";

/** When the oldest waiting job became due. A running job is not late: large files and slow platforms take long. */
export const oldestDue = prepared<{ lately: Date }, Date | null>(
  ({ lately }) =>
    sql`SELECT due_at FROM uploads WHERE due_at IS NOT NULL
        AND (lease_until IS NULL OR lease_until <= ${lately})
        AND (status <> 'processing' OR progressed_at IS NULL OR progressed_at <= ${lately})
      ORDER BY due_at LIMIT 1`,
  valueReader(uploads.dueAt),
);
