import { sql } from "drizzle-orm";
import { prepared } from "../../db/client.ts";
import { valueReader } from "../../db/rows.ts";
import { uploads } from "../posts/table.ts";

/**
 * Reads when the oldest job became due that is not in somebody's hands. A job may take long, by the size of
 * its files or the speed of its platform, and is not late while it is worked on or gets on.
 */
export const oldestDue = prepared<{ lately: Date }, Date | null>(
  ({ lately }) =>
    sql`SELECT due_at FROM uploads WHERE due_at IS NOT NULL
        AND (lease_until IS NULL OR lease_until <= ${lately})
        AND (status <> 'processing' OR progressed_at IS NULL OR progressed_at <= ${lately})
      ORDER BY due_at LIMIT 1`,
  valueReader(uploads.dueAt),
);
