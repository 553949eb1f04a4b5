import { imageDimensionsFromData } from "image-dimensions";
import { detectFileType, officeNameOf } from "../../core/file-type.ts";
import { toHex } from "../../core/ids.ts";
import { ImageWalk } from "../../core/image-walk.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";
import { HEADER_BYTES } from "../media/intake.ts";
import type { StoredFile } from "../media/table.ts";
import { keyInUrl, readOwnUrl, teamOfPresigned } from "./address.ts";

/** `refusal`: the end of a sentence. */
export type Resolved = StoredFile | { refusal: string };

const CHANGED =
  "the address is of this service, and not one that POST /upload/presign gave out. Pass bucketUrl or accessUrl unchanged.";
const NOT_THERE =
  "no uploaded file of your team is at this address. Finish its upload, or presign and upload it again.";
const UNKNOWN_TYPE =
  "the file is not an image, video or document of a known type. Its bytes decide that, not its declared type.";

/** Larger images are not checked for damage. */
const MAX_IMAGE_BYTES = 20_000_000;

/**
 * The file's bytes decide type and size. Another team's file counts as missing. Returns null for a foreign origin,
 * unless the team has the file: an instance may have several hosts.
 */
export async function resolvePresigned(
  deps: Pick<Deps, "media">,
  { origin, url, teamId }: { origin: string; url: string; teamId: number },
): Promise<Resolved | null> {
  const own = readOwnUrl(origin, url);
  if (own === null) {
    const objectKey = keyInUrl(url);
    if (!objectKey || teamOfPresigned(objectKey) !== teamId) return null;
    const file = await readObject(deps, objectKey);
    return "refusal" in file && file.refusal === NOT_THERE ? null : file;
  }
  if (own === "changed") return { refusal: CHANGED };
  if (teamOfPresigned(own.objectKey) !== teamId) return { refusal: NOT_THERE };
  return readObject(deps, own.objectKey);
}

async function readObject({ media }: Pick<Deps, "media">, objectKey: string): Promise<Resolved> {
  const object = await media.get(objectKey, { range: { offset: 0, length: HEADER_BYTES } });
  if (!object) return { refusal: NOT_THERE };
  const { etag, size: sizeBytes, httpMetadata } = object;
  const head = new Uint8Array(await object.arrayBuffer());
  const type = detectFileType(head, officeNameOf(httpMetadata?.contentType ?? ""));
  if (!type) return { refusal: UNKNOWN_TYPE };
  const sha256 = await sha256Hex(`presigned|${objectKey}|${etag}|${sizeBytes}`);
  const isWhole = sizeBytes <= head.length;
  const contentSha256 = isWhole ? await sha256Hex(head) : null;
  const file = { ...type, objectKey, etag, sizeBytes, sha256, contentSha256 };
  if (type.kind !== "image") return { ...file, width: null, height: null, isDamaged: false };
  const size = imageDimensionsFromData(head);
  const facts = { width: size?.width ?? null, height: size?.height ?? null };
  if (sizeBytes > MAX_IMAGE_BYTES) return { ...file, ...facts, isDamaged: false };
  const walk = new ImageWalk();
  if (isWhole) {
    walk.write(head);
    return { ...file, ...facts, isDamaged: !walk.isWhole };
  }
  const whole = await media.get(objectKey, { onlyIf: { etagMatches: etag } });
  if (!whole || !("body" in whole)) return { refusal: NOT_THERE };
  const digest = new crypto.DigestStream("SHA-256");
  const hashing = digest.getWriter();
  for await (const chunk of whole.body) {
    walk.write(chunk);
    await hashing.write(chunk);
  }
  await hashing.close();
  const content = toHex(await digest.digest);
  return { ...file, contentSha256: content, ...facts, isDamaged: !walk.isWhole };
}
