import { now } from "../../core/clock.ts";
import { appendBody, readStored, reserveFile, sealFile } from "../kit/files.ts";
import type { Refusal } from "../kit/refusal.ts";
import { type GraphCall, graphError, invalidParameter, mediaError } from "../meta/graph.ts";
import { CHUNK_BYTES, requireKnown, requireParam } from "./call.ts";
import { authenticate, type Page } from "./pages.ts";
import { findVideo, insertVideo, publishVideo, type Video, videos } from "./videos.ts";

/** Bytes. Source: Meta, "Uploading Videos with the Graph API". */
const MAX_VIDEO_BYTES = 10_000_000_000;

const rangeOf = ({ received, size }: Pick<Video, "received" | "size">) => ({
  start_offset: String(received),
  end_offset: String(Math.min(received + CHUNK_BYTES, size)),
});

function start(call: GraphCall, page: Page): Response {
  requireKnown(call, ["upload_phase", "file_size"]);
  const size = Number(requireParam(call, "file_size"));
  if (!Number.isSafeInteger(size) || size < 1 || size > MAX_VIDEO_BYTES) {
    throw mediaError(6000, 1363023, "The video is too large, or of no size.");
  }
  const file_id = reserveFile(call.env, { platform: "facebook", owner: page.id });
  const { id, session_id } = insertVideo(call, page, { kind: "video", size, file_id });
  return Response.json({
    video_id: id,
    upload_session_id: session_id,
    ...rangeOf({ received: 0, size }),
  });
}

function requireSession(call: GraphCall, page: Page): Video {
  const session_id = requireParam(call, "upload_session_id");
  const video = findVideo(call, page, { session_id });
  if (!video) throw mediaError(6000, 1363041, "There is no such upload session.");
  return video;
}

const wrongOffset = (video: Video): Refusal =>
  mediaError(6001, 1363037, "The offset is not the one that comes next.", rangeOf(video));

async function transfer(call: GraphCall, page: Page): Promise<Response> {
  requireKnown(call, ["upload_phase", "upload_session_id", "start_offset"]);
  const { store } = call.env;
  const { chunk } = call.var;
  const video = requireSession(call, page);
  const offset = requireParam(call, "start_offset");
  if (!chunk) throw invalidParameter("The parameter video_file_chunk is required.");
  if (offset !== String(video.received) || video.received === video.size) throw wrongOffset(video);
  if (chunk.size !== Number(rangeOf(video).end_offset) - video.received) {
    throw mediaError(6001, 1363021, "The chunk has another length than was asked for.");
  }
  const mediaId = video.file_id ?? 0;
  const stored = await appendBody(store, mediaId, video.slices, chunk.stream());
  // Another call may have delivered the same part.
  const current = requireSession(call, page);
  if (current.received !== video.received) throw wrongOffset(current);
  if (stored === "too_large") throw graphError(1, "An unknown error occurred");
  const received = video.received + chunk.size;
  const arrived = { received, slices: video.slices + stored.slices };
  videos.update(store, { id: video.id }, arrived);
  if (received === video.size) {
    const file = await readStored(store, mediaId);
    const owner = { platform: "facebook", owner: page.id } as const;
    const changed = {
      uploaded_at: now().getTime(),
      file_id: sealFile(call.env, owner, mediaId, file),
      mime: file.mime,
    };
    videos.update(store, { id: video.id }, changed);
  }
  return Response.json(rangeOf({ received, size: video.size }));
}

export async function uploadVideo(call: GraphCall): Promise<Response> {
  const { page, token } = await authenticate(call);
  const phase = call.var.params.get("upload_phase");
  if (phase === "start") return start(call, page);
  if (phase === "transfer") return transfer(call, page);
  if (phase !== "finish") throw invalidParameter("Param upload_phase: start, transfer or finish");
  requireKnown(call, ["upload_phase", "upload_session_id", "title", "description", "published"]);
  if ((call.var.params.get("published") ?? "true") !== "true") {
    throw invalidParameter("Only published videos are simulated here.");
  }
  return publishVideo(call, page, token, requireSession(call, page));
}
