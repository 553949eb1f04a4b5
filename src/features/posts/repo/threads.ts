import { type SQL, sql } from "drizzle-orm";

/** Posts of an account's threads that count beside the first one of each. Most accounts have none. */
export const furtherPosts = (accountId: SQL, since: SQL | Date | number): SQL =>
  sql`(SELECT coalesce(SUM(thread.posts - 1), 0) FROM uploads thread WHERE thread.posts > 1
    AND thread.account_id = ${accountId} AND thread.counted_at > ${since})`;
