import { now } from "../../core/clock.ts";
import type { Platform } from "../../core/platforms.ts";
import type { MediaKind } from "../../platforms/connector.ts";
import { endLogin } from "./logins.ts";
import { type MediaRow, MediaStore, type StoredMedia, toStoredMedia } from "./media-store.ts";
import type { CallOrigin } from "./origin.ts";
import { NO_HISTORY, readSteering, type SteeringHistory, steer, type Verdict } from "./steering.ts";

export interface FeedMedia extends StoredMedia {
  kind: MediaKind;
  /** Empty where the post gave none. */
  alt: string;
}

/** One post on a simulated platform. */
export interface FeedPost {
  /** Rises with every post. */
  id: number;
  platform: Platform;
  accountId: string | null;
  uploadId: number | null;
  /** The handle or name it was posted under. */
  author: string;
  text: string;
  media: FeedMedia[];
  /** JSON object: every field of the post as the platform received it. */
  fieldsJson: string;
  /** The number of times that this same post arrived. */
  received: number;
  /** The address that the platform would give it. */
  url: string;
  /** ISO 8601: when it first arrived. */
  createdAt: string;
}

export interface FeedFilter {
  platform?: string | null;
  accountId?: string | null;
  teamId?: number | null;
  /** Only posts older than the one with this id. */
  before?: number | null;
  limit?: number | null;
}

/** A post as a simulator hands it in. `key` is the platform's own id, `version` that of the content. */
export interface NewPost {
  platform: Platform;
  key: string;
  version: string;
  author: string;
  text: string;
  fields: Record<string, unknown>;
  media: { id: number; alt: string }[];
  url: string;
}

export const POSTS_SCHEMA = `
CREATE TABLE IF NOT EXISTS posts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  platform TEXT NOT NULL,
  key TEXT NOT NULL,
  version TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  account_id TEXT,
  upload_id INTEGER,
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  fields TEXT NOT NULL,
  url TEXT NOT NULL,
  received INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (platform, key)
);
CREATE INDEX IF NOT EXISTS posts_by_team ON posts (team_id, id);
CREATE TABLE IF NOT EXISTS post_media (
  post_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  media_id INTEGER NOT NULL,
  alt TEXT NOT NULL,
  PRIMARY KEY (post_id, position)
);
CREATE INDEX IF NOT EXISTS post_media_by_media ON post_media (media_id);
CREATE TABLE IF NOT EXISTS steering (
  key TEXT PRIMARY KEY,
  team_id INTEGER NOT NULL,
  refused_token TEXT,
  server_errors INTEGER NOT NULL,
  reply_lost INTEGER NOT NULL
);
`;

/** The sandbox is a test ground, not an archive: a team's older posts make room. */
const MAX_POSTS_PER_TEAM = 5_000;
type SteeringRow = { refused_token: string | null; server_errors: number; reply_lost: number };

type PostRow = {
  id: number;
  platform: Platform;
  account_id: string | null;
  upload_id: number | null;
  author: string;
  text: string;
  fields: string;
  url: string;
  received: number;
  created_at: number;
};

type Values = Record<string, SqlStorageValue>;

const listOf = (values: Values, separator: string): string =>
  Object.keys(values)
    .map((name) => `${name} = ?`)
    .join(separator);

const kindOf = (mime: string): MediaKind => {
  if (mime.startsWith("image/")) return "image";
  return mime.startsWith("video/") ? "video" : "document";
};

/**
 * The shared state of the simulated platforms: posts, files and the steering applied so far. All of it is
 * synchronous, so a check and the write that rests on it are one step.
 */
export class SandboxStore {
  readonly sql: SqlStorage;
  readonly media: MediaStore;

  constructor(sql: SqlStorage) {
    this.sql = sql;
    this.media = new MediaStore(sql);
  }

  /** The first row with these values, of a table that a simulator keeps. */
  find<Row extends Record<string, SqlStorageValue>>(table: string, where: Values): Row | null {
    const [row] = this.sql
      .exec<Row>(`SELECT * FROM ${table} WHERE ${listOf(where, " AND ")}`, ...Object.values(where))
      .toArray();
    return row ?? null;
  }

  insert(table: string, row: Values): void {
    const names = Object.keys(row);
    this.sql.exec(
      `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      ...Object.values(row),
    );
  }

  update(table: string, where: Values, changed: Values): void {
    this.sql.exec(
      `UPDATE ${table} SET ${listOf(changed, ", ")} WHERE ${listOf(where, " AND ")}`,
      ...Object.values(changed),
      ...Object.values(where),
    );
  }

  /**
   * Steers a write call by the post's text, remembered per account and upload. Where the call
   * belongs to no upload, `postKey` takes that place. A disconnected account is a lost login: every
   * token of it ends.
   */
  steer(origin: CallOrigin, postKey: string, text: string, accessToken: string): Verdict {
    const key =
      origin.uploadId === null ? postKey : `${origin.accountId ?? ""}/${String(origin.uploadId)}`;
    const row = this.find<SteeringRow>("steering", { key });
    const history: SteeringHistory = row
      ? {
          refusedToken: row.refused_token,
          serverErrors: row.server_errors,
          replyLost: row.reply_lost === 1,
        }
      : NO_HISTORY;
    const steered = steer(readSteering(text), history, accessToken);
    if (steered.history !== history) {
      const { refusedToken, serverErrors, replyLost } = steered.history;
      this.sql.exec("DELETE FROM steering WHERE key = ?", key);
      this.insert("steering", {
        key,
        team_id: origin.teamId,
        refused_token: refusedToken,
        server_errors: serverErrors,
        reply_lost: replyLost ? 1 : 0,
      });
    }
    const { verdict } = steered;
    if (verdict.kind === "failure" && verdict.code === "account_disconnected") {
      endLogin(this.sql, origin, accessToken);
    }
    return verdict;
  }

  findPost(platform: Platform, key: string): { version: string; fieldsJson: string } | null {
    const row = this.find<{ version: string; fields: string }>("posts", { platform, key });
    return row ? { version: row.version, fieldsJson: row.fields } : null;
  }

  /** Adds the post, or counts one more arrival of it and takes over its content. */
  savePost(origin: CallOrigin, post: NewPost): void {
    const { id } = this.sql
      .exec<{ id: number }>(
        `INSERT INTO posts (platform, key, version, team_id, account_id, upload_id, author, text,
           fields, url, received, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
         ON CONFLICT (platform, key) DO UPDATE SET received = received + 1,
           version = excluded.version, text = excluded.text, fields = excluded.fields
         RETURNING id`,
        post.platform,
        post.key,
        post.version,
        origin.teamId,
        origin.accountId,
        origin.uploadId,
        post.author,
        post.text,
        JSON.stringify(post.fields),
        post.url,
        now().getTime(),
      )
      .one();
    this.sql.exec("DELETE FROM post_media WHERE post_id = ?", id);
    for (const [position, media] of post.media.entries()) {
      this.insert("post_media", { post_id: id, position, media_id: media.id, alt: media.alt });
    }
    this.#deletePosts(
      "team_id = ?1 AND id <= (SELECT id FROM posts WHERE team_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
      origin.teamId,
      MAX_POSTS_PER_TEAM,
    );
  }

  deletePost(platform: Platform, key: string): void {
    this.#deletePosts("platform = ? AND key = ?", platform, key);
  }

  #deletePosts(where: string, ...bindings: SqlStorageValue[]): void {
    this.sql.exec(
      `DELETE FROM post_media WHERE post_id IN (SELECT id FROM posts WHERE ${where})`,
      ...bindings,
    );
    this.sql.exec(`DELETE FROM posts WHERE ${where}`, ...bindings);
  }

  /** Newest first. */
  listPosts(filter: FeedFilter): FeedPost[] {
    const rows = this.sql
      .exec<PostRow>(
        `SELECT id, platform, account_id, upload_id, author, text, fields, url, received, created_at
         FROM posts
         WHERE (?1 IS NULL OR platform = ?1) AND (?2 IS NULL OR account_id = ?2)
           AND (?3 IS NULL OR team_id = ?3) AND (?4 IS NULL OR id < ?4)
         ORDER BY id DESC LIMIT ?5`,
        filter.platform ?? null,
        filter.accountId ?? null,
        filter.teamId ?? null,
        filter.before ?? null,
        filter.limit ?? -1,
      )
      .toArray();
    return rows.map((row) => ({
      id: row.id,
      platform: row.platform,
      accountId: row.account_id,
      uploadId: row.upload_id,
      author: row.author,
      text: row.text,
      media: this.#mediaOf(row.id),
      fieldsJson: row.fields,
      received: row.received,
      url: row.url,
      createdAt: new Date(row.created_at).toISOString(),
    }));
  }

  #mediaOf(postId: number): FeedMedia[] {
    return this.sql
      .exec<MediaRow & { alt: string }>(
        `SELECT media.id, mime, size, sha256, alt FROM post_media
         JOIN media ON media.id = post_media.media_id WHERE post_id = ? ORDER BY position`,
        postId,
      )
      .toArray()
      .map((row) => ({ ...toStoredMedia(row), kind: kindOf(row.mime), alt: row.alt }));
  }

  /** Empties the feed of a team, or of all. Accounts and their sessions stay, so they still work. */
  reset(teamId: number | null): void {
    const ofTeam = "(?1 IS NULL OR team_id = ?1)";
    this.#deletePosts(ofTeam, teamId);
    this.media.reset(teamId);
    this.sql.exec(`DELETE FROM steering WHERE ${ofTeam}`, teamId);
  }
}
