import { now } from "../../core/clock.ts";
import { refuse } from "../../core/result.ts";
import { SECOND } from "../../core/time.ts";
import { pullFile, sealFile } from "../kit/files.ts";
import { idOf } from "../kit/simulator.ts";
import { type GraphCall, graphError, invalidParameter, isReachable } from "../meta/graph.ts";
import { requireKnown, requireParam } from "./call.ts";
import { authenticate, type Page } from "./pages.ts";
import { findVideo, insertVideo, publishVideo, type Video, videos } from "./videos.ts";

const MAX_REEL_BYTES = 1_000_000_000;
/** Facebook fetches the file after answering the call. */
const PULLING_MS = 1 * SECOND;

const FINISH_PARAMS = ["upload_phase", "video_id", "video_state", "description", "title", "place"];

export async function publishReel(call: GraphCall): Promise<Response> {
  const { page, token } = await authenticate(call);
  const phase = call.var.params.get("upload_phase");
  if (phase === "start") {
    requireKnown(call, ["upload_phase"]);
    const { id } = insertVideo(call, page, { kind: "reel", size: 0, file_id: null });
    const upload_url = `https://rupload.facebook.com/video-upload/v26.0/${id}`;
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

const notFound = (): Response => answerError(404, "NotFoundError", "There is no such upload.");

const answerError = (status: number, type: string, message: string): Response =>
  Response.json({ debug_info: { retriable: false, type, message } }, { status });

export async function pullReel(call: GraphCall): Promise<Response> {
  const { req } = call;
  if (call.var.params.size > 0) throw graphError(100, "(#100) file_url must be a header");
  const id = idOf(call);
  if (id === "") return notFound();
  const token = /^OAuth (.+)$/.exec(req.header("authorization") ?? "")?.[1];
  if (!token) return answerError(401, "NotAuthorizedError", "The OAuth token is missing.");
  call.set("token", token);
  const { page } = await authenticate(call);
  const reel = findVideo(call, page, { id });
  if (reel?.kind !== "reel") return notFound();
  const address = req.header("file_url");
  if (address === undefined) return answerError(400, "OffsetInvalidError", "Missing Offset header");
  if (reel.uploaded_at !== null || reel.upload_error !== null) {
    return answerError(400, "ProcessingFailedError", "The file of this video is known already.");
  }
  await pull(call, page, reel, address);
  return Response.json({ success: true });
}

async function pull({ env }: GraphCall, page: Page, { id }: Video, address: string): Promise<void> {
  const { store } = env;
  const file = { platform: "facebook", owner: page.id } as const;
  const pulled = isReachable(address)
    ? await pullFile(env, file, address, MAX_REEL_BYTES)
    : refuse("unreachable");
  if (!pulled.ok) {
    const upload_error =
      pulled.error === "too_large"
        ? "The video is too large."
        : "The video could not be fetched from the URL.";
    videos.update(store, { id }, { upload_error });
    return;
  }
  const { mime, sizeBytes } = pulled.value;
  const changed = {
    uploaded_at: now().getTime() + PULLING_MS,
    file_id: sealFile(env, file, pulled.value.id, pulled.value),
    mime,
    size: sizeBytes,
    received: sizeBytes,
  };
  videos.update(store, { id }, changed);
}
