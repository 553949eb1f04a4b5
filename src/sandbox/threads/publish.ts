import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import type { Refusal } from "../kit/refusal.ts";
import { readSteering } from "../kit/steering.ts";
import type { SandboxStore } from "../kit/store.ts";
import { type Container, statusOf } from "../meta/containers.ts";
import { graphError, invalidParameter, mediaError, serverError } from "../meta/graph.ts";
import { expiredToken } from "../meta/logins.ts";
import { createPublishing } from "../meta/publish.ts";
import { authenticate } from "./accounts.ts";
import { containers, notFound } from "./containers.ts";
import { countPosts, insertPost, posts } from "./posts.ts";

const dailyCap = (): Refusal =>
  graphError(4, "Application request limit reached", {
    userMessage: "You have reached the maximum number of posts for a 24 hour period.",
  });

/** Threads publishes video replies as posts of their own until then, as open-source clients found. */
const VIDEO_REPLY_MS = 30 * SECOND;

/** As other programs report. */
function isLost(store: SandboxStore, { user_id, caption, created_at }: Container<string>) {
  if (!readSteering(caption).losesContainer) return false;
  return containers.table.count(store, { user_id, caption }, "AND created_at < ?", created_at) < 1;
}

export const { publish, readPublishingLimit } = createPublishing({
  platform: "threads",
  containers,
  posts: { count: countPosts },
  // Source: Threads API, "Overview", rate limits.
  postsPerDay: 250,
  dailyCap,
  refusals: {
    expiredToken,
    serverError,
    failures: {
      rate_limited: dailyCap,
      account_disconnected: () => mediaError(10, 4279013, "The profile is restricted."),
      content_flagged: () =>
        mediaError(4, 2207051, "We restrict certain activity to protect our community."),
      unknown: () => invalidParameter("The request cannot be fulfilled."),
    },
  },
  authenticate,
  // Threads answers "not found" for a container that is not ready, expired or published.
  requirePublishable: ({ env: { store } }, { userId }, id) => {
    const container = containers.find(store, userId, id);
    if (!container || statusOf(container) !== "FINISHED") throw notFound(id);
    if (isLost(store, container)) throw notFound(id);
    if (container.kind === "child") {
      throw invalidParameter("An item of a carousel cannot be published alone.");
    }
    const parent = container.received.reply_to_id;
    if (parent !== undefined && !posts.find(store, { id: parent })) throw notFound(parent);
    return container;
  },
  parentOf: ({ received, kind, ready_at }) =>
    kind === "video" && now().getTime() < ready_at + VIDEO_REPLY_MS
      ? undefined
      : received.reply_to_id,
  permalinkOf: ({ username }, { shortcode }) =>
    `https://www.threads.com/@${username}/post/${shortcode}`,
  insert: insertPost,
});
