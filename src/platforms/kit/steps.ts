import { secondsBetween } from "../../core/time.ts";
import type {
  Bookmark,
  MediaItem,
  PublishedPost,
  PublishJob,
  Reconciled,
  Submitted,
  TokenExpired,
} from "../connector.ts";

export type Unknowable = Extract<Reconciled, { kind: "unknowable" }>;

export const TOKEN_EXPIRED: TokenExpired = { kind: "token_expired" };

export const next = <B extends Bookmark>(bookmark: B) => ({ kind: "next" as const, bookmark });
export const ready = <B extends Bookmark>(bookmark: B) => ({ kind: "ready" as const, bookmark });
export const undecided = (message: string): Submitted => ({ kind: "unknown", message });
export const unknowable = (message: string): Unknowable => ({ kind: "unknowable", message });

export const waiting = <B extends Bookmark>(bookmark: B, checkAfterSeconds: number) => ({
  kind: "waiting" as const,
  bookmark,
  checkAfterSeconds,
});

export const published = (
  platformPostId: string,
  shareUrl: string | null,
  warnings: string[] = [],
): PublishedPost => ({
  kind: "published",
  platformPostId,
  shareUrl,
  ...(warnings.length > 0 ? { warnings } : {}),
});

export function firstFile({ post }: Pick<PublishJob, "post">): MediaItem {
  const [item] = post.media;
  if (!item) throw new Error("The post has no file.");
  return item;
}

/** @param since epoch milliseconds */
export const ageOf = (since: number, now: Date): number => secondsBetween(new Date(since), now);

/** Seconds until the next check. `until` is an age in seconds. */
export const steppedLook = (
  steps: readonly { until: number; every: number }[],
  later: number,
  age: number,
): number => steps.find(({ until }) => age < until)?.every ?? later;

const LOOK_GROWTH_SECONDS = 10;

/** Seconds until the next check; older work is checked less often. */
export const growingLook = (first: number, longest: number, age: number): number =>
  Math.min(first + Math.floor(Math.max(0, age) / LOOK_GROWTH_SECONDS), longest);
