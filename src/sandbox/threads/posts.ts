import { now } from "../../core/clock.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { followersOf, reactionsTo } from "../kit/audience.ts";
import { hasScope } from "../kit/codes.ts";
import { idOf, type PostByHand } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { integer, key, type RowOf, Table, text } from "../kit/table.ts";
import { newGraphId, readLimit, shortcodeOf } from "../meta/containers.ts";
import {
  type GraphCall,
  graphError,
  invalidParameter,
  pickRequested,
  requireSelf,
  toGraphTimestamp,
  topFields,
  unsupported,
} from "../meta/graph.ts";
import { insightsAnswer, insightsOf, requestedMetrics } from "../meta/insights.ts";
import type { GraphPost } from "../meta/publish.ts";
import { type Account, authenticate, noPermission } from "./accounts.ts";
import type { ContainerKind } from "./fields.ts";

export const posts = new Table(
  "threads_posts",
  {
    id: key(),
    user_id: text(),
    username: text(),
    media_type: text(),
    text: text(),
    shortcode: text(),
    permalink: text(),
    created_at: integer(),
  },
  { indexes: { by_user: "user_id, created_at" } },
);

export const deletions = new Table(
  "threads_deletions",
  { id: key(), user_id: text(), deleted_at: integer() },
  { indexes: { by_user: "user_id, deleted_at" } },
);

/** In 24 hours. Source: Threads API, "Delete Posts". */
const MAX_DELETIONS = 100;

const MEDIA_TYPES: Record<Exclude<ContainerKind, "child">, string> = {
  text: "TEXT_POST",
  image: "IMAGE",
  video: "VIDEO",
  carousel: "CAROUSEL_ALBUM",
};

export function insertPost(
  store: SandboxStore,
  { userId, username }: Account,
  { id, shortcode, container }: GraphPost<ContainerKind>,
  permalink: string,
): void {
  posts.insert(store, {
    id,
    user_id: userId,
    username,
    media_type: container.kind === "child" ? "IMAGE" : MEDIA_TYPES[container.kind],
    text: container.caption,
    shortcode,
    permalink,
    created_at: now().getTime(),
  });
}

export const postByHand: PostByHand = ({ store }, like, text) => {
  const row = posts.find(store, { id: like.key });
  if (!row) return null;
  const id = newGraphId("180");
  const shortcode = shortcodeOf(id);
  const permalink = `https://www.threads.com/@${row.username}/post/${shortcode}`;
  posts.insert(store, {
    ...row,
    id,
    shortcode,
    permalink,
    text,
    media_type: MEDIA_TYPES.text,
    created_at: now().getTime(),
  });
  return { key: id, url: permalink };
};

function rootOf(store: SandboxStore, id: string): string {
  const parent = store.parentOf("threads", id);
  return parent === null ? id : rootOf(store, parent);
}

const toObject = (store: SandboxStore, row: RowOf<typeof posts>): Record<string, unknown> => ({
  id: row.id,
  username: row.username,
  media_product_type: "THREADS",
  media_type: row.media_type,
  text: row.text === "" ? undefined : row.text,
  permalink: row.permalink,
  shortcode: row.shortcode,
  timestamp: toGraphTimestamp(row.created_at),
  is_quote_post: false,
  ...replyFields(store, row.id),
});

function replyFields(store: SandboxStore, id: string) {
  const parent = store.parentOf("threads", id);
  return {
    is_reply: parent !== null,
    replied_to: parent === null ? undefined : { id: parent },
    root_post: parent === null ? undefined : { id: rootOf(store, parent) },
  };
}

const IS_REPLY =
  "EXISTS (SELECT 1 FROM replies WHERE platform = 'threads' AND key = threads_posts.id)";

export const countPosts = (
  store: SandboxStore,
  where: { user_id: string },
  sql: string,
  from: number,
): number => posts.count(store, where, `${sql} AND NOT ${IS_REPLY}`, from);

export function findPost(
  store: SandboxStore,
  { userId }: Account,
  id: string,
): Record<string, unknown> | null {
  const row = posts.find(store, { id, user_id: userId });
  return row && toObject(store, row);
}

export function deletePost(store: SandboxStore, { userId }: Account, id: string): void {
  const at = now().getTime();
  const recent = deletions.list(store, { user_id: userId }, "AND deleted_at > ?", at - DAY);
  if (recent.length >= MAX_DELETIONS) {
    throw graphError(4, "Application request limit reached", {
      userMessage: "You have reached the maximum number of deletions for a 24 hour period.",
    });
  }
  deletions.insert(store, { id, user_id: userId, deleted_at: at });
  posts.delete(store, { id, user_id: userId });
  store.deletePost("threads", id);
}

/** Source: Threads API, "Insights". */
const POST_INSIGHTS = ["views", "likes", "replies", "reposts", "quotes", "shares"];

function insightValuesOf(row: RowOf<typeof posts>): Record<string, number> {
  const audience = `threads ${row.user_id} ${row.text}`;
  const { views, likes, comments, shares } = reactionsTo(audience, row.created_at);
  const quotes = Math.floor(shares / 3);
  return { views, likes, replies: comments, reposts: shares - quotes, quotes, shares: 0 };
}

export async function readInsights(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  const id = idOf(call);
  const row = posts.find(call.env.store, { id, user_id: account.userId });
  if (!row) throw unsupported("GET", id);
  return insightsAnswer(call, id, POST_INSIGHTS, insightValuesOf(row));
}

function expandInsights({ var: { params } }: GraphCall, row: RowOf<typeof posts>) {
  const metrics = requestedMetrics(params.get("fields"));
  return metrics && { data: insightsOf(row.id, metrics, POST_INSIGHTS, insightValuesOf(row)) };
}

const ACCOUNT_INSIGHTS = ["views", "likes", "replies", "reposts", "quotes", "followers_count"];

/** Only followers are simulated; other totals are 0. */
export async function readAccountInsights(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(call, account);
  const followers_count = followersOf(`threads ${account.userId}`);
  const values = { views: 0, likes: 0, replies: 0, reposts: 0, quotes: 0, followers_count };
  return insightsAnswer(call, account.userId, ACCOUNT_INSIGHTS, values, "total_value");
}

function readMoment({ var: { params } }: GraphCall, name: string, otherwise: number): number {
  const moment = params.get(name) ?? String(otherwise);
  if (!/^\d{1,12}$/.test(moment)) throw invalidParameter(`Param ${name} must be a unix timestamp`);
  return Number(moment) * SECOND;
}

export async function listPosts(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(call, account);
  return list(call, account, `NOT ${IS_REPLY}`);
}

export async function listReplies(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(call, account);
  if (!hasScope(call, "threads", account.name, "threads_read_replies")) throw noPermission();
  return list(call, account, IS_REPLY);
}

/** Threads returns a cursor but no address of the next page. */
function list(call: GraphCall, account: Account, which: string): Response {
  const offset = Number(call.var.params.get("after") ?? 0) || 0;
  const rows = posts.list(
    call.env.store,
    { user_id: account.userId },
    `AND ${which} AND created_at >= ? AND created_at <= ?
     ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?`,
    readMoment(call, "since", 0),
    readMoment(call, "until", 999_999_999_999),
    readLimit(call),
    offset,
  );
  const data = rows.map((row) => {
    const insights = expandInsights(call, row) ?? undefined;
    return pickRequested(call, { ...toObject(call.env.store, row), insights }, ["id"], topFields);
  });
  const cursors = { before: String(offset), after: String(offset + data.length) };
  return Response.json({ data, ...(data.length > 0 ? { paging: { cursors } } : {}) });
}
