import type { MediaItem, Prepared, Submitted } from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import { next, ready, undecided, waiting } from "../kit/steps.ts";
import type { Job, ReelPlace } from "./bookmark.ts";
import {
  isRefusedParameter,
  isTemporary,
  isTokenRefusal,
  isUndecided,
  toPullRefused,
  toRefused,
} from "./failures.ts";
import {
  accepted,
  isArriving,
  isUploaded,
  judgeRefusedFinish,
  look,
  lookAfter,
  refusalOf,
} from "./progress.ts";
import {
  AI_LABEL,
  finishReelRequest,
  pullReelRequest,
  readFinishReply,
  readPullReelReply,
  readStartReelReply,
  startReelRequest,
} from "./video-api.ts";
import { refusedReel } from "./video-rules.ts";

export async function openReel(job: Job, item: MediaItem): Promise<Prepared> {
  const problem = refusedReel(await job.inspectVideo(item));
  if (problem) return failed("media_invalid", problem);
  const request = startReelRequest(job.accessToken, job.account.platformAccountId);
  const reply = await readStartReelReply(await job.fetch(request));
  if (!reply.ok) return toRefused(reply.error);
  const since = job.now().getTime();
  return next<ReelPlace>({ stage: "reel", ...reply.value, asked: false, since });
}

export async function followUpload(job: Job, item: MediaItem, at: ReelPlace): Promise<Prepared> {
  const reply = await look(job, at.videoId);
  if (reply.ok) {
    const { status } = reply.value;
    const refused = refusalOf(status);
    if (refused) return refused;
    if (isUploaded(status)) return ready(at);
    if (at.asked || isArriving(status)) return lookLater(job, at);
  } else if (at.asked || isTokenRefusal(reply.error) || isTemporary(reply.error)) {
    // A second download request would fail the reel.
    return toRefused(reply.error);
  }
  return askForPull(job, item, at);
}

const lookLater = (job: Job, at: ReelPlace): Prepared =>
  waiting<ReelPlace>({ ...at, asked: true }, lookAfter(job, at.since));

async function askForPull(job: Job, item: MediaItem, at: ReelPlace): Promise<Prepared> {
  const fileUrl = await job.mediaUrl(item);
  const request = pullReelRequest(job.accessToken, at.uploadUrl, fileUrl);
  const reply = await readPullReelReply(await job.fetch(request));
  if (!reply.ok) return toPullRefused(reply.error);
  return lookLater(job, { ...at, since: job.now().getTime() });
}

function finish(job: Job, at: ReelPlace, isLabelled: boolean) {
  const { title, description } = job.post;
  const reel = { videoId: at.videoId, texts: { title, description }, isLabelled };
  return finishReelRequest(job.accessToken, job.account.platformAccountId, reel);
}

/** A refusal that names the AI label has no effect, so the call is repeated without it. */
export async function finishReel(job: Job, at: ReelPlace): Promise<Submitted> {
  const { is_aigc: isLabelled } = job.post.settings;
  let reply = await readFinishReply(await job.fetch(finish(job, at, isLabelled)));
  const isUnlabelled = isLabelled && !reply.ok && isRefusedParameter(reply.error, AI_LABEL);
  if (isUnlabelled) reply = await readFinishReply(await job.fetch(finish(job, at, false)));
  if (reply.ok) return accepted(job, { videoId: at.videoId, isReel: true, isUnlabelled });
  const { message } = reply.error;
  if (isUndecided(reply.error)) return undecided(message);
  return judgeRefusedFinish(job, at, reply.error);
}
