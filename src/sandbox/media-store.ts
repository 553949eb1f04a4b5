import { now } from "../core/clock.ts";
import type { Platform } from "../core/platforms.ts";
import { HOUR } from "../core/time.ts";
import type { CallOrigin } from "./simulator.ts";

/** A file as a simulated platform holds it. */
export interface StoredMedia {
  id: number;
  mime: string;
  sizeBytes: number;
  /** Lowercase hex. */
  sha256: string;
}

export const MEDIA_SCHEMA = `
CREATE TABLE IF NOT EXISTS media (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  platform TEXT NOT NULL,
  owner TEXT NOT NULL,
  ref TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  mime TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  touched_at INTEGER NOT NULL,
  UNIQUE (platform, owner, ref, team_id)
);
CREATE TABLE IF NOT EXISTS media_chunks (
  media_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (media_id, position)
);
`;

/** A value of the storage ends at 2 MB. */
const CHUNK_BYTES = 1_000_000;
/** Platforms collect files that no post uses "after minutes to hours". */
const UNUSED_MEDIA_MS = 6 * HOUR;

export type MediaRow = { id: number; mime: string; size: number; sha256: string };

export const toStoredMedia = ({ id, mime, size, sha256 }: MediaRow): StoredMedia => ({
  id,
  mime,
  sizeBytes: size,
  sha256,
});

/** The files of the simulated platforms, their bytes in slices that fit the storage. */
export class MediaStore {
  readonly #sql: SqlStorage;
  #sweptAt = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Keeps a file. The same one again is a look-up that keeps it longer.
   *
   * @param owner the platform's id of the account that it was given to
   * @param ref what the platform calls it
   */
  save(
    origin: CallOrigin,
    file: { platform: Platform; owner: string; ref: string; mime: string; sha256: string },
    bytes: Uint8Array<ArrayBuffer>,
  ): void {
    const at = now().getTime();
    this.#sweep(at);
    const known = this.find(file.platform, file.owner, file.ref, origin.teamId);
    if (known) {
      this.#sql.exec("UPDATE media SET touched_at = ? WHERE id = ?", at, known.id);
      return;
    }
    const { id } = this.#sql
      .exec<{ id: number }>(
        `INSERT INTO media (platform, owner, ref, team_id, mime, size, sha256, touched_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
        file.platform,
        file.owner,
        file.ref,
        origin.teamId,
        file.mime,
        bytes.byteLength,
        file.sha256,
        at,
      )
      .one();
    for (let offset = 0, position = 0; offset < bytes.byteLength; offset += CHUNK_BYTES) {
      this.#sql.exec(
        "INSERT INTO media_chunks (media_id, position, bytes) VALUES (?, ?, ?)",
        id,
        position++,
        bytes.slice(offset, offset + CHUNK_BYTES).buffer,
      );
    }
  }

  find(platform: Platform, owner: string, ref: string, teamId: number): StoredMedia | null {
    const [row] = this.#sql
      .exec<MediaRow>(
        `SELECT id, mime, size, sha256 FROM media
         WHERE platform = ? AND owner = ? AND ref = ? AND team_id = ?`,
        platform,
        owner,
        ref,
        teamId,
      )
      .toArray();
    return row ? toStoredMedia(row) : null;
  }

  /** A file by its id; `teamId` null: whosever it is. */
  findById(id: number, teamId: number | null): StoredMedia | null {
    const [row] = this.#sql
      .exec<MediaRow>(
        "SELECT id, mime, size, sha256 FROM media WHERE id = ?1 AND (?2 IS NULL OR team_id = ?2)",
        id,
        teamId,
      )
      .toArray();
    return row ? toStoredMedia(row) : null;
  }

  /** The bytes, read from storage as they are asked for. */
  stream(id: number): ReadableStream<Uint8Array> {
    let position = 0;
    return new ReadableStream({
      type: "bytes",
      pull: (controller) => {
        const [row] = this.#sql
          .exec<{ bytes: ArrayBuffer }>(
            "SELECT bytes FROM media_chunks WHERE media_id = ? AND position = ?",
            id,
            position++,
          )
          .toArray();
        if (row) controller.enqueue(new Uint8Array(row.bytes));
        else controller.close();
      },
    });
  }

  #sweep(at: number): void {
    if (Math.abs(at - this.#sweptAt) < HOUR) return;
    this.#sweptAt = at;
    this.#delete(
      `touched_at < ? AND NOT EXISTS (SELECT 1 FROM post_media WHERE media_id = media.id)`,
      at - UNUSED_MEDIA_MS,
    );
  }

  #delete(where: string, ...bindings: SqlStorageValue[]): void {
    this.#sql.exec(
      `DELETE FROM media_chunks WHERE media_id IN (SELECT id FROM media WHERE ${where})`,
      ...bindings,
    );
    this.#sql.exec(`DELETE FROM media WHERE ${where}`, ...bindings);
  }

  /** Forgets the files of a team, or of all. */
  reset(teamId: number | null): void {
    this.#delete("(?1 IS NULL OR team_id = ?1)", teamId);
  }
}
