import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { randomDigits } from "../kit/ids.ts";
import { deliverAtOnce } from "../kit/simulator.ts";
import { readSteering } from "../kit/steering.ts";
import { type GraphCall, invalidParameter, mediaError, toGraphTimestamp } from "../meta/graph.ts";
import { pick } from "./call.ts";
import type { Page } from "./pages.ts";
import { checkMessage, savePost } from "./posts.ts";
import { steerPost } from "./steering.ts";

export const VIDEOS_SCHEMA = `
CREATE TABLE IF NOT EXISTS facebook_videos (
  id TEXT PRIMARY KEY,
  team_id INTEGER NOT NULL,
  page_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  session_id TEXT NOT NULL,
  size INTEGER NOT NULL,
  received INTEGER NOT NULL DEFAULT 0,
  slices INTEGER NOT NULL DEFAULT 0,
  file_id INTEGER,
  mime TEXT,
  uploaded_at INTEGER,
  upload_error TEXT,
  ready_at INTEGER,
  post_id TEXT,
  description TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS facebook_videos_by_session ON facebook_videos (session_id);
`;

const VIDEO_TYPES = ["video/mp4", "video/quicktime"];
/** Characters. Source: Meta, "Page Videos". */
const MAX_TITLE = 255;
/** Simulated processing time of a video, in ms. */
const PROCESSING_MS = 3 * SECOND;

/** A video or reel, from the first call on. Moments in epoch milliseconds. */
export type Video = {
  id: string;
  kind: "video" | "reel";
  session_id: string;
  size: number;
  received: number;
  slices: number;
  /** Sealed once the file is whole. */
  file_id: number | null;
  mime: string | null;
  /** When the file is there; null while it is not, or never will be. */
  uploaded_at: number | null;
  upload_error: string | null;
  /** When it is processed; null until it is finished. */
  ready_at: number | null;
  post_id: string | null;
  description: string;
  created_at: number;
};

/** A video of the Page by its id or its session's, or null: others are not to be seen. */
export function findVideo(
  { env: { store, origin } }: GraphCall,
  page: Page,
  by: { id: string } | { sessionId: string },
): Video | null {
  const key = "id" in by ? by : { session_id: by.sessionId };
  const own = { ...key, team_id: origin.teamId, page_id: page.id };
  return store.find<Video>("facebook_videos", own);
}

export function insertVideo(
  { env: { store, origin } }: GraphCall,
  page: Page,
  video: { kind: Video["kind"]; size: number; fileId: number | null },
): { id: string; sessionId: string } {
  const id = `1${randomDigits(15)}`;
  const sessionId = `1${randomDigits(15)}`;
  store.insert("facebook_videos", {
    id,
    team_id: origin.teamId,
    page_id: page.id,
    kind: video.kind,
    session_id: sessionId,
    size: video.size,
    file_id: video.fileId,
    created_at: now().getTime(),
  });
  return { id, sessionId };
}

export const isUploaded = ({ uploaded_at }: Video): boolean =>
  uploaded_at !== null && uploaded_at <= now().getTime();

/** The `permalink_url` of a video, which is a path. */
const pathOf = (page: Page, { id, kind }: Video): string =>
  kind === "reel" ? `/reel/${id}/` : `/${page.id}/videos/${id}/`;

/** Publishes a video whose file is there. */
export function publishVideo(call: GraphCall, page: Page, token: string, video: Video): Response {
  const description = call.var.params.get("description") ?? "";
  const title = call.var.params.get("title") ?? "";
  checkMessage(description);
  if (title.length > MAX_TITLE) throw invalidParameter("Param title is too long");
  if (!isUploaded(video)) throw mediaError(6000, 1363033, "The video is not uploaded yet.");
  if (video.ready_at !== null) {
    throw mediaError(6000, 1363041, "The upload session is closed: the video was published.");
  }
  const text = `${title} ${description}`;
  const reply = steerPost(call, page, text, token);
  const isGood = video.file_id !== null && VIDEO_TYPES.includes(video.mime ?? "");
  const postId = isGood
    ? savePost(call, page, {
        kind: "video",
        message: description,
        title,
        video: video.file_id ?? 0,
        permalink: `https://www.facebook.com${pathOf(page, video)}`,
        key: video.id,
        fields: Object.fromEntries(call.var.params),
      })
    : null;
  const { slowSeconds } = readSteering(text);
  const changed = {
    ready_at: now().getTime() + Math.max(PROCESSING_MS, slowSeconds * SECOND),
    post_id: postId,
    description,
  };
  call.env.store.update("facebook_videos", { id: video.id }, changed);
  return deliverAtOnce(reply, Response.json({ success: true }));
}

const NOT_STARTED = { status: "not_started" };

/** A reel says from its beginning that it is to be published, and is not out for that. */
const waitingToPublish = ({ kind }: Video) =>
  kind === "reel" ? { ...NOT_STARTED, publish_status: "published" } : NOT_STARTED;

/** Meta writes the name in both ways. */
const arrived = ({ kind }: Video, bytes: number) =>
  kind === "reel" ? { bytes_transferred: bytes } : { bytes_transfered: bytes };

/** A reel's phase has an error and need not say so in its status. */
function processingFailure({ kind }: Video) {
  const message = "The video file you selected is in a format that we don't support.";
  return kind === "reel"
    ? { video_status: "processing", processing_phase: { ...NOT_STARTED, error: { message } } }
    : {
        video_status: "error",
        processing_phase: { status: "error", errors: [{ code: 1363024, message }] },
      };
}

/** @see https://developers.facebook.com/docs/video-api/guides/reels-publishing */
function statusOf(video: Video) {
  const publishing_phase = waitingToPublish(video);
  if (video.upload_error !== null) {
    return {
      video_status: "upload_failed",
      uploading_phase: {
        status: "error",
        errors: [{ code: 1363041, message: video.upload_error }],
      },
      processing_phase: NOT_STARTED,
      publishing_phase,
    };
  }
  if (!isUploaded(video)) {
    return {
      video_status: "uploading",
      uploading_phase: { status: "in_progress", ...arrived(video, video.received) },
      processing_phase: NOT_STARTED,
      publishing_phase,
    };
  }
  const uploading_phase = { status: "complete", ...arrived(video, video.size) };
  if (video.ready_at === null) {
    return {
      video_status: "upload_complete",
      uploading_phase,
      processing_phase: NOT_STARTED,
      publishing_phase,
    };
  }
  if (video.ready_at > now().getTime()) {
    return {
      video_status: "processing",
      uploading_phase,
      processing_phase: { status: "in_progress" },
      publishing_phase,
    };
  }
  if (video.post_id === null) {
    return { uploading_phase, publishing_phase, ...processingFailure(video) };
  }
  return {
    video_status: "ready",
    uploading_phase,
    processing_phase: { status: "complete" },
    publishing_phase: {
      status: "complete",
      publish_status: "published",
      publish_time: toGraphTimestamp(video.ready_at),
    },
  };
}

export function readVideo(call: GraphCall, page: Page, video: Video): Response {
  const object = {
    id: video.id,
    status: statusOf(video),
    description: video.description || undefined,
    permalink_url: video.post_id === null ? undefined : pathOf(page, video),
    post_id: video.post_id?.split("_")[1],
    created_time: toGraphTimestamp(video.created_at),
  };
  return Response.json(pick(call, object, ["id"]));
}
