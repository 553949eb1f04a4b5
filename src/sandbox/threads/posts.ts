import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import type { SandboxStore } from "../kit/store.ts";
import { readLimit } from "../meta/containers.ts";
import {
  type GraphCall,
  invalidParameter,
  pickFields,
  requireSelf,
  toGraphTimestamp,
} from "../meta/graph.ts";
import type { GraphPost } from "../meta/publish.ts";
import { type Account, authenticate } from "./accounts.ts";
import type { ContainerKind } from "./fields.ts";

export const POSTS_SCHEMA = `
CREATE TABLE IF NOT EXISTS threads_posts (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  username TEXT NOT NULL,
  media_type TEXT NOT NULL,
  text TEXT NOT NULL,
  shortcode TEXT NOT NULL,
  permalink TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS threads_posts_by_user ON threads_posts (user_id, created_at);
`;

type PostRow = {
  id: string;
  username: string;
  media_type: string;
  text: string;
  shortcode: string;
  permalink: string;
  created_at: number;
};

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
  store.insert("threads_posts", {
    id,
    user_id: userId,
    username,
    media_type: container.kind === "child" ? "IMAGE" : MEDIA_TYPES[container.kind],
    text: container.text,
    shortcode,
    permalink,
    created_at: now().getTime(),
  });
}

const toObject = (row: PostRow): Record<string, unknown> => ({
  id: row.id,
  username: row.username,
  media_product_type: "THREADS",
  media_type: row.media_type,
  text: row.text === "" ? undefined : row.text,
  permalink: row.permalink,
  shortcode: row.shortcode,
  timestamp: toGraphTimestamp(row.created_at),
  is_quote_post: false,
});

export function findPost(
  store: SandboxStore,
  { userId }: Account,
  id: string,
): Record<string, unknown> | null {
  const row = store.find<PostRow>("threads_posts", { id, user_id: userId });
  return row && toObject(row);
}

/** A moment in epoch seconds, as milliseconds. */
function readMoment({ var: { params } }: GraphCall, name: "since" | "until"): number | null {
  const text = params.get(name);
  if (text === undefined) return null;
  if (!/^\d{1,12}$/.test(text)) throw invalidParameter(`Param ${name} must be a unix timestamp`);
  return Number(text) * SECOND;
}

/** Newest first. Every page has the cursor of the next, and no page has its address. */
export async function listPosts(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(call, account);
  const offset = Number(call.var.params.get("after") ?? 0) || 0;
  const rows = call.env.store.sql
    .exec<PostRow>(
      `SELECT * FROM threads_posts
       WHERE user_id = ?1 AND created_at >= coalesce(?2, 0)
         AND (?3 IS NULL OR created_at <= ?3)
       ORDER BY created_at DESC, rowid DESC LIMIT ?4 OFFSET ?5`,
      account.userId,
      readMoment(call, "since"),
      readMoment(call, "until"),
      readLimit(call),
      offset,
    )
    .toArray();
  const data = rows.map((row) => pickFields(call, toObject(row), ["id"]));
  const cursors = { before: String(offset), after: String(offset + data.length) };
  return Response.json({ data, ...(data.length > 0 ? { paging: { cursors } } : {}) });
}
