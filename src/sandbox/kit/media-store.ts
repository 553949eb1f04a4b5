import type { ByteRange } from "../../core/byte-range.ts";
import { now } from "../../core/clock.ts";
import type { Platform } from "../../core/platforms.ts";
import { HOUR } from "../../core/time.ts";
import { Turns } from "../../core/turns.ts";
import { type FeedTeam, isOfTeam } from "./feed-team.ts";
import type { CallOrigin } from "./origin.ts";
import { blob, integer, serial, Table, text } from "./table.ts";

export interface StoredMedia {
  id: number;
  mime: string;
  sizeBytes: number;
  /** Lowercase hex. Above 128 MiB, the hash omits slices of zeros. */
  sha256: string;
}

const mediaTable = new Table(
  "media",
  {
    id: serial(),
    platform: text<Platform>(),
    owner: text(),
    ref: text(),
    team_id: integer(),
    mime: text(),
    size: integer(),
    sha256: text(),
    touched_at: integer(),
  },
  { constraint: "UNIQUE (platform, owner, ref, team_id)" },
);

const chunks = new Table(
  "media_chunks",
  { media_id: integer(), position: integer(), bytes: blob() },
  { constraint: "PRIMARY KEY (media_id, position)" },
);

/** Stored as a length, so that tests of very large files need no space. */
const zeros = new Table(
  "media_zeros",
  { media_id: integer(), position: integer(), size: integer() },
  { constraint: "PRIMARY KEY (media_id, position)" },
);

export const MEDIA_TABLES = [mediaTable, chunks, zeros];

/** A Durable Object stores values of at most 2 MB. */
export const SLICE_BYTES = 1_000_000;
/** Hashing 10 GiB would block the Durable Object for longer than a caller waits. */
const WHOLLY_HASHED_BYTES = 128 * 1_024 ** 2;
/** Platforms delete unused files "after minutes to hours". */
const UNUSED_MEDIA_MS = 6 * HOUR;

export type MediaRow = { id: number; mime: string; size: number; sha256: string };

export const toStoredMedia = ({ id, mime, size, sha256 }: MediaRow): StoredMedia => ({
  id,
  mime,
  sizeBytes: size,
  sha256,
});

const isZero = (bytes: Uint8Array): boolean =>
  bytes[0] === 0 && crypto.subtle.timingSafeEqual(bytes, new Uint8Array(bytes.length));

interface Slice extends Record<string, SqlStorageValue> {
  position: number;
  size: number;
  zero: number;
}

function planPieces(slices: readonly Slice[], range: ByteRange | null) {
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

export class MediaStore {
  readonly #store: { sql: SqlStorage };
  #sweptAt = 0;

  constructor(sql: SqlStorage) {
    this.#store = { sql };
  }

  /**
   * To be filled by `writeSlice`, then sealed or discarded.
   *
   * @param ref a temporary unique name
   */
  reserve(
    { teamId }: CallOrigin,
    file: { platform: Platform; owner: string; ref: string },
  ): number {
    const at = now().getTime();
    this.#sweep(at);
    const unknown = { mime: "application/octet-stream", size: 0, sha256: "" };
    const row = { ...file, ...unknown, team_id: teamId, touched_at: at };
    return mediaTable.insert(this.#store, row);
  }

  /** `position`: the slice's number, from 0. Slices of a discarded file are dropped. */
  writeSlice(id: number, position: number, bytes: Uint8Array): void {
    if (!mediaTable.find(this.#store, { id })) return;
    const own = { media_id: id, position };
    chunks.delete(this.#store, own);
    zeros.delete(this.#store, own);
    if (isZero(bytes)) zeros.insert(this.#store, { ...own, size: bytes.length });
    else chunks.insert(this.#store, { ...own, bytes: bytes.slice().buffer });
  }

  /** Discards the file when the owner already has this name. */
  seal(id: number, file: { ref: string; mime: string; sha256: string }): void {
    const touched_at = now().getTime();
    const fresh = mediaTable.find(this.#store, { id });
    if (!fresh) return;
    const { platform, owner, team_id } = fresh;
    const same = mediaTable.find(this.#store, { platform, owner, team_id, ref: file.ref });
    const changed = same ? { touched_at } : { ...file, size: this.storedBytes(id), touched_at };
    mediaTable.update(this.#store, { id: same?.id ?? id }, changed);
    if (same && same.id !== id) this.discard(id);
  }

  storedBytes(id: number): number {
    return this.#slicesOf(id).reduce((total, { size }) => total + size, 0);
  }

  discard(id: number): void {
    this.#delete("id = ?", id);
  }

  #slicesOf(id: number): Slice[] {
    return this.#store.sql
      .exec<Slice>(
        `SELECT position, length(bytes) AS size, 0 AS zero FROM media_chunks WHERE media_id = ?1
         UNION ALL SELECT position, size, 1 FROM media_zeros WHERE media_id = ?1 ORDER BY position`,
        id,
      )
      .toArray();
  }

  find(platform: Platform, owner: string, ref: string, teamId: number): StoredMedia | null {
    const row = mediaTable.find(this.#store, { platform, owner, ref, team_id: teamId });
    return row && toStoredMedia(row);
  }

  findById(id: number, teamId: FeedTeam): StoredMedia | null {
    const row = mediaTable.find(this.#store, { id }, `AND ${isOfTeam("?2")}`, teamId);
    return row && toStoredMedia(row);
  }

  stream(id: number, range: ByteRange | null = null): ReadableStream<Uint8Array> {
    return this.#streamOf(id, planPieces(this.#slicesOf(id), range));
  }

  /** The hashed bytes. */
  identity(id: number): ReadableStream<Uint8Array> {
    const slices = this.#slicesOf(id);
    const isLarge = this.storedBytes(id) > WHOLLY_HASHED_BYTES;
    const hashedSlices = isLarge ? slices.filter(({ zero }) => zero === 0) : slices;
    return this.#streamOf(id, planPieces(hashedSlices, null));
  }

  #streamOf(id: number, pieces: ReturnType<typeof planPieces>): ReadableStream<Uint8Array> {
    const turns = new Turns();
    return new ReadableStream({
      type: "bytes",
      pull: async (controller) => {
        const piece = pieces.shift();
        await turns.passed(piece?.length ?? 0);
        const bytes = piece && this.#readSlice(id, piece.position);
        if (bytes) controller.enqueue(bytes.subarray(piece.from, piece.from + piece.length));
        else controller.close();
      },
    });
  }

  #readSlice(media_id: number, position: number): Uint8Array | null {
    const row = chunks.find(this.#store, { media_id, position });
    if (row) return new Uint8Array(row.bytes);
    const empty = zeros.find(this.#store, { media_id, position });
    return empty && new Uint8Array(empty.size);
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
    for (const slices of ["media_chunks", "media_zeros"]) {
      this.#store.sql.exec(
        `DELETE FROM ${slices} WHERE media_id IN (SELECT id FROM media WHERE ${where})`,
        ...bindings,
      );
    }
    this.#store.sql.exec(`DELETE FROM media WHERE ${where}`, ...bindings);
  }

  reset(teamId: FeedTeam): void {
    this.#delete(isOfTeam("?1"), teamId);
  }
}
