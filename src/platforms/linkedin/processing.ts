import type { Prepared, PublishJob, Waiting } from "../connector.ts";
import { mediaInvalid } from "../kit/refusals.ts";
import { ageOf, next, ready, waiting } from "../kit/steps.ts";
import type { ProcessingPlace, ReadyPlace } from "./bookmark.ts";
import { toRefused } from "./failures.ts";
import { getAssetRequest, readAssetReply } from "./media-api.ts";
import type { LinkedInSettings } from "./settings.ts";
import { isOrganization } from "./urn.ts";

export type Job = PublishJob<LinkedInSettings>;

const FIRST_LOOK_SECONDS = 2;
const VIDEO_LOOK_SECONDS = 5;
const QUICK_SECONDS = 30;
const SLOW_LOOK_SECONDS = 15;
const LOOKS_PER_STEP = 5;
/** About four minutes of refused checks: LinkedIn shows some videos only after processing. */
const MAX_FORBIDDEN_LOOKS = 20;

const isVideoPost = ({ post }: Job): boolean => post.media.some(({ kind }) => kind === "video");

function lookAfter(job: Job, since: number): number {
  if (ageOf(since, job.now()) > QUICK_SECONDS) return SLOW_LOOK_SECONDS;
  return isVideoPost(job) ? VIDEO_LOOK_SECONDS : FIRST_LOOK_SECONDS;
}

const lookAgain = (job: Job, place: ProcessingPlace): Waiting =>
  waiting(place, lookAfter(job, place.since));

export const beginProcessing = (job: Job, assets: string[]): Prepared =>
  lookAgain(job, { stage: "processing", assets, available: 0, since: job.now().getTime() });

export const toReady = (job: Job, assets: string[]): Prepared =>
  ready<ReadyPlace>({ stage: "ready", assets, readyAt: job.now().getTime() });

/** With a person's token, LinkedIn shows the status of videos only. */
const isReadable = (job: Job): boolean =>
  isVideoPost(job) || isOrganization(job.account.platformAccountId);

export async function followProcessing(job: Job, at: ProcessingPlace): Promise<Prepared> {
  if (!isReadable(job)) return toReady(job, at.assets);
  let { available } = at;
  for (const urn of at.assets.slice(available, available + LOOKS_PER_STEP)) {
    const kind = job.post.media[available]?.kind ?? "image";
    const reply = await readAssetReply(
      await job.fetch(getAssetRequest(job.accessToken, kind, urn)),
    );
    if (!reply.ok) {
      if (reply.error.status !== 403) return toRefused(reply.error);
      if (kind !== "video") return toReady(job, at.assets);
      const forbidden = (at.forbidden ?? 0) + 1;
      if (forbidden > MAX_FORBIDDEN_LOOKS) return toRefused(reply.error);
      return lookAgain(job, { ...at, available, forbidden });
    }
    const { status, reason } = reply.value;
    if (status === "PROCESSING_FAILED") {
      return mediaInvalid(
        `LinkedIn could not process the ${kind}${reason ? `: ${reason.slice(0, 300).toWellFormed()}` : ""}.`,
      );
    }
    if (status !== "AVAILABLE") {
      return lookAgain(job, { ...at, available });
    }
    available++;
  }
  if (available < at.assets.length) return next({ ...at, available });
  return toReady(job, at.assets);
}
