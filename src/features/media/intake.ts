import { imageDimensionsFromData } from "image-dimensions";
import { cleanFileName, fileNameInUrl } from "../../core/file-name.ts";
import { detectFileType, detectSubtitles, type FileType } from "../../core/file-type.ts";
import { randomHex, toHex } from "../../core/ids.ts";
import { ImageWalk } from "../../core/image-walk.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Deps } from "../../deps.ts";
import { DAMAGED } from "./files.ts";
import { replaceObject } from "./repo.ts";
import type { StoredFile } from "./table.ts";

/** Source: R2, multipart limits: all parts but the last are equal. */
const PART_BYTES = 8 * 1024 * 1024;

/** Enough to find an image's dimensions behind large metadata. */
export const HEADER_BYTES = 64 * 1024;

const objectKeyOf = (teamId: number): string => `media/${teamId}/${randomHex(16)}`;

export const teamOfObject = (objectKey: string): number => Number(objectKey.split("/")[1]);

/** `unknown_type`: no platform takes the file. */
type StoreRefusal = "empty" | "unknown_type" | "too_large";

/**
 * Holds at most one part in memory. Refused or interrupted files leave nothing behind.
 *
 * @throws whatever the source throws
 */
export async function storeFile(
  deps: Pick<Deps, "media">,
  teamId: number,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  name = "",
  detect: (head: Uint8Array, name: string) => FileType | null = detectFileType,
): Promise<StoredFile | StoreRefusal> {
  const objectKey = objectKeyOf(teamId);
  const writer = new PartWriter(deps.media, objectKey);
  const walk = new ImageWalk();
  try {
    for await (const chunk of source) {
      walk.write(chunk);
      await writer.write(chunk);
      if (writer.sizeBytes > maxBytes) return await refuse(writer, "too_large");
    }
    if (writer.sizeBytes === 0) return await refuse(writer, "empty");
    const head = writer.head();
    const type = detect(head, name);
    if (!type) return await refuse(writer, "unknown_type");
    const sha256 = await writer.finish(type.mime);
    const facts = { ...imageFacts(type, head, walk), objectKey, sha256 };
    return { ...type, ...facts, sizeBytes: writer.sizeBytes, name: cleanFileName(name) };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** Stores nothing; `objectKey` stays empty. */
export async function measureFile(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  name = "",
): Promise<StoredFile | StoreRefusal> {
  const digest = new crypto.DigestStream("SHA-256");
  const hashing = digest.getWriter();
  const head = new Uint8Array(HEADER_BYTES);
  const walk = new ImageWalk();
  let sizeBytes = 0;
  for await (const chunk of source) {
    walk.write(chunk);
    if (sizeBytes < head.length) head.set(chunk.subarray(0, head.length - sizeBytes), sizeBytes);
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) return "too_large";
    await hashing.write(chunk);
  }
  await hashing.close();
  if (sizeBytes === 0) return "empty";
  const first = head.subarray(0, Math.min(sizeBytes, head.length));
  const type = detectFileType(first, name);
  if (!type) return "unknown_type";
  const sha256 = toHex(await digest.digest);
  return { ...type, ...imageFacts(type, first, walk), objectKey: "", sha256, sizeBytes };
}

async function refuse(writer: PartWriter, refusal: StoreRefusal): Promise<StoreRefusal> {
  await writer.abandon();
  return refusal;
}

function imageFacts({ kind }: FileType, head: Uint8Array, walk: ImageWalk) {
  const size = kind === "image" ? imageDimensionsFromData(head) : undefined;
  return {
    width: size?.width ?? null,
    height: size?.height ?? null,
    isDamaged: kind === "image" && !walk.isWhole,
  };
}

/** Sends a small file by a single PUT. */
class PartWriter {
  sizeBytes = 0;
  private readonly bucket: R2Bucket;
  private readonly key: string;
  private readonly digest = new crypto.DigestStream("SHA-256");
  private readonly hashing = this.digest.getWriter();
  private buffer = new Uint8Array(64 * 1024);
  private filled = 0;
  private firstBytes: Uint8Array | null = null;
  private multipart: R2MultipartUpload | null = null;
  private parts: R2UploadedPart[] = [];
  private isFinished = false;

  constructor(bucket: R2Bucket, key: string) {
    this.bucket = bucket;
    this.key = key;
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.hashing.write(chunk);
    this.sizeBytes += chunk.length;
    for (let rest = chunk; rest.length > 0; ) {
      const taken = rest.subarray(0, PART_BYTES - this.filled);
      this.makeRoom(taken.length);
      this.buffer.set(taken, this.filled);
      this.filled += taken.length;
      rest = rest.subarray(taken.length);
      if (this.filled === PART_BYTES && rest.length > 0) await this.flushPart();
    }
  }

  head(): Uint8Array {
    return this.firstBytes ?? this.buffer.subarray(0, Math.min(this.filled, HEADER_BYTES));
  }

  /** Returns the SHA-256 in lowercase hex. */
  async finish(mime: string): Promise<string> {
    await this.hashing.close();
    if (this.multipart) {
      await this.flushPart();
      await this.multipart.complete(this.parts);
    } else {
      const httpMetadata = { contentType: mime };
      await this.bucket.put(this.key, this.buffer.subarray(0, this.filled), { httpMetadata });
    }
    this.isFinished = true;
    return toHex(await this.digest.digest);
  }

  async abandon(): Promise<void> {
    this.digest.digest.catch(() => {});
    await this.hashing.abort().catch(() => {});
    if (this.isFinished) await this.bucket.delete(this.key);
    else await this.multipart?.abort().catch(() => {});
  }

  private makeRoom(bytes: number): void {
    const needed = this.filled + bytes;
    if (needed <= this.buffer.length) return;
    const larger = new Uint8Array(Math.min(PART_BYTES, Math.max(needed, this.buffer.length * 2)));
    larger.set(this.buffer.subarray(0, this.filled));
    this.buffer = larger;
  }

  private async flushPart(): Promise<void> {
    this.firstBytes ??= this.buffer.slice(0, HEADER_BYTES);
    this.multipart ??= await this.bucket.createMultipartUpload(this.key);
    const part = this.buffer.subarray(0, this.filled);
    this.parts.push(await this.multipart.uploadPart(this.parts.length + 1, part));
    this.filled = 0;
  }
}

/** Source: spec, "Other": media given by URL. */
const MAX_DOWNLOAD_BYTES = 200_000_000;

const MEGABYTE = 1_000_000;

const tooLarge = (bytes: number) =>
  `The file at the media URL is larger than ${Math.floor(bytes / MEGABYTE)} MB.`;

const MAX_REDIRECTS = 3;

/** For a whole download, including redirects. */
export const DOWNLOAD_SECONDS = 300;

interface Recipient {
  signal: AbortSignal;
  /**
   * Called while bytes arrive.
   *
   * @throws to stop the download
   */
  moved(): Promise<void>;
}

export function refusedMediaUrl(deps: Pick<Deps, "config">, url: string): string | null {
  const { publicUrl, isDevelopment } = deps.config;
  return refusedUrl(url, {
    allowHttp: true,
    allowLoopback: isDevelopment,
    ownHosts: publicUrl ? [new URL(publicUrl).host] : [],
  });
}

const detectImage = (head: Uint8Array): FileType | null => {
  const type = detectFileType(head);
  return type?.kind === "image" ? type : null;
};

const ACCEPTED = {
  media: { detect: detectFileType, words: "an image, video or document of a known type" },
  image: { detect: detectImage, words: "an image of a known type" },
  subtitles: { detect: detectSubtitles, words: "a file of subtitles, SRT or WebVTT" },
} as const;

/** Any media up to 200 MB, or the file of a setting. */
interface Expected {
  kind: keyof typeof ACCEPTED;
  maxBytes: number;
}

const ANY_MEDIA: Expected = { kind: "media", maxBytes: MAX_DOWNLOAD_BYTES };

type Downloaded =
  | { kind: "stored"; file: StoredFile }
  /** `transient`: a later try may succeed. */
  | { kind: "unreachable"; message: string; transient: boolean }
  | { kind: "invalid"; message: string };

export async function downloadMedia(
  deps: Deps,
  teamId: number,
  url: string,
  recipient: Recipient,
  expected = ANY_MEDIA,
): Promise<Downloaded> {
  let address = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const refusal = refusedMediaUrl(deps, address);
    if (refusal) return unreachable(`The media URL ${refusal}.`);
    const response = await fetchOrNull(deps, address, recipient.signal);
    if (!response) return unreachable("The media URL did not answer.", true);
    const target = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && target) {
      await response.body?.cancel();
      if (!URL.canParse(target, address)) {
        return unreachable("The media URL answered with a redirect that names no address.");
      }
      address = new URL(target, address).href;
      continue;
    }
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      const isTheirs = response.status >= 500 || response.status === 429;
      return unreachable(`The media URL answered with status ${response.status}.`, isTheirs);
    }
    if (Number(response.headers.get("content-length")) > expected.maxBytes) {
      await response.body.cancel();
      return { kind: "invalid", message: tooLarge(expected.maxBytes) };
    }
    const pieces = telling(response.body, recipient);
    return receive(deps, teamId, pieces, fileNameInUrl(new URL(address)), expected);
  }
  return unreachable(`The media URL redirects more than ${MAX_REDIRECTS} times.`);
}

const unreachable = (message: string, transient = false): Downloaded => ({
  kind: "unreachable",
  message,
  transient,
});

async function fetchOrNull(deps: Deps, url: string, signal: AbortSignal): Promise<Response | null> {
  try {
    return await deps.fetch(url, { signal });
  } catch {
    return null;
  }
}

async function* telling(body: ReadableStream<Uint8Array>, { moved }: Recipient) {
  for await (const piece of body) {
    await moved();
    yield piece;
  }
}

async function receive(
  deps: Deps,
  teamId: number,
  body: AsyncIterable<Uint8Array>,
  name: string,
  { kind, maxBytes }: Expected,
): Promise<Downloaded> {
  const { detect, words } = ACCEPTED[kind];
  let stored: Awaited<ReturnType<typeof storeFile>>;
  try {
    stored = await storeFile(deps, teamId, body, maxBytes, name, detect);
  } catch {
    return unreachable("The download from the media URL stopped before the end of the file.", true);
  }
  if (typeof stored === "object") {
    if (!stored.isDamaged) return { kind: "stored", file: stored };
    await deps.media.delete(stored.objectKey);
    return { kind: "invalid", message: `${DAMAGED} It came from the media URL.` };
  }
  const problem = {
    empty: "The file at the media URL is empty.",
    too_large: tooLarge(maxBytes),
    unknown_type: `The file at the media URL is not ${words}.`,
  };
  return { kind: "invalid", message: problem[stored] };
}

/**
 * Takes the new object for a file that the team has already, when its object is gone: as after a restore without files.
 *
 * @param known the object that the row of the file names
 * @returns false when the new object is not needed
 */
export async function replaceIfGone(
  { db, media }: Pick<Deps, "db" | "media">,
  teamId: number,
  file: StoredFile,
  known: string,
): Promise<boolean> {
  if (known === file.objectKey) return false;
  const isGone = await media.head(known).then(
    (object) => object === null,
    () => false,
  );
  if (!isGone) return false;
  // Without an answer, the row may name the new object, so the object stays.
  const changed = await db.run([replaceObject(teamId, file, known)]).then(
    ([count]) => count,
    () => 1,
  );
  return changed === 1;
}
