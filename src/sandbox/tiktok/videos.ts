import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { HOUR } from "../../core/time.ts";
import { appendBody, keepFile, readStored, reserveFile } from "../kit/files.ts";
import { type Call, deliver } from "../kit/simulator.ts";
import { requireAccepted, steer } from "../kit/steered.ts";
import { type Account, authenticate, PRIVACY_OPTIONS } from "./accounts.ts";
import { answer, invalidParams, readInput, refusal } from "./call.ts";
import { deliveryWords, openingWords, refusalsOf } from "./steering.ts";
import {
  accept,
  findTask,
  type NewTask,
  openTask,
  requirePrivacy,
  textOf,
  type Upload,
  uploads,
} from "./tasks.ts";

/** Source: TikTok, "Direct Post" and "Media Transfer Guide". */
const MAX_VIDEO_BYTES = 4_294_967_296;
/** TikTok may mean MB or MiB, so the stricter reading applies. */
const MIN_CHUNK_BYTES = 5_242_880;
const MAX_CHUNK_BYTES = 64_000_000;
const MAX_CHUNKS = 1_000;
const MAX_CAPTION_UNITS = 2_200;
const UPLOAD_MS = HOUR;
const UPLOADS = "https://open-upload.tiktokapis.com";
const REFUSALS = refusalsOf({ isPulled: false });
const VIDEO_TYPES = ["video/mp4", "video/quicktime", "video/webm"];

const sourceInfo = z.strictObject({
  source: z.literal("FILE_UPLOAD"),
  video_size: z.int().min(1).max(MAX_VIDEO_BYTES),
  chunk_size: z.int().min(1),
  total_chunk_count: z.int().min(1).max(MAX_CHUNKS),
});

const directInput = z.strictObject({
  post_info: z.strictObject({
    privacy_level: z.string(),
    title: z.string().max(MAX_CAPTION_UNITS).default(""),
    disable_duet: z.boolean().optional(),
    disable_stitch: z.boolean().optional(),
    disable_comment: z.boolean().optional(),
    video_cover_timestamp_ms: z.int32().min(0).optional(),
    brand_content_toggle: z.boolean(),
    brand_organic_toggle: z.boolean().optional(),
    is_aigc: z.boolean().optional(),
  }),
  source_info: sourceInfo,
});

const inboxInput = z.strictObject({ source_info: sourceInfo });

type Source = z.output<typeof sourceInfo>;

function requireChunkPlan({ video_size, chunk_size, total_chunk_count }: Source): void {
  const isWhole = chunk_size === video_size;
  if (total_chunk_count === 1 ? !isWhole : chunk_size < MIN_CHUNK_BYTES) {
    throw invalidParams("The chunk size is invalid");
  }
  if (chunk_size > MAX_CHUNK_BYTES) throw invalidParams("The chunk size is invalid");
  if (total_chunk_count !== Math.floor(video_size / chunk_size)) {
    throw invalidParams("The total chunk count is invalid");
  }
}

function openUpload(call: Call, account: Account, task: NewTask, source: Source): Response {
  const { publish_id } = openTask(call, account, task);
  const upload_token = randomHex(16);
  const { store } = call.env;
  const owner = { platform: "tiktok", owner: account.openId } as const;
  uploads.insert(store, {
    publish_id,
    upload_token,
    media_id: reserveFile(call.env, owner),
    size: source.video_size,
    chunk_size: source.chunk_size,
    chunk_count: source.total_chunk_count,
    expires_at: now().getTime() + UPLOAD_MS,
  });
  const query = new URLSearchParams({ upload_id: publish_id, upload_token });
  return answer({ publish_id, upload_url: `${UPLOADS}/video/?${query}` });
}

export async function initVideo(call: Call): Promise<Response> {
  const { account, token } = await authenticate(call, "video.publish");
  const input = await readInput(call, directInput);
  const { privacy_level, title, brand_content_toggle } = input.post_info;
  requirePrivacy(call, account, privacy_level, PRIVACY_OPTIONS, brand_content_toggle);
  requireChunkPlan(input.source_info);
  steer(call.env, REFUSALS, { key: account.openId, text: openingWords(title), token });
  const task = { is_video: true, is_inbox: false, privacy: privacy_level, title, description: "" };
  return openUpload(call, account, { ...task, fields: input }, input.source_info);
}

export async function initInboxVideo(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "video.upload");
  const input = await readInput(call, inboxInput);
  requireChunkPlan(input.source_info);
  const task = { is_video: true, is_inbox: true, privacy: "", title: "", description: "" };
  return openUpload(call, account, { ...task, fields: input }, input.source_info);
}

function requireUpload(call: Call): Upload {
  const publishId = call.req.query("upload_id") ?? "";
  const uploadToken = call.req.query("upload_token") ?? "";
  const upload = uploads.find(call.env.store, {
    publish_id: publishId,
    upload_token: uploadToken,
  });
  if (!upload || !findTask(call, publishId)) {
    throw refusal(404, "upload_not_found", "There is no such upload task.");
  }
  if (upload.expires_at <= now().getTime()) {
    throw refusal(403, "upload_url_expired", "The upload_url has expired.");
  }
  return upload;
}

const progress = ({ received, size }: Upload) => ({
  "content-range": `bytes 0-${received}/${size}`,
});

function requireChunk(call: Call, upload: Upload): { length: number; isLast: boolean } {
  const { headers } = call.req.raw;
  const badRequest = (message: string) => refusal(400, "invalid_chunk", message);
  if (!VIDEO_TYPES.includes(headers.get("content-type") ?? "")) {
    throw badRequest("The Content-Type must be video/mp4, video/quicktime or video/webm");
  }
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "");
  const [, first, last, total] = range ?? [];
  if (!range || Number(total) !== upload.size) throw badRequest("The Content-Range is invalid");
  if (Number(first) !== upload.received) {
    throw refusal(
      416,
      "invalid_range",
      "The Content-Range does not match the progress of the upload.",
      progress(upload),
    );
  }
  const isLast = upload.chunks === upload.chunk_count - 1;
  const expected = isLast ? upload.size - upload.received : upload.chunk_size;
  const length = Number(last) - Number(first) + 1;
  if (length !== expected) throw badRequest(`The chunk must have ${expected} bytes`);
  if (Number(headers.get("content-length")) !== length) {
    throw badRequest("The Content-Length does not match the Content-Range");
  }
  return { length, isLast };
}

/** Anyone with the address may send the chunk. */
export async function putChunk(call: Call): Promise<Response> {
  const upload = requireUpload(call);
  const { length, isLast } = requireChunk(call, upload);
  const task = findTask(call, upload.publish_id);
  if (!task) throw refusal(404, "upload_not_found", "There is no such upload task.");
  const words = isLast ? deliveryWords(textOf(task)) : "";
  const verdict = call.env.store.steer(call.env.origin, upload.publish_id, words, "");
  if (verdict.kind !== "accepted") await call.req.raw.body?.cancel();
  const reply = requireAccepted(verdict, REFUSALS);
  const stored = await appendBody(
    call.env.store,
    upload.media_id,
    upload.slices,
    call.req.raw.body,
    length,
  );
  // Another call may have delivered the same chunk.
  const current = requireUpload(call);
  if (current.received !== upload.received) requireChunk(call, current);
  if (stored === "too_large" || stored.bytes !== length) {
    throw refusal(400, "invalid_chunk", "The chunk has another length than it says.");
  }
  const received = upload.received + length;
  const changed = {
    chunks: upload.chunks + 1,
    received,
    slices: upload.slices + stored.slices,
  };
  uploads.update(call.env.store, { publish_id: upload.publish_id }, changed);
  const headers = progress({ ...upload, received });
  if (!isLast) return new Response(null, { status: 206, headers });
  const owner = { platform: "tiktok", owner: task.open_id } as const;
  const file = { id: upload.media_id, ...(await readStored(call.env.store, upload.media_id)) };
  const mediaId = keepFile(call.env, owner, file, (mime) => mime.startsWith("video/"));
  accept(
    call,
    task,
    mediaId === null
      ? { failReason: "file_format_check_failed" }
      : { media: [{ id: mediaId, alt: "" }] },
  );
  return deliver(reply, new Response(null, { status: 201, headers }));
}
