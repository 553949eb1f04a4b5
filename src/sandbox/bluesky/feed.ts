import { reactionsTo } from "../kit/audience.ts";
import type { Call } from "../kit/simulator.ts";
import { posts } from "../kit/store.ts";
import type { RowOf } from "../kit/table.ts";
import { type Account, findAccount } from "./sessions.ts";
import { invalidRequest, requireParam } from "./xrpc.ts";

/** Source: lexicon app.bsky.feed.getAuthorFeed. */
const MAX_LIMIT = 100;
const USUAL_LIMIT = 50;
const FILTERS = [
  "posts_with_replies",
  "posts_no_replies",
  "posts_with_media",
  "posts_and_author_threads",
  "posts_with_video",
];

export function readLimit(call: Call): number {
  const text = call.req.query("limit") ?? String(USUAL_LIMIT);
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw invalidRequest(`Error: limit must be an integer from 1 to ${MAX_LIMIT}`);
}

function toItem(account: Account, row: RowOf<typeof posts>) {
  const audience = `bluesky ${account.did} ${row.text}`;
  const { likes, comments, shares } = reactionsTo(audience, row.created_at);
  const quotes = Math.floor(shares / 5);
  return {
    post: {
      uri: row.key,
      cid: row.version,
      author: { did: account.did, handle: account.handle },
      record: JSON.parse(row.fields),
      replyCount: comments,
      repostCount: shares - quotes,
      likeCount: likes,
      quoteCount: quotes,
      bookmarkCount: 0,
      indexedAt: new Date(row.created_at).toISOString(),
      labels: [],
    },
  };
}

export async function getAuthorFeed(call: Call): Promise<Response> {
  const account = findAccount(call.env.store, requireParam(call, "actor"));
  if (!account) throw invalidRequest("Profile not found");
  const filter = call.req.query("filter");
  if (filter !== undefined && !FILTERS.includes(filter)) {
    throw invalidRequest(`Error: filter must be one of (${FILTERS.join(", ")})`);
  }
  const limit = readLimit(call);
  const before = call.req.query("cursor") ?? String(Number.MAX_SAFE_INTEGER);
  if (!/^\d{1,16}$/.test(before)) throw invalidRequest("Error: Malformed cursor");
  const rows = posts.list(
    call.env.store,
    { platform: "bluesky" },
    `AND key GLOB ? AND id < ? ${filter === "posts_no_replies" ? "AND fields ->> 'reply' IS NULL" : ""}
     ORDER BY id DESC LIMIT ?`,
    `at://${account.did}/*`,
    Number(before),
    limit + 1,
  );
  const page = rows.slice(0, limit);
  return Response.json({
    feed: page.map((row) => toItem(account, row)),
    ...(rows.length > limit ? { cursor: String(page.at(-1)?.id) } : {}),
  });
}
