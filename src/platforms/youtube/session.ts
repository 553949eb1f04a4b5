import { ok, type Result, refuse } from "../../core/result.ts";
import type { MediaItem, Prepared, Stopped, Submitted } from "../connector.ts";
import { failed, isGone, mediaInvalid, unavailable } from "../kit/refusals.ts";
import { ageOf, next, ready, undecided } from "../kit/steps.ts";
import {
  getChannelRequest,
  openSessionRequest,
  probeRequest,
  putChunkRequest,
  readGetChannelReply,
  readOpenSessionReply,
  readSessionReply,
  type SessionReply,
  type YouTubeRefusal,
} from "./api.ts";
import type { Job, Uploading } from "./bookmark.ts";
import { CHUNK_BYTES } from "./capabilities.ts";
import { isOfOptionalParts, isUndecided, toRefused } from "./failures.ts";
import {
  OPTIONAL_PARTS,
  type OptionalPart,
  tagWarnings,
  toResource,
  type VideoResource,
} from "./metadata.ts";
import { accepted } from "./processing.ts";
import { isLong, LONG_NOT_ALLOWED, videoProblem } from "./video-rules.ts";

/** An older bookmark is from an interrupted run: every back-off and lease is longer. */
const RESUMED_AFTER_SECONDS = 25;
const MAX_SESSIONS = 3;
const MAX_SETBACKS = 3;

export async function openVideo(job: Job, item: MediaItem): Promise<Prepared> {
  const facts = await job.inspectVideo(item);
  const problem = videoProblem(facts);
  if (problem) return mediaInvalid(problem);
  if (isLong(facts)) {
    const refused = await refuseLong(job);
    if (refused) return refused;
  }
  return openSession(job, item, 1);
}

/** Asks YouTube whether the channel may publish long videos. */
async function refuseLong(job: Job): Promise<Stopped | null> {
  const request = getChannelRequest(job.accessToken, "status");
  const reply = await readGetChannelReply(await job.fetch(request));
  const status = reply.ok ? reply.value?.status?.longUploadsStatus : null;
  const isRefused = status === "disallowed" || status === "eligible";
  return isRefused ? mediaInvalid(LONG_NOT_ALLOWED) : null;
}

/** The URL is stored before any bytes are sent: only it tells later whether the video exists. */
async function openSession(job: Job, item: MediaItem, sessions: number): Promise<Prepared> {
  const opened = await open(job, item, toResource(job.post), tagWarnings(job.post.settings));
  if (!opened.ok) return opened.error;
  const bookmark: Uploading = {
    stage: "uploading",
    sessionUri: opened.value.sessionUri,
    offset: 0,
    storedAt: job.now().getTime(),
    sessions,
    setbacks: 0,
    warnings: opened.value.warnings,
  };
  return next(bookmark);
}

async function open(
  job: Job,
  item: MediaItem,
  resource: VideoResource,
  warnings: string[],
): Promise<Result<{ sessionUri: string; warnings: string[] }, Stopped>> {
  const { notifySubscribers } = job.post.settings;
  const request = openSessionRequest(job.accessToken, resource, item, notifySubscribers);
  const reply = await readOpenSessionReply(await job.fetch(request));
  if (reply.ok) return ok({ sessionUri: reply.value, warnings });
  const refused = refusedParts(resource, reply.error);
  if (refused.length === 0) return refuse(toRefused(reply.error, job.now()));
  const rest = { ...resource };
  for (const part of refused) delete rest[part];
  return open(job, item, rest, [...warnings, ...refused.map((part) => OPTIONAL_PARTS[part])]);
}

/** Optional parts that the refusal names, or all when it may mean any. */
function refusedParts(resource: VideoResource, refusal: YouTubeRefusal): OptionalPart[] {
  const sent = (Object.keys(OPTIONAL_PARTS) as OptionalPart[]).filter((part) => resource[part]);
  const { status, message, location } = refusal;
  const named = sent.filter((part) => `${message} ${location}`.includes(part));
  if (named.length > 0 && (status === 400 || status === 403)) return named;
  return isOfOptionalParts(refusal) ? sent : [];
}

export async function askSession(
  job: Job,
  item: MediaItem,
  { sessionUri }: Uploading,
): Promise<SessionReply> {
  const request = probeRequest(job.accessToken, sessionUri, item.sizeBytes);
  return readSessionReply(await job.fetch(request));
}

async function putChunk(
  job: Job,
  item: MediaItem,
  at: Uploading,
  offset: number,
): Promise<SessionReply> {
  const { mime, sizeBytes } = item;
  const length = Math.min(CHUNK_BYTES, sizeBytes - offset);
  if (length <= 0) return askSession(job, item, at);
  const data = await job.readMedia(item, { offset, length });
  const chunk = { data, offset, length, mime, sizeBytes };
  const request = putChunkRequest(job.accessToken, at.sessionUri, chunk);
  return readSessionReply(await job.fetch(request));
}

/** When the bookmark is old, another run may have sent more, so YouTube is asked. */
async function whereFrom(job: Job, item: MediaItem, at: Uploading): Promise<SessionReply> {
  const age = ageOf(at.storedAt, job.now());
  if (age >= 0 && age < RESUMED_AFTER_SECONDS) return { kind: "incomplete", stored: at.offset };
  return askSession(job, item, at);
}

const isLastChunk = (item: MediaItem, offset: number): boolean =>
  item.sizeBytes - offset <= CHUNK_BYTES;

/** Leaves the last chunk to `submit`, because that chunk creates the video. */
export async function sendChunk(job: Job, item: MediaItem, at: Uploading): Promise<Prepared> {
  const place = await whereFrom(job, item, at);
  if (place.kind === "incomplete" && isLastChunk(item, place.stored)) {
    const now = job.now().getTime();
    const bookmark = { ...at, offset: place.stored, storedAt: now, readyAt: now };
    return ready(bookmark);
  }
  const reply = place.kind === "incomplete" ? await putChunk(job, item, at, place.stored) : place;
  switch (reply.kind) {
    case "finished":
      return ready(accepted(job, at, reply).bookmark);
    case "refused":
      if (isGone(reply.refusal)) return openAnew(job, item, at, reply.refusal);
      return toRefused(reply.refusal, job.now());
    case "incomplete": {
      const from = place.kind === "incomplete" ? place.stored : at.offset;
      if (reply.stored <= from) return unavailable(NOTHING_STORED);
      const further = moved(job, at, reply.stored);
      if (further.setbacks > MAX_SETBACKS) return failed("platform_unavailable", LOSES_BYTES);
      return next(further);
    }
    default:
      return reply satisfies never;
  }
}

const NOTHING_STORED = "YouTube took a part of the video, but did not store it.";
const LOSES_BYTES = "YouTube repeatedly lost parts of the video that it had stored.";

const moved = (job: Job, at: Uploading, offset: number): Uploading => ({
  ...at,
  offset,
  storedAt: job.now().getTime(),
  setbacks: at.setbacks + (offset <= at.offset ? 1 : 0),
});

async function openAnew(
  job: Job,
  item: MediaItem,
  { sessions }: Uploading,
  { message }: YouTubeRefusal,
): Promise<Prepared> {
  if (sessions >= MAX_SESSIONS) return failed("platform_unavailable", message);
  return openSession(job, item, sessions + 1);
}

export async function sendLastChunk(job: Job, item: MediaItem, at: Uploading): Promise<Submitted> {
  const place = await whereFrom(job, item, at);
  if (place.kind === "incomplete" && !isLastChunk(item, place.stored)) {
    return unavailable(LOSES_BYTES);
  }
  const reply = place.kind === "incomplete" ? await putChunk(job, item, at, place.stored) : place;
  switch (reply.kind) {
    case "finished":
      return accepted(job, at, reply);
    // YouTube received the last chunk and still wants more, so there is no video.
    case "incomplete":
      return unavailable(NOTHING_STORED);
    case "refused": {
      const { refusal } = reply;
      if (isUndecided(refusal)) return undecided(refusal.message);
      // The last byte is missing, so there is no video.
      return isGone(refusal) ? unavailable(refusal.message) : toRefused(refusal, job.now());
    }
    default:
      return reply satisfies never;
  }
}
