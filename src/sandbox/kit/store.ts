import { now } from "../../core/clock.ts";
import type { Platform } from "../../core/platforms.ts";
import type { MediaKind } from "../../platforms/connector.ts";
import { type FeedTeam, isOfTeam } from "./feed-team.ts";
import { endLogin } from "./logins.ts";
import { type MediaRow, MediaStore, type StoredMedia, toStoredMedia } from "./media-store.ts";
import type { CallOrigin } from "./origin.ts";
import { NO_HISTORY, readSteering, type SteeringHistory, steer, type Verdict } from "./steering.ts";
import { flag, integer, key, optional, type RowOf, serial, Table, text } from "./table.ts";

export interface FeedMedia extends StoredMedia {
  kind: MediaKind;
  alt: string;
}

export interface FeedComment {
  key: string;
  author: string;
  text: string;
  /** ISO 8601. */
  createdAt: string;
}

export interface FeedPost {
  id: number;
  platform: Platform;
  accountId: string | null;
  uploadId: number | null;
  author: string;
  text: string;
  media: FeedMedia[];
  fieldsJson: string;
  /** Arrivals of this post at the platform. */
  received: number;
  url: string;
  replyTo: number | null;
  /** Oldest first. */
  comments: FeedComment[];
  /** ISO 8601, of the first arrival. */
  createdAt: string;
}

export interface FeedFilter {
  teamId: FeedTeam;
  platform?: string | null;
  accountId?: string | null;
  before?: number | null;
  limit?: number | null;
}

/** `key`: the platform's id of the post. */
export interface NewPost {
  platform: Platform;
  key: string;
  /** Defaults to `key`. */
  version?: string;
  author: string;
  text: string;
  fields: Record<string, unknown>;
  media: { id: number; alt: string }[];
  url: string;
  replyTo?: string | undefined;
}

export const posts = new Table(
  "posts",
  {
    id: serial(),
    platform: text<Platform>(),
    key: text(),
    version: text(),
    team_id: integer(),
    account_id: optional(text()),
    upload_id: optional(integer()),
    author: text(),
    text: text(),
    fields: text(),
    url: text(),
    received: integer(),
    created_at: integer(),
  },
  { constraint: "UNIQUE (platform, key)", indexes: { by_team: "team_id, id" } },
);

export type SavedPost = RowOf<typeof posts>;

export const postMedia = new Table(
  "post_media",
  { post_id: integer(), position: integer(), media_id: integer(), alt: text() },
  { constraint: "PRIMARY KEY (post_id, position)", indexes: { by_media: "media_id" } },
);

export const replies = new Table(
  "replies",
  { platform: text<Platform>(), key: text(), parent: text() },
  { constraint: "PRIMARY KEY (platform, key)" },
);

export const comments = new Table(
  "comments",
  {
    key: key(),
    platform: text<Platform>(),
    post_key: text(),
    team_id: integer(),
    author_id: text(),
    author: text(),
    text: text(),
    created_at: integer(),
  },
  { indexes: { by_post: "platform, post_key, created_at" } },
);

export type SavedComment = RowOf<typeof comments>;

export const steerings = new Table("steering", {
  key: key(),
  team_id: integer(),
  refused_token: optional(text()),
  server_errors: integer(),
  reply_lost: flag(),
});

const MAX_POSTS_PER_TEAM = 5_000;

const kindOf = (mime: string): MediaKind => {
  if (mime.startsWith("image/")) return "image";
  return mime.startsWith("video/") ? "video" : "document";
};

/** Synchronous methods make a check and the write that depends on it atomic. */
export class SandboxStore {
  readonly sql: SqlStorage;
  readonly media: MediaStore;

  constructor(sql: SqlStorage) {
    this.sql = sql;
    this.media = new MediaStore(sql);
  }

  /**
   * The history is kept per upload, or per `postKey` without one. The failure `account_disconnected` also revokes the
   * account's tokens.
   */
  steer(origin: CallOrigin, postKey: string, words: string, accessToken: string): Verdict {
    const key =
      origin.uploadId === null ? postKey : `${origin.accountId ?? ""}/${String(origin.uploadId)}`;
    const history: SteeringHistory = steerings.find(this, { key }) ?? NO_HISTORY;
    const { verdict, history: changed } = steer(readSteering(words), history, accessToken);
    if (changed !== history) {
      steerings.insert(this, { ...changed, key, team_id: origin.teamId }, "OR REPLACE");
    }
    if (verdict.kind === "failure" && verdict.code === "account_disconnected") {
      endLogin(this.sql, origin, accessToken);
    }
    return verdict;
  }

  findPost(platform: Platform, key: string): { version: string; fieldsJson: string } | null {
    const row = posts.find(this, { platform, key });
    return row ? { version: row.version, fieldsJson: row.fields } : null;
  }

  lastPost(accountId: string): SavedPost | null {
    return posts.find(this, { account_id: accountId }, "ORDER BY id DESC LIMIT 1");
  }

  /** A known key replaces the content and counts as another arrival. */
  savePost(origin: CallOrigin, post: NewPost): void {
    const { platform, key, version = key, text: shown, author, url } = post;
    const existing = posts.find(this, { platform, key });
    const content = {
      version,
      text: shown,
      fields: JSON.stringify(post.fields),
      received: (existing?.received ?? 0) + 1,
    };
    if (existing) posts.update(this, { id: existing.id }, content);
    if (post.replyTo !== undefined) {
      replies.insert(this, { platform, key, parent: post.replyTo }, "OR REPLACE");
    }
    const id =
      existing?.id ??
      posts.insert(this, {
        ...content,
        platform,
        key,
        author,
        url,
        team_id: origin.teamId,
        account_id: origin.accountId,
        upload_id: origin.uploadId,
        created_at: now().getTime(),
      });
    postMedia.delete(this, { post_id: id });
    for (const [position, media] of post.media.entries()) {
      postMedia.insert(this, { post_id: id, position, media_id: media.id, alt: media.alt });
    }
    this.#deletePosts(
      "team_id = ?1 AND id <= (SELECT id FROM posts WHERE team_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
      origin.teamId,
      MAX_POSTS_PER_TEAM,
    );
  }

  parentOf(platform: Platform, key: string): string | null {
    return replies.find(this, { platform, key })?.parent ?? null;
  }

  /** Does not count as another arrival. */
  changeFields(
    platform: Platform,
    key: string,
    changed: Record<string, unknown>,
    shown?: string,
  ): void {
    const row = posts.find(this, { platform, key });
    if (!row) return;
    const fields = JSON.stringify({ ...JSON.parse(row.fields), ...changed });
    posts.update(this, { id: row.id }, { fields, text: shown ?? row.text });
  }

  deletePost(platform: Platform, key: string): void {
    this.#deletePosts("platform = ? AND key = ?", platform, key);
  }

  #deletePosts(where: string, ...bindings: SqlStorageValue[]): void {
    this.sql.exec(
      `DELETE FROM comments WHERE (platform, post_key) IN (SELECT platform, key FROM posts WHERE ${where})`,
      ...bindings,
    );
    this.sql.exec(
      `DELETE FROM post_media WHERE post_id IN (SELECT id FROM posts WHERE ${where})`,
      ...bindings,
    );
    this.sql.exec(
      `DELETE FROM replies WHERE (platform, key) IN (SELECT platform, key FROM posts WHERE ${where})`,
      ...bindings,
    );
    this.sql.exec(`DELETE FROM posts WHERE ${where}`, ...bindings);
  }

  listPosts(filter: FeedFilter): FeedPost[] {
    const rows = posts.list(
      this,
      {},
      `AND (?1 IS NULL OR platform = ?1) AND (?2 IS NULL OR account_id = ?2)
       AND ${isOfTeam("?3")} AND (?4 IS NULL OR id < ?4) ORDER BY id DESC LIMIT ?5`,
      filter.platform ?? null,
      filter.accountId ?? null,
      filter.teamId,
      filter.before ?? null,
      filter.limit ?? -1,
    );
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
      replyTo: this.#replyToOf(row),
      comments: this.listComments(row.platform, row.key)
        .reverse()
        .map(({ key, author, text, created_at }) => ({
          key,
          author,
          text,
          createdAt: new Date(created_at).toISOString(),
        })),
      createdAt: new Date(row.created_at).toISOString(),
    }));
  }

  #replyToOf({ platform, key }: SavedPost): number | null {
    const parent = this.parentOf(platform, key);
    return parent === null ? null : (posts.find(this, { platform, key: parent })?.id ?? null);
  }

  /** Newest first. */
  listComments(platform: Platform, postKey: string): SavedComment[] {
    const order = "ORDER BY created_at DESC, rowid DESC";
    return comments.list(this, { platform, post_key: postKey }, order);
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

  /** Accounts and their tokens stay. */
  reset(teamId: FeedTeam): void {
    const ofTeam = isOfTeam("?1");
    this.#deletePosts(ofTeam, teamId);
    this.media.reset(teamId);
    this.sql.exec(`DELETE FROM steering WHERE ${ofTeam}`, teamId);
  }
}
