import { now } from "../../core/clock.ts";
import { appendBody, readStored, reserveFile, sealFile } from "../kit/files.ts";
import { GraphError, invalidParameter, mediaError } from "../meta/graph.ts";
import { CHUNK_BYTES, type FacebookCall, requireKnown, requireParam } from "./call.ts";
import { authenticate, type Page } from "./pages.ts";
import { findVideo, insertVideo, publishVideo, type Video } from "./videos.ts";

/** Bytes. Source: Meta, "Uploading Videos with the Graph API". */
const MAX_VIDEO_BYTES = 10_000_000_000;

/** What is wanted next, written as text. */
const rangeOf = ({ received, size }: Pick<Video, "received" | "size">) => ({
  start_offset: String(received),
  end_offset: String(Math.min(received + CHUNK_BYTES, size)),
});

function start(call: FacebookCall, page: Page): Response {
  requireKnown(call, ["upload_phase", "file_size"]);
  const size = Number(requireParam(call, "file_size"));
  if (!Number.isSafeInteger(size) || size < 1 || size > MAX_VIDEO_BYTES) {
    throw mediaError(6000, 1363023, "The video is too large, or of no size.");
  }
  const fileId = reserveFile(call, { platform: "facebook", owner: page.id });
  const { id, sessionId } = insertVideo(call, page, { kind: "video", size, fileId });
  return Response.json({
    video_id: id,
    upload_session_id: sessionId,
    ...rangeOf({ received: 0, size }),
  });
}

function requireSession(call: FacebookCall, page: Page): Video {
  const sessionId = requireParam(call, "upload_session_id");
  const video = findVideo(call, page, { sessionId });
  if (!video) throw mediaError(6000, 1363041, "There is no such upload session.");
  return video;
}

/** Says which part is the right one. */
function wrongOffset(video: Video): Response {
  const refusal = mediaError(6001, 1363037, "The offset is not the one that comes next.");
  const error = { ...refusal.toJson(), error_data: rangeOf(video) };
  return Response.json({ error }, { status: 400 });
}

async function transfer(call: FacebookCall, page: Page): Promise<Response> {
  requireKnown(call, ["upload_phase", "upload_session_id", "start_offset"]);
  const { chunk, store, origin } = call;
  const video = requireSession(call, page);
  const offset = requireParam(call, "start_offset");
  if (!chunk) throw invalidParameter("The parameter video_file_chunk is required.");
  if (offset !== String(video.received) || video.received === video.size) return wrongOffset(video);
  if (chunk.size !== Number(rangeOf(video).end_offset) - video.received) {
    throw mediaError(6001, 1363021, "The chunk has another length than was asked for.");
  }
  const mediaId = video.file_id ?? 0;
  const stored = await appendBody(store, mediaId, video.slices, chunk.stream());
  // Reading took a while: the same part may have arrived meanwhile.
  const current = requireSession(call, page);
  if (current.received !== video.received) return wrongOffset(current);
  if (stored === "too_large") throw new GraphError(1, "An unknown error occurred");
  const received = video.received + chunk.size;
  store.sql.exec(
    "UPDATE facebook_videos SET received = ?, slices = slices + ? WHERE id = ?",
    received,
    stored.slices,
    video.id,
  );
  if (received === video.size) {
    const file = await readStored(store, mediaId);
    const owner = { platform: "facebook", owner: page.id } as const;
    store.sql.exec(
      "UPDATE facebook_videos SET uploaded_at = ?, file_id = ?, mime = ? WHERE id = ?",
      now().getTime(),
      sealFile({ store, origin }, owner, mediaId, file),
      file.mime,
      video.id,
    );
  }
  return Response.json(rangeOf({ received, size: video.size }));
}

/** One phase of an upload in parts. */
export async function uploadVideo(call: FacebookCall): Promise<Response> {
  const { page, token } = await authenticate(call);
  const phase = call.params.get("upload_phase");
  if (phase === "start") return start(call, page);
  if (phase === "transfer") return transfer(call, page);
  if (phase !== "finish") throw invalidParameter("Param upload_phase: start, transfer or finish");
  requireKnown(call, ["upload_phase", "upload_session_id", "title", "description", "published"]);
  if ((call.params.get("published") ?? "true") !== "true") {
    throw invalidParameter("Only published videos are simulated here.");
  }
  return publishVideo(call, page, token, requireSession(call, page));
}
