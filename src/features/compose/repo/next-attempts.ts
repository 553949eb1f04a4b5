import { sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../../db/client.ts";
import type { Claim } from "../../limits/same-post.ts";
import type { PostDigest } from "../../posts/table.ts";

/** A failed attempt to be followed by another. `isHeld`: only after an approval. */
export interface NextAttempt {
  id: number;
  /** The one that failed. */
  attempt: number;
  isHeld: boolean;
  /** Its files are to be downloaded before it can be approved. */
  needsDownload: boolean;
  /** It goes out before the time that was planned for it. */
  isEarly: boolean;
  /** The time for which it counts from now on; null for the one that it has. */
  sortAt: Date | null;
  digest: PostDigest;
  /** Its claim; null for one that is held, and where its platform has a rule of its own. */
  claim: Claim | null;
}

/** The fifth value of each: how many places in the month it and those before it take. */
export function asJson(attempts: readonly NextAttempt[]): string {
  let places = 0;
  return JSON.stringify(
    attempts.map(({ id, attempt, isHeld, needsDownload, isEarly, sortAt, digest, claim }) => {
      if (!isHeld) places++;
      const counted = sortAt?.getTime() ?? null;
      const row = [id, attempt, +isHeld, +isEarly, places, counted];
      return [...row, JSON.stringify(digest), claim?.key ?? null, +needsDownload];
    }),
  );
}

/** The posts of these next attempts need their files again, whatever was cleaned up since they failed. */
export const needFilesAgain = (list: readonly NextAttempt[]): Query<number> =>
  sqlWrite(sql`INSERT OR IGNORE INTO media_uses (team_id, sha256, upload_id)
    SELECT u.team_id, item.value ->> 'sha256', u.id FROM json_each(${asJson(list)}) wanted
      CROSS JOIN uploads u CROSS JOIN json_each(u.media) item
    WHERE u.id = wanted.value ->> 0 AND u.attempt = (wanted.value ->> 1) + 1
      AND u.status IN ('pending', 'pending_approval') AND item.value ->> 'sha256' IS NOT NULL`);
