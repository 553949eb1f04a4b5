import { now } from "../../core/clock.ts";
import { DAY } from "../../core/time.ts";
import { deliver, forcedFailure } from "../kit/simulator.ts";
import type { Verdict } from "../kit/steering.ts";
import { newGraphId, shortcodeOf, statusOf } from "../meta/containers.ts";
import { type GraphCall, GraphError, invalidParameter, mediaError } from "../meta/graph.ts";
import { expiredToken } from "../meta/logins.ts";
import { type Account, authenticate, requireSelf } from "./accounts.ts";
import { containers, notFound, type ThreadsContainer } from "./containers.ts";
import { countPosts, insertPost } from "./posts.ts";

/** Source: Threads API, "Overview", rate limits. */
const POSTS_PER_DAY = 250;

const dailyCap = (): GraphError =>
  new GraphError(4, "Application request limit reached", {
    userMessage: "You have reached the maximum number of posts for a 24 hour period.",
  });

/** What steering makes of a publishing that is not accepted. */
function refuseAsSteered(verdict: Exclude<Verdict, { kind: "accepted" }>): Response {
  if (verdict.kind === "token_refused") return expiredToken().toResponse();
  if (verdict.kind === "server_error") {
    return new GraphError(2, "An unexpected error has occurred. Please retry your request later.", {
      status: verdict.nth % 2 === 1 ? 500 : 503,
      isTransient: true,
    }).toResponse();
  }
  switch (verdict.code) {
    case "rate_limited":
      return dailyCap().toResponse();
    case "account_disconnected":
      return mediaError(10, 4279013, "The profile is restricted.").toResponse();
    case "content_flagged":
      return mediaError(
        4,
        2207051,
        "We restrict certain activity to protect our community.",
      ).toResponse();
    case "unknown":
      return invalidParameter("The request cannot be fulfilled.").toResponse();
    default:
      return forcedFailure({
        code: verdict.code,
        message: `The sandbox was asked for this failure: ${verdict.code}.`,
      }).toResponse();
  }
}

/** What is not ready, gone, or published already cannot be found by publishing. */
function requirePublishable({ params, store }: GraphCall, account: Account): ThreadsContainer {
  const extra = [...params.keys()].find((name) => name !== "creation_id");
  if (extra) throw invalidParameter(`Param ${extra} is not allowed here`);
  const id = params.get("creation_id");
  if (!id) throw invalidParameter("The parameter creation_id is required.");
  const container = containers.find(store, account.userId, id);
  if (!container || statusOf(container) !== "FINISHED") throw notFound(id);
  if (container.kind === "child") {
    throw invalidParameter("An item of a carousel cannot be published alone.");
  }
  return container;
}

export async function publish(call: GraphCall, userId: string): Promise<Response> {
  const { account, token } = await authenticate(call);
  requireSelf(account, userId, "POST");

  // Nothing waits from here to the end, so that no container is published twice.
  const container = requirePublishable(call, account);
  const { store, origin } = call;
  const verdict = store.steer(origin, `threads/${container.id}`, container.text, token);
  if (verdict.kind !== "accepted") return refuseAsSteered(verdict);
  if (countPosts(store, account, now().getTime() - DAY) >= POSTS_PER_DAY) throw dailyCap();
  const id = savePost(call, account, container);
  // A slow post is slow in the making; that it is out is said at once.
  const { reply } = verdict;
  return deliver(reply.kind === "dropped" ? reply : { kind: "now" }, Response.json({ id }));
}

function savePost(call: GraphCall, account: Account, container: ThreadsContainer): string {
  const { store, origin } = call;
  const items = container.children.flatMap(
    (id) => containers.find(store, account.userId, id) ?? [],
  );
  const files = items.length > 0 ? items : [container];
  const id = newGraphId("180");
  const shortcode = shortcodeOf(id);
  const permalink = `https://www.threads.com/@${account.username}/post/${shortcode}`;
  containers.markPublished(store, container.id);
  insertPost(store, account, { id, shortcode, permalink, container });
  store.savePost(origin, {
    platform: "threads",
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
    url: permalink,
  });
  return id;
}

/** How many posts the account has made in the last 24 hours, and how many it may. */
export async function readPublishingLimit(call: GraphCall, userId: string): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(account, userId, "GET");
  const usage = countPosts(call.store, account, now().getTime() - DAY);
  const config = { quota_total: POSTS_PER_DAY, quota_duration: DAY / 1_000 };
  return Response.json({ data: [{ quota_usage: usage, config }] });
}
