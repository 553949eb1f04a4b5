import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { pullFile, sealFile } from "../kit/files.ts";
import { type GraphCall, GraphError, invalidParameter } from "../meta/graph.ts";
import { isReachable, requireKnown, requireParam } from "./call.ts";
import { RUPLOAD } from "./origins.ts";
import { authenticate, type Page } from "./pages.ts";
import { findVideo, insertVideo, publishVideo, type Video } from "./videos.ts";

/** Bytes. */
const MAX_REEL_BYTES = 1_000_000_000;
/** The file is fetched after the call that asks for it. */
const PULLING_MS = 1 * SECOND;

const FINISH_PARAMS = ["upload_phase", "video_id", "video_state", "description", "title", "place"];

/** A reel's first and its last call. */
export async function publishReel(call: GraphCall): Promise<Response> {
  const { page, token } = await authenticate(call);
  const phase = call.params.get("upload_phase");
  if (phase === "start") {
    requireKnown(call, ["upload_phase"]);
    const { id } = insertVideo(call, page, { kind: "reel", size: 0, fileId: null });
    const upload_url = `${RUPLOAD}/video-upload/v26.0/${id}`;
    return Response.json({ video_id: id, upload_url });
  }
  if (phase !== "finish") throw invalidParameter("Param upload_phase must be one of start, finish");
  requireKnown(call, FINISH_PARAMS);
  if (requireParam(call, "video_state") !== "PUBLISHED") {
    throw invalidParameter("Only published reels are simulated here.");
  }
  const reel = findVideo(call, page, { id: requireParam(call, "video_id") });
  if (reel?.kind !== "reel") throw invalidParameter("Param video_id is no reel of this Page");
  return publishVideo(call, page, token, reel);
}

const refuse = (status: number, type: string, message: string): Response =>
  Response.json({ debug_info: { retriable: false, type, message } }, { status });

/** Has the file of a reel fetched from the address that a header names. */
export async function pullReel(call: GraphCall): Promise<Response> {
  const { request, url } = call;
  const id = /^\/video-upload\/v\d+\.\d+\/(\d+)\/?$/.exec(url.pathname)?.[1];
  if (request.method !== "POST" || id === undefined) {
    return refuse(404, "NotFoundError", "There is no such upload.");
  }
  const token = /^OAuth (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  if (!token) return refuse(401, "NotAuthorizedError", "The OAuth token is missing.");
  const { page } = await authenticate({ ...call, token });
  const reel = findVideo(call, page, { id });
  if (reel?.kind !== "reel") return refuse(404, "NotFoundError", "There is no such upload.");
  const address = request.headers.get("file_url");
  if (address === null) return refuse(400, "OffsetInvalidError", "Missing Offset header");
  if (reel.uploaded_at !== null || reel.upload_error !== null) {
    return refuse(400, "ProcessingFailedError", "The file of this video is known already.");
  }
  await pull(call, page, reel, address);
  return Response.json({ success: true });
}

/** @throws GraphError for a body, which has no place here */
export function requireNoBody({ params }: GraphCall): void {
  if (params.size > 0) throw new GraphError(100, "(#100) file_url must be a header");
}

async function pull(call: GraphCall, page: Page, reel: Video, address: string): Promise<void> {
  const { store, origin } = call;
  const file = { platform: "facebook", owner: page.id } as const;
  const pulled = isReachable(address)
    ? await pullFile({ store, origin }, file, address, MAX_REEL_BYTES)
    : null;
  if (!pulled?.ok) {
    const error =
      pulled?.error === "too_large"
        ? "The video is too large."
        : "The video could not be fetched from the URL.";
    store.sql.exec("UPDATE facebook_videos SET upload_error = ? WHERE id = ?", error, reel.id);
    return;
  }
  const { id, mime, sizeBytes } = pulled.value;
  store.sql.exec(
    `UPDATE facebook_videos SET uploaded_at = ?, file_id = ?, mime = ?, size = ?, received = ?
     WHERE id = ?`,
    now().getTime() + PULLING_MS,
    sealFile({ store, origin }, file, id, pulled.value),
    mime,
    sizeBytes,
    sizeBytes,
    reel.id,
  );
}
