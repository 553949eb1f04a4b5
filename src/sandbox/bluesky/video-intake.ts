import { fromHex, randomHex } from "../../core/ids.ts";
import { appendBody, readStored } from "../kit/files.ts";
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
  const { mime, sha256 } = await readStored(call.store, mediaId);
  const cid = toCid("raw", fromHex(sha256).buffer);
  return { isVideo: mime.startsWith("video/"), cid, sha256 };
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
  const stored = await appendBody(call.store, mediaId, 0, call.request.body, declared);
  const video = await readVideo(call, mediaId);
  if (stored === "too_large" || stored.bytes !== declared || !video.isVideo) {
    call.store.media.discard(mediaId);
    const reason = "The content of the file is not a supported video";
    throw invalidRequest(reason, "UnsupportedContentType");
  }
  const { status, isKnown } = createJob(call, account, {
    ...video,
    mediaId,
    sizeBytes: declared,
    tokenExpiresAt: expiresAt,
  });
  if (!isKnown) return Response.json(status);
  const conflict = { ...status, error: "already_exists", message: "Video already processed" };
  return Response.json(conflict, { status: 409 });
}
