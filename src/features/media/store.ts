import { imageDimensionsFromData } from "image-dimensions";
import { detectFileType, type FileType } from "../../core/file-type.ts";
import { randomHex, toHex } from "../../core/ids.ts";
import { ImageWalk } from "../../core/image-walk.ts";
import type { Deps } from "../../deps.ts";
import type { MediaItem } from "../../platforms/connector.ts";

/** Parts of an object in storage: all equal but the last. Source: R2, multipart limits. */
const PART_BYTES = 8 * 1024 * 1024;
/** Enough of an image's head to find its size behind large metadata. */
export const HEADER_BYTES = 64 * 1024;

const objectKeyOf = (teamId: number): string => `media/${teamId}/${randomHex(16)}`;

/** Team that owns an object, read from its key. */
export const teamOfObject = (objectKey: string): number => Number(objectKey.split("/")[1]);

/** A file that has been received into storage. */
export interface StoredFile extends MediaItem {
  objectKey: string;
  /** It begins like an image, and no decoder can read it to its end. */
  isDamaged: boolean;
  /** Pins its object, where others can put one; absent for what we stored ourselves. */
  etag?: string;
  /** SHA-256 of its bytes, where `sha256` is not that and they were read. */
  contentSha256?: string | null;
}

/** `empty`: no byte came. `unknown_type`: the bytes are no file that a platform takes. */
type StoreRefusal = "empty" | "unknown_type" | "too_large";

/**
 * Streams a file to storage while hashing it; at most one part is held in memory. A file that is refused or
 * breaks off leaves nothing behind.
 *
 * @param name what its sender calls it
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
    return { ...type, ...facts, sizeBytes: writer.sizeBytes };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** As `storeFile`, but nothing is stored: what the file is, by its bytes. Its `objectKey` is empty. */
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

/** Collects a part at a time; a file that fits one part is stored by a single put. */
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

  /** The first bytes of the file. */
  head(): Uint8Array {
    return this.firstBytes ?? this.buffer.subarray(0, Math.min(this.filled, HEADER_BYTES));
  }

  /** Completes the object; its SHA-256, lowercase hex. */
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

  /** Small files stay small in memory: the buffer doubles up to one part. */
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
