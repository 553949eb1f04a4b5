import { MINUTE } from "../../core/time.ts";
import type { MediaItem, Reconciled } from "../connector.ts";
import { comparable } from "../kit/listings.ts";
import { unknowable } from "../kit/steps.ts";
import {
  getChannelRequest,
  type ListedVideo,
  listUploadsRequest,
  readGetChannelReply,
  readListUploadsReply,
  type YouTubeRefusal,
} from "./api.ts";
import type { Job, Uploading } from "./bookmark.ts";
import { toUnknowable } from "./failures.ts";
import { titleOf } from "./metadata.ts";
import { accepted } from "./processing.ts";
import { askSession } from "./session.ts";

const CLOCK_SLACK_MS = MINUTE;

/**
 * Asks the upload session, or without it searches the channel's newest videos.
 * @throws Error when YouTube cannot tell yet whether the video exists
 */
export async function findVideo(job: Job, item: MediaItem, at: Uploading): Promise<Reconciled> {
  const reply = await askSession(job, item, at);
  switch (reply.kind) {
    case "finished":
      return accepted(job, at, reply);
    case "incomplete":
      return { kind: "absent" };
    case "refused": {
      const unknown = toUnknowable(reply.refusal);
      return unknown.kind === "token_expired" ? unknown : findByTitle(job, at);
    }
    default:
      return reply satisfies never;
  }
}

/** @throws Error when YouTube may list the videos later */
function notListed(refusal: YouTubeRefusal): Reconciled {
  const unknown = toUnknowable(refusal);
  if (unknown.kind === "token_expired") return unknown;
  return unknowable(
    `YouTube did not answer when the video was sent, and does not list the channel's videos: ${unknown.message}`,
  );
}

async function findByTitle(job: Job, at: Uploading): Promise<Reconciled> {
  const channelRequest = getChannelRequest(job.accessToken, "contentDetails");
  const channel = await readGetChannelReply(await job.fetch(channelRequest));
  if (!channel.ok) return notListed(channel.error);
  const playlistId = channel.value?.contentDetails?.relatedPlaylists.uploads;
  if (!playlistId) return unknowable(NOT_FOUND);
  const request = listUploadsRequest(job.accessToken, playlistId);
  const list = await readListUploadsReply(await job.fetch(request));
  if (!list.ok) return notListed(list.error);
  const matches = list.value.filter((video) => isSameVideo(job, at, video));
  const [only] = matches;
  if (!only || matches.length > 1) return unknowable(NOT_FOUND);
  return accepted(job, at, { videoId: only.videoId, privacyStatus: null });
}

const NOT_FOUND =
  "YouTube did not answer when the video was sent, and the channel's newest videos do not show for sure whether it is there.";

const isSameVideo = (job: Job, { readyAt, storedAt }: Uploading, video: ListedVideo): boolean =>
  comparable(video.title) === comparable(titleOf(job.post)) &&
  Date.parse(video.addedAt) >= (readyAt ?? storedAt) - CLOCK_SLACK_MS;
