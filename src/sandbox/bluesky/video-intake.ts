import { detectFileType, FILE_TYPE_BYTES } from "../../core/file-type.ts";
import { randomHex, toHex } from "../../core/ids.ts";
import { SLICE_BYTES } from "../media-store.ts";
import { toCid } from "./cid.ts";
import { type Account, authenticateService, SANDBOX_SERVICE_DID } from "./sessions.ts";
import { createJob, readAllowance } from "./video-jobs.ts";
import { invalidRequest, requireBody, requireParam, type XrpcCall, XrpcError } from "./xrpc.ts";

/** Source: lexicon app.bsky.embed.video. */
const MAX_VIDEO_BYTES = 300_000_000;
const VIDEO_TYPES = ["video/mp4", "video/mpeg", "video/quicktime", "video/webm", "image/gif"];

/** The token has to be good for writing the video to the account's server. */
export const authenticate = (call: XrpcCall) =>
  authenticateService(call, {
    audience: SANDBOX_SERVICE_DID,
    method: "com.atproto.repo.uploadBlob",
  });

export function requireAllowance(call: XrpcCall, did: string, sizeBytes: number): void {
  const allowance = readAllowance(call, did);
  if (sizeBytes > MAX_VIDEO_BYTES) {
    throw invalidRequest(
      `file size (${sizeBytes} bytes) is larger than the maximum allowed size (${MAX_VIDEO_BYTES} bytes)`,
      "VideoTooLarge",
    );
  }
  if (allowance.videos === 0 || allowance.bytes < sizeBytes) {
    throw invalidRequest("User has exceeded daily upload videos limit", "DailyLimitExceeded");
  }
}

export function requireVideoType(mime: string): void {
  if (VIDEO_TYPES.includes(mime)) return;
  throw invalidRequest(`Unsupported content type: ${mime}`, "UnsupportedContentType");
}

export const reserveMedia = (call: XrpcCall, { did }: Account, ref: string): number =>
  call.store.media.reserve(call.origin, { platform: "bluesky", owner: did, ref });

/** What a stored file is, by its bytes. */
export async function readVideo(call: XrpcCall, mediaId: number) {
  const { media } = call.store;
  const digest = new crypto.DigestStream("SHA-256");
  await media.stream(mediaId).pipeTo(digest);
  const sha256 = await digest.digest;
  const head = media.stream(mediaId, { offset: 0, length: FILE_TYPE_BYTES });
  const first = new Uint8Array(await new Response(head).arrayBuffer());
  const isVideo = detectFileType(first)?.kind === "video";
  return { isVideo, cid: toCid("raw", sha256), sha256: toHex(sha256) };
}

/** A whole video in one call. One that was had before is a conflict that names the earlier job. */
export async function uploadVideo(call: XrpcCall): Promise<Response> {
  const { account, expiresAt } = authenticate(call);
  if (requireParam(call, "did") !== account.did) {
    throw new XrpcError(401, "AuthenticationRequired", "Authentication Required");
  }
  requireParam(call, "name");
  requireVideoType(requireBody(call.request));
  const declared = Number(call.request.headers.get("content-length") ?? Number.NaN);
  if (!(declared > 0)) throw invalidRequest("A Content-Length header is required");
  requireAllowance(call, account.did, declared);
  const mediaId = reserveMedia(call, account, `whole-${randomHex(10)}`);
  const sizeBytes = await storeBody(call, mediaId);
  const video = await readVideo(call, mediaId);
  if (sizeBytes !== declared || !video.isVideo) {
    call.store.media.discard(mediaId);
    const reason = "The content of the file is not a supported video";
    throw invalidRequest(reason, "UnsupportedContentType");
  }
  const { status, isKnown } = createJob(call, account, {
    ...video,
    mediaId,
    sizeBytes,
    tokenExpiresAt: expiresAt,
  });
  if (!isKnown) return Response.json(status);
  const conflict = { ...status, error: "already_exists", message: "Video already processed" };
  return Response.json(conflict, { status: 409 });
}

/** Stores the body slice by slice; how many bytes it had. */
async function storeBody(call: XrpcCall, mediaId: number): Promise<number> {
  const slice = new Uint8Array(SLICE_BYTES);
  let filled = 0;
  let position = 0;
  let total = 0;
  const flush = () => {
    if (filled > 0) call.store.media.writeSlice(mediaId, position++, slice.subarray(0, filled));
    filled = 0;
  };
  for await (const piece of call.request.body ?? []) {
    total += piece.byteLength;
    for (let rest: Uint8Array = piece; rest.byteLength > 0; ) {
      const taken = rest.subarray(0, SLICE_BYTES - filled);
      slice.set(taken, filled);
      filled += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (filled === SLICE_BYTES) flush();
    }
  }
  flush();
  return total;
}
