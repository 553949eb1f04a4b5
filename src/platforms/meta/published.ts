import type { Bookmark, PublishedPost, PublishJob, Settled } from "../connector.ts";
import { ageOf, waiting } from "../kit/steps.ts";
import type { Reading } from "./graph.ts";

/** How long Meta is asked for a new post's URL. */
const PERMALINK_SECONDS = 20;
const PERMALINK_LOOK_SECONDS = 4;

export const CLOCK_SLACK_SECONDS = 60;

/** For UTC offsets without colon: `2026-12-01T09:00:00+0000`. */
export const toInstant = (timestamp: string | null): number =>
  Date.parse((timestamp ?? "").replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));

/**
 * A failure never fails the post.
 * @param toPublished gets null when no URL appeared in time
 */
export async function settlePermalink(
  job: Pick<PublishJob, "now">,
  place: Bookmark & { since: number },
  ask: () => Reading<string | null>,
  toPublished: (permalink: string | null) => PublishedPost,
): Promise<Settled> {
  const reply = await ask().catch(() => null);
  const permalink = reply?.ok ? reply.value : null;
  const isLong = ageOf(place.since, job.now()) > PERMALINK_SECONDS;
  return permalink !== null || isLong
    ? toPublished(permalink)
    : waiting(place, PERMALINK_LOOK_SECONDS);
}
