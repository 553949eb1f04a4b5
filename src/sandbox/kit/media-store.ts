import type { ByteRange } from "../../core/byte-range.ts";
import { now } from "../../core/clock.ts";
import type { Platform } from "../../core/platforms.ts";
import { HOUR } from "../../core/time.ts";
import type { CallOrigin } from "./origin.ts";

/** A file as a simulated platform holds it. */
export interface StoredMedia {
  id: number;
  mime: string;
  sizeBytes: number;
  /** Lowercase hex. */
  sha256: string;
}

/** `owner`: the platform's id of the account that it was given to; `ref`: what the platform calls it. */
interface NewMedia {
  platform: Platform;
  owner: string;
  ref: string;
  mime: string;
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
export const SLICE_BYTES = 1_000_000;
/** Platforms collect files that no post uses "after minutes to hours". */
const UNUSED_MEDIA_MS = 6 * HOUR;

export type MediaRow = { id: number; mime: string; size: number; sha256: string };

export const toStoredMedia = ({ id, mime, size, sha256 }: MediaRow): StoredMedia => ({
  id,
  mime,
  sizeBytes: size,
  sha256,
});

/** The parts of the slices that make up a range of a file; null: the whole file. */
function planPieces(slices: { position: number; size: number }[], range: ByteRange | null) {
  const start = range?.offset ?? 0;
  const end = range ? range.offset + range.length : Number.POSITIVE_INFINITY;
  let offset = 0;
  return slices.flatMap(({ position, size }) => {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, size);
    offset += size;
    return from < to ? [{ position, from, length: to - from }] : [];
  });
}

/** The files of the simulated platforms, their bytes in slices that fit the storage. */
export class MediaStore {
  readonly #sql: SqlStorage;
  #sweptAt = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  #insert(origin: CallOrigin, file: NewMedia & { sizeBytes: number }, at: number): number {
    return this.#sql
      .exec<{ id: number }>(
        `INSERT INTO media (platform, owner, ref, team_id, mime, size, sha256, touched_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
        file.platform,
        file.owner,
        file.ref,
        origin.teamId,
        file.mime,
        file.sizeBytes,
        file.sha256,
        at,
      )
      .one().id;
  }

  /**
   * Makes room for a file that arrives piece by piece: `writeSlice`, then `seal` or `discard`.
   *
   * @param ref a name of its own until it is sealed
   */
  reserve(origin: CallOrigin, file: { platform: Platform; owner: string; ref: string }): number {
    const at = now().getTime();
    this.#sweep(at);
    const unknown = { mime: "application/octet-stream", sha256: "", sizeBytes: 0 };
    return this.#insert(origin, { ...file, ...unknown }, at);
  }

  /**
   * Slices follow each other by `position`, counted from 0; at most `SLICE_BYTES` each. Those of a file
   * that has been discarded meanwhile are dropped.
   */
  writeSlice(id: number, position: number, bytes: Uint8Array): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO media_chunks (media_id, position, bytes)
       SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM media WHERE id = ?1)`,
      id,
      position,
      bytes.slice().buffer,
    );
  }

  /** Gives a reserved file its name and type; where the owner has that file already, this one goes. */
  seal(id: number, file: { ref: string; mime: string; sha256: string }): void {
    const at = now().getTime();
    const [same] = this.#sql
      .exec<{ id: number }>(
        `SELECT known.id FROM media AS known
         JOIN media AS fresh USING (platform, owner, team_id)
         WHERE fresh.id = ? AND known.ref = ?`,
        id,
        file.ref,
      )
      .toArray();
    if (same) {
      this.#sql.exec("UPDATE media SET touched_at = ? WHERE id = ?", at, same.id);
      if (same.id !== id) this.discard(id);
      return;
    }
    this.#sql.exec(
      "UPDATE media SET ref = ?, mime = ?, sha256 = ?, size = ?, touched_at = ? WHERE id = ?",
      file.ref,
      file.mime,
      file.sha256,
      this.storedBytes(id),
      at,
      id,
    );
  }

  /** The number of bytes of a file that have arrived. */
  storedBytes(id: number): number {
    return this.#slicesOf(id).reduce((total, { size }) => total + size, 0);
  }

  discard(id: number): void {
    this.#delete("id = ?", id);
  }

  #slicesOf(id: number): { position: number; size: number }[] {
    return this.#sql
      .exec<{ position: number; size: number }>(
        "SELECT position, length(bytes) AS size FROM media_chunks WHERE media_id = ? ORDER BY position",
        id,
      )
      .toArray();
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

  /** The bytes, all or of a range, read from storage as they are asked for. */
  stream(id: number, range: ByteRange | null = null): ReadableStream<Uint8Array> {
    const pieces = planPieces(this.#slicesOf(id), range);
    return new ReadableStream({
      type: "bytes",
      pull: (controller) => {
        const piece = pieces.shift();
        const [row] = piece
          ? this.#sql
              .exec<{ bytes: ArrayBuffer }>(
                "SELECT bytes FROM media_chunks WHERE media_id = ? AND position = ?",
                id,
                piece.position,
              )
              .toArray()
          : [];
        if (piece && row) controller.enqueue(new Uint8Array(row.bytes, piece.from, piece.length));
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
