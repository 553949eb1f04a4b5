import { fromHex } from "../../core/ids.ts";
import { appendBody, readStored, reserveFile } from "../kit/files.ts";
import type { Call } from "../kit/simulator.ts";
import { toCid } from "./cid.ts";
import { authenticateService, SANDBOX_SERVICE_DID } from "./sessions.ts";
import { createJob, readAllowance } from "./video-jobs.ts";
import { invalidRequest, requireBody, requireParam, xrpcError } from "./xrpc.ts";

/** Source: lexicon app.bsky.embed.video. */
const MAX_VIDEO_BYTES = 300_000_000;
const VIDEO_TYPES = ["video/mp4", "video/mpeg", "video/quicktime", "video/webm", "image/gif"];

/** The service token must permit `uploadBlob` on the account's own server. */
export const authenticate = (call: Call) =>
  authenticateService(call, {
    audience: SANDBOX_SERVICE_DID,
    method: "com.atproto.repo.uploadBlob",
  });

export function requireAllowance(call: Call, did: string, sizeBytes: number): void {
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

export async function readVideo(call: Call, mediaId: number) {
  const { mime, sha256 } = await readStored(call.env.store, mediaId);
  const cid = toCid("raw", fromHex(sha256).buffer);
  return { isVideo: mime.startsWith("video/"), cid, sha256 };
}

/** Answers 409 with the earlier job for a known video. */
export async function uploadVideo(call: Call): Promise<Response> {
  const { account, expiresAt } = authenticate(call);
  if (requireParam(call, "did") !== account.did) {
    throw xrpcError(401, "AuthenticationRequired", "Authentication Required");
  }
  requireParam(call, "name");
  requireVideoType(requireBody(call));
  const declared = Number(call.req.header("content-length") ?? Number.NaN);
  if (!(declared > 0)) throw invalidRequest("A Content-Length header is required");
  requireAllowance(call, account.did, declared);
  const mediaId = reserveFile(call.env, { platform: "bluesky", owner: account.did });
  const stored = await appendBody(call.env.store, mediaId, 0, call.req.raw.body, declared);
  const { isVideo, ...video } = await readVideo(call, mediaId);
  if (stored === "too_large" || stored.bytes !== declared || !isVideo) {
    call.env.store.media.discard(mediaId);
    const reason = "The content of the file is not a supported video";
    throw invalidRequest(reason, "UnsupportedContentType");
  }
  const { status, isKnown } = createJob(call, account, {
    ...video,
    media_id: mediaId,
    size: declared,
    token_expires_at: expiresAt,
  });
  if (!isKnown) return Response.json(status);
  const conflict = { ...status, error: "already_exists", message: "Video already processed" };
  return Response.json(conflict, { status: 409 });
}
