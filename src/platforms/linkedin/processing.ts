import { secondsBetween } from "../../core/time.ts";
import type { Prepared, PublishJob, Waiting } from "../connector.ts";
import { mediaInvalid } from "../kit/refusals.ts";
import type { ProcessingPlace, ReadyPlace } from "./bookmark.ts";
import { toRefused } from "./failures.ts";
import { getAssetRequest, readAssetReply } from "./media-api.ts";
import type { LinkedInSettings } from "./settings.ts";
import { isOrganization } from "./urn.ts";

export type Job = PublishJob<LinkedInSettings>;

/** Most images and documents are through by then. */
const FIRST_LOOK_SECONDS = 2;
const VIDEO_LOOK_SECONDS = 5;
/** What takes longer than half a minute is looked at less often. */
const QUICK_SECONDS = 30;
const SLOW_LOOK_SECONDS = 15;
/** Files looked at in one step. */
const LOOKS_PER_STEP = 5;
/** Refused looks at a video: four minutes of them. LinkedIn shows some videos only once it is through. */
const MAX_FORBIDDEN_LOOKS = 20;

const isVideoPost = ({ post }: Job): boolean => post.media.some(({ kind }) => kind === "video");

function lookAfter(job: Job, since: number): number {
  if (secondsBetween(new Date(since), job.now()) > QUICK_SECONDS) return SLOW_LOOK_SECONDS;
  return isVideoPost(job) ? VIDEO_LOOK_SECONDS : FIRST_LOOK_SECONDS;
}

/** Everything has been sent. */
export function beginProcessing(job: Job, assets: string[]): Prepared {
  const since = job.now().getTime();
  const bookmark: ProcessingPlace = { stage: "processing", assets, available: 0, since };
  return { kind: "waiting", bookmark, checkAfterSeconds: lookAfter(job, since) };
}

export function toReady(job: Job, assets: string[]): Prepared {
  const bookmark: ReadyPlace = { stage: "ready", assets, readyAt: job.now().getTime() };
  return { kind: "ready", bookmark };
}

/** A person's own token reads videos alone; whether the rest is ready shows when it is posted. */
const isReadable = (job: Job): boolean =>
  isVideoPost(job) || isOrganization(job.account.platformAccountId);

const lookAgain = (job: Job, bookmark: ProcessingPlace): Waiting => ({
  kind: "waiting",
  bookmark,
  checkAfterSeconds: lookAfter(job, bookmark.since),
});

/** Looks at the files in order, up to the first that is not ready yet. */
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
  if (available < at.assets.length) return { kind: "next", bookmark: { ...at, available } };
  return toReady(job, at.assets);
}
