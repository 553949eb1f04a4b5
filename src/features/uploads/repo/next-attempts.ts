import type { Claim } from "../create/same-post.ts";
import type { PostDigest } from "../table.ts";

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
