import { now } from "../../core/clock.ts";
import { HOUR } from "../../core/time.ts";
import { deliver, forcedFailure } from "../kit/simulator.ts";
import type { Verdict } from "../kit/steering.ts";
import { newGraphId, shortcodeOf, statusOf } from "../meta/containers.ts";
import { type GraphCall, GraphError, invalidParameter, mediaError } from "../meta/graph.ts";
import { expiredToken } from "../meta/logins.ts";
import { type Account, authenticate } from "./accounts.ts";
import { containers, type InstagramContainer, requireSelf } from "./containers.ts";
import { countPublished, insertMedia, permalinkOf } from "./media.ts";

/** Source: Meta, "Content Publishing Limit", quota_total. */
const POSTS_PER_DAY = 50;
const QUOTA_MS = 24 * HOUR;

const dailyCap = (): GraphError =>
  mediaError(9, 2207042, "You have reached the maximum number of posts for today.");

/** What steering makes of a publishing that is not accepted. */
function refuseAsSteered(verdict: Exclude<Verdict, { kind: "accepted" }>): Response {
  if (verdict.kind === "token_refused") return expiredToken().toResponse();
  if (verdict.kind === "server_error") {
    const isOdd = verdict.nth % 2 === 1;
    return new GraphError(2, "An unexpected error has occurred. Please retry your request later.", {
      status: isOdd ? 500 : 503,
      isTransient: true,
    }).toResponse();
  }
  switch (verdict.code) {
    case "rate_limited":
      return dailyCap().toResponse();
    case "account_disconnected":
      return mediaError(25, 2207050, "The account is restricted or inactive.").toResponse();
    case "content_flagged":
      return mediaError(
        4,
        2207051,
        "We restrict certain activity to protect our community.",
      ).toResponse();
    case "media_invalid":
      return mediaError(352, 2207026, "The video format is not supported.").toResponse();
    case "media_unreachable":
      return mediaError(
        9004,
        2207052,
        "The media could not be fetched from this URI.",
      ).toResponse();
    case "unknown":
      return mediaError(100, 2207023, "The media type is unknown.").toResponse();
    default:
      return forcedFailure({
        code: verdict.code,
        message: `The sandbox was asked for this failure: ${verdict.code}.`,
      }).toResponse();
  }
}

function requirePublishable(call: GraphCall, account: Account): InstagramContainer {
  const extra = [...call.params.keys()].find((name) => name !== "creation_id");
  if (extra) throw invalidParameter(`Param ${extra} is not allowed here`);
  const id = call.params.get("creation_id");
  if (!id) throw invalidParameter("The parameter creation_id is required.");
  const container = containers.find(call.store, account.userId, id);
  if (!container) throw mediaError(24, 2207006, "The requested resource does not exist.");
  if (container.kind === "child") {
    throw invalidParameter("An item of a carousel cannot be published alone.");
  }
  switch (statusOf(container)) {
    case "FINISHED":
      return container;
    case "PUBLISHED":
      throw invalidParameter("The media has already been published.");
    case "EXPIRED":
      throw mediaError(-2, 2207020, "The media you are trying to access has expired.");
    case "IN_PROGRESS":
    case "ERROR":
      throw mediaError(9007, 2207027, "The media is not ready to be published. Wait a moment.");
  }
}

export async function publish(call: GraphCall, userId: string): Promise<Response> {
  const { account, token } = await authenticate(call);
  requireSelf(account, userId, "POST");

  // Nothing waits from here to the end, so that no container is published twice.
  const container = requirePublishable(call, account);
  const verdict = call.store.steer(call.origin, `instagram/${container.id}`, container.text, token);
  if (verdict.kind !== "accepted") return refuseAsSteered(verdict);
  if (countPublished(call.store, account, now().getTime() - QUOTA_MS) >= POSTS_PER_DAY) {
    throw dailyCap();
  }
  const id = savePost(call, account, container);
  // A slow post is slow in the making; that it is out is said at once.
  const { reply } = verdict;
  return deliver(reply.kind === "dropped" ? reply : { kind: "now" }, Response.json({ id }));
}

function savePost(call: GraphCall, account: Account, container: InstagramContainer): string {
  const { store } = call;
  const items = container.children.flatMap(
    (id) => containers.find(store, account.userId, id) ?? [],
  );
  const files = items.length > 0 ? items : [container];
  const id = newGraphId("180");
  const code = shortcodeOf(id);
  const url = permalinkOf(account, container.kind, code, id);
  containers.markPublished(store, container.id);
  insertMedia(store, account, { id, code, container });
  store.savePost(call.origin, {
    platform: "instagram",
    key: id,
    version: id,
    author: account.username,
    text: container.text,
    fields:
      items.length > 0
        ? { ...container.received, items: items.map(({ received }) => received) }
        : container.received,
    media: files.flatMap(({ fileId, received }) =>
      fileId === null ? [] : [{ id: fileId, alt: received.alt_text ?? "" }],
    ),
    url,
  });
  return id;
}

/** How many posts the account has made in the last 24 hours, and how many it may. */
export async function readPublishingLimit(call: GraphCall, userId: string): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(account, userId, "GET");
  const usage = countPublished(call.store, account, now().getTime() - QUOTA_MS);
  const config = { quota_total: POSTS_PER_DAY, quota_duration: QUOTA_MS / 1_000 };
  return Response.json({ data: [{ quota_usage: usage, config }] });
}
