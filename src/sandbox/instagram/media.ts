import { now } from "../../core/clock.ts";
import { DAY } from "../../core/time.ts";
import type { SandboxStore } from "../kit/store.ts";
import { readLimit, toGraphTimestamp } from "../meta/containers.ts";
import { type GraphCall, pickFields } from "../meta/graph.ts";
import { type Account, authenticate } from "./accounts.ts";
import { type InstagramContainer, requireSelf } from "./containers.ts";
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

/** What a story lives. */
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

const COLUMNS = "id, kind, media_type, caption, shortcode, permalink, created_at";

export function permalinkOf(
  { username }: Account,
  kind: ContainerKind,
  code: string,
  id: string,
): string {
  if (kind === "story") return `https://www.instagram.com/stories/${username}/${id}`;
  return `https://www.instagram.com/${kind === "reel" ? "reel" : "p"}/${code}/`;
}

function mediaTypeOf({ kind, received }: InstagramContainer): string {
  if (kind === "carousel") return "CAROUSEL_ALBUM";
  return received.video_url === undefined ? "IMAGE" : "VIDEO";
}

export function insertMedia(
  store: SandboxStore,
  account: Account,
  post: { id: string; code: string; container: InstagramContainer },
): void {
  const { id, code, container } = post;
  store.sql.exec(
    `INSERT INTO instagram_media (${COLUMNS}, user_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    container.kind,
    mediaTypeOf(container),
    container.text,
    code,
    permalinkOf(account, container.kind, code, id),
    now().getTime(),
    account.userId,
  );
}

export const countPublished = (store: SandboxStore, account: Account, since: number): number =>
  store.sql
    .exec<{ count: number }>(
      "SELECT count(*) AS count FROM instagram_media WHERE user_id = ? AND created_at > ?",
      account.userId,
      since,
    )
    .one().count;

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
  const [row] = store.sql
    .exec<MediaRow>(
      `SELECT ${COLUMNS} FROM instagram_media WHERE id = ? AND user_id = ?
         AND (kind <> 'story' OR created_at > ?)`,
      id,
      account.userId,
      now().getTime() - STORY_MS,
    )
    .toArray();
  return row ? toObject(row) : null;
}

/** Newest first; a page ends with the cursor of the next. Stories stand apart, for 24 hours. */
export async function listMedia(
  call: GraphCall,
  userId: string,
  edge: "media" | "stories",
): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(account, userId, "GET");
  const limit = readLimit(call);
  const isStories = edge === "stories";
  const offset = Number(call.params.get("after") ?? 0) || 0;
  const rows = call.store.sql
    .exec<MediaRow>(
      `SELECT ${COLUMNS} FROM instagram_media
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
