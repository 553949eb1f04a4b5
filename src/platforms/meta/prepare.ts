import type { Bookmark, MediaItem, Prepared, PublishJob, Stopped } from "../connector.ts";
import { failed, mediaInvalid, sendAgain } from "../kit/refusals.ts";
import { ageOf, growingLook, next, ready, waiting } from "../kit/steps.ts";
import {
  bookmark,
  type Children,
  type Container,
  type ContainerPlatform,
  type Fields,
  type Place,
  readCreatedReply,
} from "./containers.ts";
import type { GraphRefusal } from "./graph.ts";

/** As in open-source clients. */
const IMAGE_LOOK_SECONDS = 3;
const VIDEO_LOOK_SECONDS = 5;
const LONGEST_LOOK_SECONDS = 30;
/** An older missing container does not come back. Source: Meta, "Error codes". */
const MISSING_SECONDS = 120;
const LOOKS_PER_STEP = 8;

/** `Stopped`: the container cannot be published. */
type Look = "finished" | "in_progress" | Stopped;

export function containerPreparer<S>(platform: ContainerPlatform<S>) {
  type Job = PublishJob<S>;
  const { name, calls, judge } = platform;

  const hasVideo = ({ post }: Job): boolean => post.media.some(({ kind }) => kind === "video");

  const lookAfter = (job: Job, isVideo: boolean, since: number): number => {
    const first = isVideo ? VIDEO_LOOK_SECONDS : IMAGE_LOOK_SECONDS;
    return growingLook(first, LONGEST_LOOK_SECONDS, ageOf(since, job.now()));
  };

  /** One container per step, so that an interrupted run repeats at most one. */
  async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
    const { media } = job.post;
    if (stored === null) {
      if (!platform.isCarousel(job)) return createSingle(job);
      return createChild(job, { stage: "children", children: [], finished: 0, since: 0 });
    }
    const place = bookmark.parse(stored);
    switch (place.stage) {
      case "children":
        if (place.children.length < media.length) return createChild(job, place);
        if (place.finished < place.children.length) return followChildren(job, place);
        return create(job, platform.carouselFields(job, place.children), toContainer(job));
      case "container":
        return followContainer(job, place);
      case "published":
        throw new Error("A published post is not prepared again.");
      default:
        return place satisfies never;
    }
  }

  async function refuseVideo(job: Job, item: MediaItem | undefined): Promise<Prepared | null> {
    if (item?.kind !== "video") return null;
    const message = platform.refusedVideo(job, await job.inspectVideo(item), item.sizeBytes);
    return message === null ? null : mediaInvalid(message);
  }

  async function create(
    job: Job,
    fields: Fields,
    place: (containerId: string) => Place,
  ): Promise<Prepared> {
    const request = calls.create(job.accessToken, job.account.platformAccountId, fields);
    const reply = await readCreatedReply(await job.fetch(request), name);
    if (!reply.ok) return judge.toRefused(reply.error);
    const made = place(reply.value);
    const checkAfterSeconds = platform.firstLookSeconds;
    if (made.stage !== "container" || checkAfterSeconds === 0) return next(made);
    return waiting(made, checkAfterSeconds);
  }

  const toContainer =
    (job: Job) =>
    (containerId: string): Container => ({
      stage: "container",
      containerId,
      since: job.now().getTime(),
    });

  async function createSingle(job: Job): Promise<Prepared> {
    const refused = await refuseVideo(job, job.post.media[0]);
    return refused ?? create(job, await platform.singleFields(job), toContainer(job));
  }

  async function createChild(job: Job, place: Children): Promise<Prepared> {
    const index = place.children.length;
    const item = job.post.media[index];
    if (!item) throw new Error("A carousel has more containers than files.");
    const refused = await refuseVideo(job, item);
    if (refused) return refused;
    return create(job, await platform.childFields(job, item, index), (containerId) => ({
      ...place,
      children: [...place.children, containerId],
      since: job.now().getTime(),
    }));
  }

  /** Starts over only if the missing container is old: a new one may still appear. */
  function refuse(
    job: Job,
    refusal: GraphRefusal,
    place: Pick<Container, "since" | "readyAt">,
  ): Stopped {
    const refused = judge.toRefused(refusal);
    const { subcode, isSaidOfPublished } = platform.missing;
    const isLong = ageOf(place.since, job.now()) > MISSING_SECONDS;
    const mayBeOut = isSaidOfPublished && place.readyAt !== undefined;
    const isGone = refusal.subcode === subcode && isLong && !mayBeOut;
    return refused.kind === "failed" && isGone ? { ...refused, restart: true } : refused;
  }

  async function look(
    job: Job,
    containerId: string,
    place: Pick<Container, "since" | "readyAt">,
  ): Promise<Look> {
    const request = calls.look(job.accessToken, containerId);
    const reply = await calls.readLook(await job.fetch(request));
    if (!reply.ok) return refuse(job, reply.error, place);
    switch (reply.value.status) {
      case "FINISHED":
        return "finished";
      case "IN_PROGRESS":
        return "in_progress";
      case "EXPIRED":
        return sendAgain(`${name} dropped the prepared media before they were published.`);
      case "ERROR":
        return platform.toContainerRefused(reply.value.reason);
      case "PUBLISHED":
        return failed(
          "platform_processing_timeout",
          `${name} says that these media have already been published.`,
        );
      default:
        return reply.value.status satisfies never;
    }
  }

  async function followChildren(job: Job, place: Children): Promise<Prepared> {
    const { media } = job.post;
    let { finished } = place;
    for (const containerId of place.children.slice(finished, finished + LOOKS_PER_STEP)) {
      const seen = await look(job, containerId, place);
      if (seen === "in_progress") {
        const isVideo = media[finished]?.kind === "video";
        return waiting({ ...place, finished }, lookAfter(job, isVideo, place.since));
      }
      if (seen !== "finished") return seen;
      finished++;
    }
    return next({ ...place, finished });
  }

  async function followContainer(job: Job, place: Container): Promise<Prepared> {
    const { stage, containerId, since } = place;
    const now = job.now().getTime();
    const seen = await look(job, containerId, place);
    if (seen === "in_progress") return waiting(place, lookAfter(job, hasVideo(job), since));
    if (seen !== "finished") return seen;
    const finishedAt = place.finishedAt ?? place.readyAt ?? now;
    const rest = Math.ceil((platform.restSeconds?.(job) ?? 0) - ageOf(finishedAt, job.now()));
    if (rest > 0) return waiting({ ...place, finishedAt }, rest);
    return ready({ stage, containerId, since, readyAt: place.readyAt ?? now });
  }

  return { prepare, refuse };
}
