import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { randomDigits } from "../kit/ids.ts";
import { deliverAtOnce } from "../kit/simulator.ts";
import { readSteering } from "../kit/steering.ts";
import { count, integer, key, optional, type RowOf, Table, text } from "../kit/table.ts";
import { type GraphCall, invalidParameter, mediaError, toGraphTimestamp } from "../meta/graph.ts";
import { pick } from "./call.ts";
import type { Page } from "./pages.ts";
import { checkMessage, deletePost, savePost } from "./posts.ts";
import { steerPost } from "./steering.ts";

export const videos = new Table(
  "facebook_videos",
  {
    id: key(),
    team_id: integer(),
    page_id: text(),
    kind: text<"video" | "reel">(),
    session_id: text(),
    size: integer(),
    received: count(),
    slices: count(),
    file_id: optional(integer()),
    mime: optional(text()),
    /** Epoch ms; null for an incomplete or failed upload. */
    uploaded_at: optional(integer()),
    upload_error: optional(text()),
    /** Epoch ms; null for an unfinished upload. */
    ready_at: optional(integer()),
    post_id: optional(text()),
    description: text(),
    created_at: integer(),
  },
  { indexes: { by_session: "session_id" } },
);

export type Video = RowOf<typeof videos>;

const VIDEO_TYPES = ["video/mp4", "video/quicktime"];
/** Characters. Source: Meta, "Page Videos". */
const MAX_TITLE = 255;
const PROCESSING_MS = 3 * SECOND;

export function findVideo(
  { env: { store, origin } }: GraphCall,
  page: Page,
  by: { id: string } | { session_id: string },
): Video | null {
  return videos.find(store, { ...by, team_id: origin.teamId, page_id: page.id });
}

export function videoOfPost(
  { env: { store, origin } }: GraphCall,
  page: Page,
  postId: string,
): Video | null {
  return videos.find(store, { post_id: postId, team_id: origin.teamId, page_id: page.id });
}

export function insertVideo(
  { env: { store, origin } }: GraphCall,
  page: Page,
  video: Pick<Video, "kind" | "size" | "file_id">,
): Pick<Video, "id" | "session_id"> {
  const ids = { id: `1${randomDigits(15)}`, session_id: `1${randomDigits(15)}` };
  videos.insert(store, {
    ...ids,
    ...video,
    team_id: origin.teamId,
    page_id: page.id,
    description: "",
    created_at: now().getTime(),
  });
  return ids;
}

export const isUploaded = ({ uploaded_at }: Video): boolean =>
  uploaded_at !== null && uploaded_at <= now().getTime();

const pathOf = (page: Page, { id, kind }: Video): string =>
  kind === "reel" ? `/reel/${id}/` : `/${page.id}/videos/${id}/`;

export function publishVideo(call: GraphCall, page: Page, token: string, video: Video): Response {
  const description = call.var.params.get("description") ?? "";
  const title = call.var.params.get("title") ?? "";
  checkMessage(description);
  if (title.length > MAX_TITLE) throw invalidParameter("Param title is too long");
  if (!isUploaded(video)) throw mediaError(6000, 1363033, "The video is not uploaded yet.");
  if (video.ready_at !== null) {
    throw mediaError(6000, 1363041, "The upload session is closed: the video was published.");
  }
  const words = `${title} ${description}`;
  const reply = steerPost(call, page, words, token);
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
  const { slowSeconds } = readSteering(words);
  const changed = {
    ready_at: now().getTime() + Math.max(PROCESSING_MS, slowSeconds * SECOND),
    post_id: postId,
    description,
  };
  videos.update(call.env.store, { id: video.id }, changed);
  return deliverAtOnce(reply, Response.json({ success: true }));
}

export function deleteVideo(call: GraphCall, page: Page, { id, post_id }: Video): Response {
  const { store } = call.env;
  if (post_id !== null) deletePost(call, page, post_id);
  videos.delete(store, { id });
  store.deletePost("facebook", id);
  return Response.json({ success: true });
}

const NOT_STARTED = { status: "not_started" };

/** Meta reports `publish_status: "published"` even for an unpublished reel. */
const waitingToPublish = ({ kind }: Video) =>
  kind === "reel" ? { ...NOT_STARTED, publish_status: "published" } : NOT_STARTED;

/** Meta uses both spellings, `transferred` and `transfered`. */
const arrived = ({ kind }: Video, bytes: number) =>
  kind === "reel" ? { bytes_transferred: bytes } : { bytes_transfered: bytes };

/** Meta reports a failed reel's error, but leaves its status at `processing`. */
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
  const waiting = { processing_phase: NOT_STARTED, publishing_phase };
  if (video.upload_error !== null) {
    const errors = [{ code: 1363041, message: video.upload_error }];
    const uploading_phase = { status: "error", errors };
    return { video_status: "upload_failed", uploading_phase, ...waiting };
  }
  if (!isUploaded(video)) {
    const uploading_phase = { status: "in_progress", ...arrived(video, video.received) };
    return { video_status: "uploading", uploading_phase, ...waiting };
  }
  const uploading_phase = { status: "complete", ...arrived(video, video.size) };
  if (video.ready_at === null) {
    return { video_status: "upload_complete", uploading_phase, ...waiting };
  }
  if (video.ready_at > now().getTime()) {
    const processing_phase = { status: "in_progress" };
    return { video_status: "processing", uploading_phase, processing_phase, publishing_phase };
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
    published: video.post_id !== null,
    created_time: toGraphTimestamp(video.created_at),
  };
  return Response.json(pick(call, object, ["id"]));
}
