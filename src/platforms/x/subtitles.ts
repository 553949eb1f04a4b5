import { ok, type Result, refuse } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Prepared, Refused } from "../connector.ts";
import { mediaInvalid, refusedBy, UNREACHABLE } from "../kit/refusals.ts";
import { readText } from "../kit/replies.ts";
import { next, TOKEN_EXPIRED } from "../kit/steps.ts";
import { readDoneReply, type XRefusal } from "./api.ts";
import type { Job, Preparing } from "./bookmark.ts";
import { MAX_SUBTITLES_BYTES } from "./capabilities.ts";
import { isTokenRefusal } from "./failures.ts";
import {
  appendRequest,
  finalizeRequest,
  initializeRequest,
  readMediaReply,
  readProcessingReply,
  subtitlesRequest,
} from "./media-api.ts";

const DEFAULT_LANGUAGE = "EN";

type MediaType = "text/srt" | "text/vtt";

interface SubtitleFile {
  mediaType: MediaType;
  file: Blob;
}

/** Judges by content: names and headers are unreliable. */
function typeOf(text: string): MediaType | null {
  if (/^\uFEFF?WEBVTT(?:\s|$)/.test(text)) return "text/vtt";
  return /\d\d:\d\d:\d\d,\d{3}\s*-->/.test(text) ? "text/srt" : null;
}

async function answerOf(job: Job, url: string): Promise<Response | null> {
  try {
    return await job.fetch(new Request(url, { redirect: "manual" }));
  } catch {
    return null;
  }
}

async function readSubtitles(job: Job): Promise<Result<SubtitleFile, Refused>> {
  const stored = job.post.settingFiles?.x_subtitles_url;
  if (!stored) return fetchSubtitles(job, job.post.settings.x_subtitles_url ?? "");
  return toSubtitleFile(new Response(await job.readMedia(stored)));
}

async function toSubtitleFile(reply: Response): Promise<Result<SubtitleFile, Refused>> {
  const text = await readText(reply, MAX_SUBTITLES_BYTES);
  if (text === null) return refuse(mediaInvalid("The subtitles are empty or larger than 1 MB."));
  const mediaType = typeOf(text);
  if (!mediaType) return refuse(mediaInvalid("The subtitles are neither SRT nor WebVTT."));
  return ok({ mediaType, file: new Blob([text]) });
}

async function fetchSubtitles(job: Job, url: string): Promise<Result<SubtitleFile, Refused>> {
  const unreachable = (reason: string, transient: boolean) =>
    refuse(
      refusedBy({ ...UNREACHABLE, transient }, `The subtitles could not be fetched: ${reason}.`),
    );
  // URL rules may have changed since the post was made.
  const reason = refusedUrl(url);
  if (reason) return unreachable(`the address ${reason}`, false);
  const reply = await answerOf(job, url);
  if (!reply) return unreachable("the address does not answer", true);
  if (!reply.ok) {
    await reply.body?.cancel();
    const isTemporary = reply.status >= 500 || reply.status === 429 || reply.status === 408;
    return unreachable(`the address answers HTTP ${reply.status}`, isTemporary);
  }
  return toSubtitleFile(reply);
}

function goOnWithout(at: Preparing, error: XRefusal): Prepared {
  if (isTokenRefusal(error)) return TOKEN_EXPIRED;
  const warning = `The subtitles were not added: ${error.message}`;
  return next<Preparing>({
    ...at,
    subtitles: { state: "done" },
    warnings: [...at.warnings, warning],
  });
}

/** Subtitles fit one segment. */
export async function uploadSubtitles(job: Job, at: Preparing): Promise<Prepared> {
  const { accessToken } = job;
  const subtitles = await readSubtitles(job);
  if (!subtitles.ok) return subtitles.error;
  const { mediaType, file } = subtitles.value;
  const request = initializeRequest(accessToken, {
    media_type: mediaType,
    total_bytes: file.size,
    media_category: "subtitles",
  });
  const opened = await readMediaReply(await job.fetch(request));
  if (!opened.ok) return goOnWithout(at, opened.error);
  const id = opened.value;
  const segment = { data: file.stream(), sizeBytes: file.size };
  const sent = await readDoneReply(await job.fetch(appendRequest(accessToken, id, 0, segment)));
  if (!sent.ok) return goOnWithout(at, sent.error);
  const closed = await readProcessingReply(await job.fetch(finalizeRequest(accessToken, id)));
  if (!closed.ok) return goOnWithout(at, closed.error);
  return next<Preparing>({ ...at, subtitles: { state: "uploaded", id } });
}

const nameOf = (language: string): string =>
  new Intl.DisplayNames("en", { type: "language" }).of(language.toLowerCase()) ?? language;

export async function attachSubtitles(job: Job, at: Preparing, id: string): Promise<Prepared> {
  const [videoId = ""] = at.mediaIds;
  const video = { id: videoId, category: at.videoCategory };
  const language = job.post.settings.x_subtitles_language ?? DEFAULT_LANGUAGE;
  const request = subtitlesRequest(job.accessToken, video, {
    id,
    language_code: language,
    display_name: nameOf(language),
  });
  const reply = await readDoneReply(await job.fetch(request));
  if (!reply.ok) return goOnWithout(at, reply.error);
  return next<Preparing>({ ...at, subtitles: { state: "done" } });
}
