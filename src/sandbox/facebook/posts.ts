import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { reactionsTo } from "../kit/audience.ts";
import { randomDigits } from "../kit/ids.ts";
import { deliver, type PostByHand } from "../kit/simulator.ts";
import { steer } from "../kit/steered.ts";
import { integer, key, type RowOf, Table, text } from "../kit/table.ts";
import { type GraphCall, invalidParameter, toGraphTimestamp } from "../meta/graph.ts";
import { insightsOf, requestedMetrics } from "../meta/insights.ts";
import { pick, requireKnown, requireParam } from "./call.ts";
import { authenticate, hasInsights, type Page } from "./pages.ts";
import { REFUSALS } from "./steering.ts";

type PostKind = "text" | "link" | "photo" | "album" | "video";

export const posts = new Table(
  "facebook_posts",
  {
    id: key(),
    team_id: integer(),
    page_id: text(),
    kind: text<PostKind>(),
    message: text(),
    link: text(),
    photos: integer(),
    permalink: text(),
    created_at: integer(),
  },
  { indexes: { by_page: "team_id, page_id, created_at" } },
);

type PostRow = RowOf<typeof posts>;

const MAX_MESSAGE = 63_206;
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

export interface NewPost {
  kind: PostKind;
  message: string;
  link?: string;
  photos?: { id: number; alt: string }[];
  video?: number;
  permalink?: string;
  /** A repeated key is another arrival of the post. */
  key?: string;
  title?: string;
  fields: Record<string, unknown>;
}

const newDigits = (): string => `1${randomDigits(14)}`;

export function savePost(call: GraphCall, page: Page, post: NewPost): string {
  const { store, origin } = call.env;
  const digits = newDigits();
  const id = `${page.id}_${digits}`;
  const url = post.permalink ?? `https://www.facebook.com/${page.id}/posts/${digits}`;
  const photos = post.photos ?? [];
  posts.insert(store, {
    id,
    team_id: origin.teamId,
    page_id: page.id,
    kind: post.kind,
    message: post.message,
    link: post.link ?? "",
    photos: photos.length,
    permalink: url,
    created_at: now().getTime(),
  });
  const files = post.video === undefined ? photos : [{ id: post.video, alt: "" }];
  store.savePost(origin, {
    platform: "facebook",
    key: post.key ?? id,
    author: page.name,
    text: post.message || (post.title ?? ""),
    fields: post.fields,
    media: files,
    url,
  });
  return id;
}

export const postByHand: PostByHand = ({ store, origin }, { url }, text) => {
  const row = posts.find(store, { permalink: url, team_id: origin.teamId });
  if (!row) return null;
  const digits = newDigits();
  const key = `${row.page_id}_${digits}`;
  const permalink = `https://www.facebook.com/${row.page_id}/posts/${digits}`;
  posts.insert(store, {
    ...row,
    id: key,
    permalink,
    kind: "text",
    message: text,
    link: "",
    photos: 0,
    created_at: now().getTime(),
  });
  return { key, url: permalink };
};

export function checkMessage(message: string): void {
  if (message.length <= MAX_MESSAGE) return;
  throw invalidParameter(`Param message must have at most ${MAX_MESSAGE} characters`);
}

function attachmentsOf({ id, kind, photos, permalink }: PostRow) {
  if (kind === "text") return undefined;
  const items = Array.from({ length: photos }, () => ({ media_type: "photo" }));
  const target = { id: /(\d+)\/?$/.exec(permalink)?.[1] ?? id, url: permalink };
  const more = kind === "album" ? { subattachments: { data: items } } : {};
  return { data: [{ media_type: kind, target, ...more }] };
}

/** Source: Meta, "Page Insights", metrics of posts. */
const INSIGHTS = ["post_media_view", "post_total_media_view_unique", "post_clicks"];

const countedEdge = (total_count: number) => ({ data: [], summary: { total_count } });

const reactionsOf = ({ page_id, message, created_at }: PostRow) =>
  reactionsTo(`facebook ${page_id} ${message}`, created_at);

function expandInsights({ var: { params } }: GraphCall, page: Page, row: PostRow) {
  const metrics = requestedMetrics(params.get("fields"));
  if (metrics === null) return undefined;
  const { views } = reactionsOf(row);
  const unique = Math.floor(views * 0.8);
  const values = { post_media_view: views, post_total_media_view_unique: unique, post_clicks: 0 };
  const data = insightsOf(row.id, metrics, INSIGHTS, values);
  return { data: hasInsights(page) ? data : [] };
}

function toFigures(row: PostRow): Record<string, unknown> {
  const { likes, comments, shares } = reactionsOf(row);
  return {
    shares: shares > 0 ? { count: shares } : undefined,
    reactions: countedEdge(likes),
    comments: countedEdge(comments),
  };
}

function isPublished({ env: { store } }: GraphCall, { id }: PostRow): boolean {
  const fields = JSON.parse(store.findPost("facebook", id)?.fieldsJson ?? "{}");
  return fields.published !== "false";
}

const toObject = (call: GraphCall, page: Page, row: PostRow): Record<string, unknown> => ({
  id: row.id,
  message: row.message === "" ? undefined : row.message,
  created_time: toGraphTimestamp(row.created_at),
  is_published: isPublished(call, row),
  permalink_url: row.permalink,
  status_type: row.kind === "video" ? "added_video" : "mobile_status_update",
  attachments: attachmentsOf(row),
  ...toFigures(row),
  insights: expandInsights(call, page, row),
});

export function newestPost({ env: { store, origin } }: GraphCall, page: Page): PostRow | null {
  const own = { team_id: origin.teamId, page_id: page.id };
  return posts.find(store, own, "ORDER BY created_at DESC, rowid DESC LIMIT 1");
}

export function findPost(call: GraphCall, page: Page, id: string): Record<string, unknown> | null {
  const { store, origin } = call.env;
  const own = { id, team_id: origin.teamId, page_id: page.id };
  const row = posts.find(store, own);
  return row && toObject(call, page, row);
}

export function deletePost(call: GraphCall, page: Page, id: string): boolean {
  const { store, origin } = call.env;
  const own = { id, team_id: origin.teamId, page_id: page.id };
  if (!posts.find(store, own)) return false;
  posts.delete(store, own);
  store.deletePost("facebook", id);
  return true;
}

/** Source: Meta, "Pages API", "Posts", "Update a post". */
export function updatePost(
  call: GraphCall,
  page: Page,
  id: string,
  token: string,
): Response | null {
  const { store, origin } = call.env;
  const own = { id, team_id: origin.teamId, page_id: page.id };
  if (!posts.find(store, own)) return null;
  requireKnown(call, ["message"]);
  const message = requireParam(call, "message");
  checkMessage(message);
  const reply = steer(call.env, REFUSALS, { key: `facebook/${id}`, text: message, token });
  posts.update(store, own, { message });
  store.changeFields("facebook", id, { message }, message);
  return deliver(reply, Response.json({ success: true }));
}

function readNumber({ var: { params } }: GraphCall, name: string, otherwise: number): number {
  const text = params.get(name) ?? String(otherwise);
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw invalidParameter(`Param ${name} must be an integer`);
}

export async function listPosts(call: GraphCall): Promise<Response> {
  const { page } = await authenticate(call);
  requireKnown(call, ["fields", "since", "until", "limit", "after"]);
  const limit = Math.min(readNumber(call, "limit", DEFAULT_LIMIT), MAX_LIMIT);
  const offset = readNumber(call, "after", 0);
  const rows = posts.list(
    call.env.store,
    { team_id: call.env.origin.teamId, page_id: page.id },
    `AND created_at >= ? AND created_at <= ?
     ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?`,
    readNumber(call, "since", 0) * SECOND,
    readNumber(call, "until", 99_999_999_999) * SECOND,
    limit + 1,
    offset,
  );
  const data = rows
    .slice(0, limit)
    .filter((row) => isPublished(call, row))
    .map((row) => pick(call, toObject(call, page, row), ["id", "message"]));
  const cursors = { before: String(offset), after: String(offset + Math.min(rows.length, limit)) };
  const next = new URL(call.req.url);
  next.searchParams.delete("access_token");
  next.searchParams.set("after", cursors.after);
  const paging = { cursors, ...(rows.length > limit ? { next: next.href } : {}) };
  return Response.json({ data, ...(data.length > 0 ? { paging } : {}) });
}
