import { now } from "../../core/clock.ts";
import { DAY } from "../../core/time.ts";
import type { SandboxStore } from "../kit/store.ts";
import { readLimit } from "../meta/containers.ts";
import { type GraphCall, pickFields, requireSelf, toGraphTimestamp } from "../meta/graph.ts";
import type { GraphPost } from "../meta/publish.ts";
import { type Account, authenticate } from "./accounts.ts";
import type { InstagramContainer } from "./containers.ts";
import type { ContainerKind } from "./fields.ts";

export const INSTAGRAM_MEDIA_SCHEMA = `
CREATE TABLE IF NOT EXISTS instagram_media (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  media_type TEXT NOT NULL,
  caption TEXT NOT NULL,
  shortcode TEXT NOT NULL,
  permalink TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS instagram_media_by_user ON instagram_media (user_id, created_at);
`;

/** Life of a story. */
const STORY_MS = DAY;

type MediaRow = {
  id: string;
  kind: ContainerKind;
  media_type: string;
  caption: string;
  shortcode: string;
  permalink: string;
  created_at: number;
};

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
  store.insert("instagram_media", {
    id,
    user_id: userId,
    kind: container.kind,
    media_type: mediaTypeOf(container),
    caption: container.text,
    shortcode,
    permalink,
    created_at: now().getTime(),
  });
}

const PRODUCTS: Partial<Record<ContainerKind, string>> = { reel: "REELS", story: "STORY" };

const toObject = (row: MediaRow): Record<string, unknown> => ({
  id: row.id,
  caption: row.caption === "" ? undefined : row.caption,
  media_type: row.media_type,
  media_product_type: PRODUCTS[row.kind] ?? "FEED",
  permalink: row.permalink,
  shortcode: row.shortcode,
  timestamp: toGraphTimestamp(row.created_at),
  like_count: 0,
  comments_count: 0,
});

export function findMedia(
  store: SandboxStore,
  account: Account,
  id: string,
): Record<string, unknown> | null {
  const row = store.find<MediaRow>("instagram_media", { id, user_id: account.userId });
  const isGone = row?.kind === "story" && row.created_at <= now().getTime() - STORY_MS;
  return row && !isGone ? toObject(row) : null;
}

/** Newest first; a page ends with the cursor of the next. Stories stand apart, for 24 hours. */
export async function listMedia(call: GraphCall, edge: "media" | "stories"): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(call, account);
  const limit = readLimit(call);
  const isStories = edge === "stories";
  const offset = Number(call.var.params.get("after") ?? 0) || 0;
  const rows = call.env.store.sql
    .exec<MediaRow>(
      `SELECT * FROM instagram_media
       WHERE user_id = ?1 AND (kind = 'story') = ?2 AND (?2 = 0 OR created_at > ?3)
       ORDER BY created_at DESC, rowid DESC LIMIT ?4 OFFSET ?5`,
      account.userId,
      isStories ? 1 : 0,
      now().getTime() - STORY_MS,
      limit + 1,
      offset,
    )
    .toArray();
  const data = rows.slice(0, limit).map((row) => pickFields(call, toObject(row), ["id"]));
  const hasMore = rows.length > limit;
  const cursors = { before: String(offset), after: String(offset + data.length) };
  return Response.json({ data, ...(hasMore ? { paging: { cursors } } : {}) });
}
