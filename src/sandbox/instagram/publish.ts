import type { Refusal } from "../kit/refusal.ts";
import { type Container, statusOf } from "../meta/containers.ts";
import { invalidParameter, mediaError, serverError } from "../meta/graph.ts";
import { expiredToken } from "../meta/logins.ts";
import { createPublishing } from "../meta/publish.ts";
import { authenticate } from "./accounts.ts";
import { containers } from "./containers.ts";
import type { ContainerKind } from "./fields.ts";
import { insertMedia, permalinkOf, posts } from "./media.ts";

const dailyCap = (): Refusal =>
  mediaError(9, 2207042, "You have reached the maximum number of posts for today.");

function requirePublishable(container: Container<ContainerKind> | null): Container<ContainerKind> {
  if (!container) throw mediaError(24, 2207006, "The requested resource does not exist.");
  if (container.kind === "child") {
    throw invalidParameter("An item of a carousel cannot be published alone.");
  }
  const status = statusOf(container);
  switch (status) {
    case "FINISHED":
      return container;
    case "PUBLISHED":
      throw invalidParameter("The media has already been published.");
    case "EXPIRED":
      throw mediaError(-2, 2207020, "The media you are trying to access has expired.");
    case "IN_PROGRESS":
    case "ERROR":
      throw mediaError(9007, 2207027, "The media is not ready to be published. Wait a moment.");
    default:
      return status satisfies never;
  }
}

export const { publish, readPublishingLimit } = createPublishing({
  platform: "instagram",
  containers,
  posts,
  // Source: Meta, "Content Publishing Limit", quota_total.
  postsPerDay: 50,
  dailyCap,
  refusals: {
    expiredToken,
    serverError,
    failures: {
      rate_limited: dailyCap,
      account_disconnected: () => mediaError(25, 2207050, "The account is restricted or inactive."),
      content_flagged: () =>
        mediaError(4, 2207051, "We restrict certain activity to protect our community."),
      media_invalid: () => mediaError(352, 2207026, "The video format is not supported."),
      media_unreachable: () =>
        mediaError(9004, 2207052, "The media could not be fetched from this URI."),
      unknown: () => mediaError(100, 2207023, "The media type is unknown."),
    },
  },
  authenticate,
  requirePublishable: ({ env: { store } }, { userId }, id) =>
    requirePublishable(containers.find(store, userId, id)),
  permalinkOf,
  insert: insertMedia,
});
