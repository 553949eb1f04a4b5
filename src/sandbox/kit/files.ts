import { exports } from "cloudflare:workers";
import { detectFileType, FILE_TYPE_BYTES } from "../../core/file-type.ts";
import { randomHex, toHex } from "../../core/ids.ts";
import type { Platform } from "../../core/platforms.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { Turns } from "../../core/turns.ts";
import { SLICE_BYTES } from "./media-store.ts";
import type { Sandbox } from "./simulator.ts";
import type { SandboxStore } from "./store.ts";

export interface FileOwner {
  platform: Platform;
  owner: string;
}

export const UNKNOWN_TYPE = "application/octet-stream";

/** Found in a file's bytes, not declared by the sender. */
interface ReadFile {
  mime: string;
  sha256: string;
  sizeBytes: number;
}

export interface StoredFile extends ReadFile {
  id: number;
}

type Body = ReadableStream<Uint8Array> | null;

/** Stores slices, numbered from `position`, without holding the whole body in memory. */
export async function appendBody(
  store: SandboxStore,
  mediaId: number,
  position: number,
  body: Body,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<{ bytes: number; slices: number } | "too_large"> {
  const slice = new Uint8Array(SLICE_BYTES);
  let filled = 0;
  let slices = 0;
  let bytes = 0;
  const flush = () => {
    if (filled > 0) store.media.writeSlice(mediaId, position + slices++, slice.subarray(0, filled));
    filled = 0;
  };
  const turns = new Turns();
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) return "too_large";
    await turns.passed(piece.byteLength);
    for (let rest: Uint8Array = piece; rest.byteLength > 0; ) {
      const taken = rest.subarray(0, SLICE_BYTES - filled);
      slice.set(taken, filled);
      filled += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (filled === SLICE_BYTES) flush();
    }
  }
  flush();
  return { bytes, slices };
}

export async function readStored({ media }: SandboxStore, mediaId: number): Promise<ReadFile> {
  const digest = new crypto.DigestStream("SHA-256");
  await media.identity(mediaId).pipeTo(digest);
  const head = media.stream(mediaId, { offset: 0, length: FILE_TYPE_BYTES });
  const first = new Uint8Array(await new Response(head).arrayBuffer());
  return {
    mime: detectFileType(first)?.mime ?? UNKNOWN_TYPE,
    sha256: toHex(await digest.digest),
    sizeBytes: media.storedBytes(mediaId),
  };
}

/** When the owner already has the content, returns the older file's id. */
export function sealFile(
  { store, origin }: Sandbox,
  { platform, owner }: FileOwner,
  mediaId: number,
  { mime, sha256 }: ReadFile,
): number {
  store.media.seal(mediaId, { ref: sha256, mime, sha256 });
  return store.media.find(platform, owner, sha256, origin.teamId)?.id ?? mediaId;
}

export const reserveFile = ({ store, origin }: Sandbox, file: FileOwner): number =>
  store.media.reserve(origin, { ...file, ref: `coming-${randomHex(10)}` });

/** Leaves the file unsealed, so that the platform can still refuse and discard it. */
export async function storeFile(
  sandbox: Sandbox,
  file: FileOwner,
  body: Body,
  maxBytes: number,
): Promise<StoredFile | "too_large"> {
  const { store } = sandbox;
  const id = reserveFile(sandbox, file);
  if ((await appendBody(store, id, 0, body, maxBytes)) === "too_large") {
    store.media.discard(id);
    return "too_large";
  }
  return { id, ...(await readStored(store, id)) };
}

type PullProblem = "unreachable" | "too_large" | "wrong_type";

export function keepFile(
  sandbox: Sandbox,
  file: FileOwner,
  stored: StoredFile,
  isTaken: (mime: string) => boolean,
): number | null {
  if (isTaken(stored.mime)) return sealFile(sandbox, file, stored.id, stored);
  sandbox.store.media.discard(stored.id);
  return null;
}

const ourselves = () => (exports as unknown as { default: { fetch: typeof fetch } }).default;

/** Files come only from this instance: no request leaves the machine. */
const isOurs = (url: string): boolean =>
  URL.canParse(url) && new URL(url).pathname.startsWith("/media/");

export async function pullFile(
  sandbox: Sandbox,
  file: FileOwner,
  url: string,
  maxBytes: number,
): Promise<Result<StoredFile & { declaredType: string }, PullProblem>> {
  if (!isOurs(url)) return refuse("unreachable");
  const reply = await ourselves().fetch(new Request(url, { redirect: "manual" }));
  if (!reply.ok || !reply.body) {
    await reply.body?.cancel();
    return refuse("unreachable");
  }
  const declaredType = reply.headers.get("content-type")?.split(";")[0] ?? "";
  const stored = await storeFile(sandbox, file, reply.body, maxBytes);
  return stored === "too_large" ? refuse("too_large") : ok({ ...stored, declaredType });
}

/** The bytes and the declared type must both be listed. */
export async function pullTyped(
  sandbox: Sandbox,
  file: FileOwner,
  url: string,
  { maxBytes, types }: { maxBytes: number; types: readonly string[] },
): Promise<Result<number, PullProblem>> {
  const pulled = await pullFile(sandbox, file, url, maxBytes);
  if (!pulled.ok) return pulled;
  const { declaredType } = pulled.value;
  const isTaken = (mime: string) => mime === declaredType && types.includes(mime);
  const id = keepFile(sandbox, file, pulled.value, isTaken);
  return id === null ? refuse("wrong_type") : ok(id);
}
