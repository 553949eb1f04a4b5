import { exports } from "cloudflare:workers";
import { detectFileType, FILE_TYPE_BYTES } from "../../core/file-type.ts";
import { randomHex, toHex } from "../../core/ids.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { SLICE_BYTES } from "../media-store.ts";
import type { Account } from "./accounts.ts";
import type { ContainerFields } from "./fields.ts";
import { type GraphCall, type GraphError, mediaError } from "./graph.ts";

/** Bytes. Source: platform notes, "Media rules". */
const MAX_IMAGE_BYTES = 8_000_000;
const MAX_VIDEO_BYTES = 300_000_000;
const MAX_STORY_VIDEO_BYTES = 100_000_000;
const VIDEO_TYPES = ["video/mp4", "video/quicktime"];

/** This service as others call it, without the way over the network. */
const ourselves = () => (exports as unknown as { default: { fetch: typeof fetch } }).default;

/** The one place that the simulated platforms can fetch files from: nothing leaves this machine. */
const isOurs = (url: URL): boolean => url.pathname.startsWith("/media/");

const unreachable = (): GraphError =>
  mediaError(9004, 2207052, "The media could not be fetched from this URI.");

/**
 * Fetches the file of a container, as Instagram does once it is created.
 *
 * @returns the id of the stored file, or why the container ends as ERROR
 */
export async function pullSource(
  call: GraphCall,
  account: Account,
  { kind, source }: ContainerFields,
): Promise<Result<number | null, GraphError>> {
  if (source === null) return ok(null);
  const url = new URL(source.url);
  if (!isOurs(url)) return refuse(unreachable());
  const reply = await ourselves().fetch(new Request(url, { redirect: "manual" }));
  if (!reply.ok || !reply.body) {
    await reply.body?.cancel();
    return refuse(unreachable());
  }
  const isVideo = source.kind === "video";
  const maxVideo = kind === "story" ? MAX_STORY_VIDEO_BYTES : MAX_VIDEO_BYTES;
  const stored = await store(call, account, reply.body, isVideo ? maxVideo : MAX_IMAGE_BYTES);
  const declaredType = reply.headers.get("content-type")?.split(";")[0];
  if (stored === "too_large") {
    return refuse(
      isVideo
        ? mediaError(352, 2207026, "The video is too large.")
        : mediaError(36000, 2207004, "The image is too large to download. It may have 8 MB."),
    );
  }
  const isGood = isVideo ? VIDEO_TYPES.includes(stored.mime) : stored.mime === "image/jpeg";
  if (!isGood || declaredType !== stored.mime) {
    call.store.media.discard(stored.id);
    return refuse(
      isVideo
        ? mediaError(352, 2207026, "The video format is not supported. Send MOV or MP4.")
        : mediaError(36001, 2207005, "The image format is not supported. Send JPEG."),
    );
  }
  return ok(seal(call, account, stored));
}

interface Stored {
  id: number;
  mime: string;
  sha256: string;
}

/** Keeps the bytes slice by slice as they come, so that no video is held in memory. */
async function store(
  call: GraphCall,
  account: Account,
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Stored | "too_large"> {
  const { media } = call.store;
  const ref = `pulled-${randomHex(10)}`;
  const id = media.reserve(call.origin, { platform: "instagram", owner: account.userId, ref });
  const digest = new crypto.DigestStream("SHA-256");
  const hash = digest.getWriter();
  const slice = new Uint8Array(SLICE_BYTES);
  const head = new Uint8Array(FILE_TYPE_BYTES);
  let filled = 0;
  let position = 0;
  let total = 0;
  for await (const piece of body) {
    if (total < head.length) head.set(piece.subarray(0, head.length - total), total);
    total += piece.byteLength;
    if (total > maxBytes) {
      await hash.abort();
      media.discard(id);
      return "too_large";
    }
    await hash.write(piece);
    for (let rest: Uint8Array = piece; rest.byteLength > 0; ) {
      const taken = rest.subarray(0, SLICE_BYTES - filled);
      slice.set(taken, filled);
      filled += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (filled < SLICE_BYTES) continue;
      media.writeSlice(id, position++, slice);
      filled = 0;
    }
  }
  if (filled > 0) media.writeSlice(id, position, slice.subarray(0, filled));
  await hash.close();
  const mime = detectFileType(head)?.mime ?? "application/octet-stream";
  return { id, mime, sha256: toHex(await digest.digest) };
}

/** The id under which the file stands: an earlier one where the account has it already. */
function seal(call: GraphCall, { userId }: Account, { id, mime, sha256 }: Stored): number {
  const { media } = call.store;
  media.seal(id, { ref: sha256, mime, sha256 });
  return media.find("instagram", userId, sha256, call.origin.teamId)?.id ?? id;
}
