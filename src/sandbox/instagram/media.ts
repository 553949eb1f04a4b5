import { now } from "../../core/clock.ts";
import { DAY } from "../../core/time.ts";
import { reactionsTo } from "../kit/audience.ts";
import { idOf, type PostByHand } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { integer, key, type RowOf, Table, text } from "../kit/table.ts";
import { newGraphId, readLimit, shortcodeOf } from "../meta/containers.ts";
import {
  type GraphCall,
  invalidParameter,
  pickRequested,
  requireSelf,
  toGraphTimestamp,
  unsupported,
} from "../meta/graph.ts";
import { insightsAnswer, insightsOf } from "../meta/insights.ts";
import type { GraphPost } from "../meta/publish.ts";
import { type Account, authenticate } from "./accounts.ts";
import type { InstagramContainer } from "./containers.ts";
import type { ContainerKind } from "./fields.ts";

export const posts = new Table(
  "instagram_media",
  {
    id: key(),
    user_id: text(),
    kind: text<ContainerKind>(),
    media_type: text(),
    caption: text(),
    shortcode: text(),
    permalink: text(),
    created_at: integer(),
  },
  { indexes: { by_user: "user_id, created_at" } },
);

const STORY_MS = DAY;

export function permalinkOf(
  { username }: Pick<Account, "username">,
  { id, shortcode, container: { kind } }: GraphPost<ContainerKind>,
): string {
  if (kind === "story") return `https://www.instagram.com/stories/${username}/${id}`;
  return `https://www.instagram.com/${kind === "reel" ? "reel" : "p"}/${shortcode}/`;
}

function mediaTypeOf({ kind, received }: InstagramContainer): string {
  if (kind === "carousel") return "CAROUSEL_ALBUM";
  return received.video_url === undefined ? "IMAGE" : "VIDEO";
}

export function insertMedia(
  store: SandboxStore,
  { userId }: Pick<Account, "userId">,
  { id, shortcode, container }: GraphPost<ContainerKind>,
  permalink: string,
): void {
  posts.insert(store, {
    id,
    user_id: userId,
    kind: container.kind,
    media_type: mediaTypeOf(container),
    caption: container.caption,
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
  const permalink = `https://www.instagram.com/p/${shortcode}/`;
  posts.insert(store, {
    ...row,
    id,
    shortcode,
    permalink,
    caption: text,
    kind: "image",
    media_type: "IMAGE",
    created_at: now().getTime(),
  });
  return { key: id, url: permalink };
};

const PRODUCTS: Partial<Record<ContainerKind, string>> = { reel: "REELS", story: "STORY" };

const toObject = (row: RowOf<typeof posts>): Record<string, unknown> => ({
  id: row.id,
  caption: row.caption === "" ? undefined : row.caption,
  media_type: row.media_type,
  media_product_type: PRODUCTS[row.kind] ?? "FEED",
  permalink: row.permalink,
  shortcode: row.shortcode,
  timestamp: toGraphTimestamp(row.created_at),
  like_count: reactionsOf(row).likes,
  comments_count: reactionsOf(row).comments,
});

const reactionsOf = ({ user_id, caption, created_at }: RowOf<typeof posts>) =>
  reactionsTo(`instagram ${user_id} ${caption}`, created_at);

export function findMedia(
  store: SandboxStore,
  account: Account,
  id: string,
): Record<string, unknown> | null {
  const row = posts.find(store, { id, user_id: account.userId });
  const isGone = row?.kind === "story" && row.created_at <= now().getTime() - STORY_MS;
  return row && !isGone ? toObject(row) : null;
}

/** Source: platform notes, "Analytics". */
const INSIGHTS = ["views", "reach", "likes", "comments", "saved", "shares", "total_interactions"];

function insightValuesOf(row: RowOf<typeof posts>): Record<string, number> {
  const { views, likes, comments, shares } = reactionsOf(row);
  return {
    views,
    likes,
    comments,
    shares,
    reach: Math.floor(views * 0.8),
    saved: 0,
    total_interactions: likes + comments + shares,
  };
}

export async function readInsights(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  const id = idOf(call);
  const row = posts.find(call.env.store, { id, user_id: account.userId });
  if (!row) throw unsupported("GET", id);
  return insightsAnswer(call, id, INSIGHTS, insightValuesOf(row));
}

/** Source: Meta, "Making Multiple Requests". */
const MAX_IDS = 50;

/** One unknown id fails the whole call. */
export async function readManyInsights(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  const { params } = call.var;
  const ids = (params.get("ids") ?? "").split(",").filter(Boolean);
  if (ids.length === 0) throw invalidParameter("The parameter ids is required");
  if (ids.length > MAX_IDS) throw invalidParameter(`Too many IDs. Maximum: ${MAX_IDS}.`);
  const metrics = (params.get("metric") ?? "").split(",").filter(Boolean);
  const answers = ids.map((id) => {
    const row = posts.find(call.env.store, { id, user_id: account.userId });
    if (!row) throw unsupported("GET", id);
    return [id, { data: insightsOf(id, metrics, INSIGHTS, insightValuesOf(row)) }];
  });
  return Response.json(Object.fromEntries(answers));
}

/** Newest first. Stories end after 24 hours. */
export async function listMedia(call: GraphCall, edge: "media" | "stories"): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(call, account);
  const limit = readLimit(call);
  const offset = Number(call.var.params.get("after") ?? 0) || 0;
  const isStories = edge === "stories";
  const rows = posts.list(
    call.env.store,
    { user_id: account.userId },
    `AND kind ${isStories ? "=" : "<>"} 'story' AND created_at > ?
     ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?`,
    isStories ? now().getTime() - STORY_MS : 0,
    limit + 1,
    offset,
  );
  const data = rows.slice(0, limit).map((row) => pickRequested(call, toObject(row), ["id"]));
  const hasMore = rows.length > limit;
  const cursors = { before: String(offset), after: String(offset + data.length) };
  return Response.json({ data, ...(hasMore ? { paging: { cursors } } : {}) });
}
