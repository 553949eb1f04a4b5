import * as z from "zod";
import { secondsBetween } from "../../core/time.ts";
import type {
  Bookmark,
  MediaItem,
  Prepared,
  PublishedPost,
  PublishJob,
  Reconciled,
  Refused,
  Settled,
  Submitted,
  TokenExpired,
} from "../connector.ts";
import type { GraphRefusal } from "../meta-graph.ts";
import {
  createContainerRequest,
  getContainerRequest,
  getMediaRequest,
  listMediaRequest,
  publishRequest,
  readCreateContainerReply,
  readGetContainerReply,
  readGetMediaReply,
  readListMediaReply,
  readPublishReply,
} from "./api.ts";
import { REEL_RULES, STORY_RULES } from "./capabilities.ts";
import { captionOf, shapeOf } from "./check.ts";
import { carouselFields, childFields, singleFields } from "./containers.ts";
import {
  expiredContainer,
  isPassing,
  isTokenRefusal,
  isUndecided,
  toContainerRefused,
  toRefused,
} from "./failures.ts";
import type { InstagramSettings } from "./settings.ts";
import { refusedVideo } from "./video-rules.ts";

type Job = PublishJob<InstagramSettings>;

/** Between two looks at a container, at first: most take seconds. Source: practice of others. */
const IMAGE_LOOK_SECONDS = 3;
const VIDEO_LOOK_SECONDS = 5;
const LONGEST_LOOK_SECONDS = 30;
/** The interval grows by a second in this time. */
const LOOK_GROWTH_SECONDS = 10;
/** The container is not to be found; what lasts longer is no passing state. Source: Meta, "Error codes". */
const CONTAINER_MISSING = 2207008;
const MISSING_SECONDS = 120;
/** How long the address of a fresh post is asked for, and how often. */
const PERMALINK_SECONDS = 20;
const PERMALINK_LOOK_SECONDS = 4;
/** Between our clock and Instagram's. */
const CLOCK_SLACK_SECONDS = 60;

/** Where a post stands. Moments in epoch milliseconds. */
const bookmark = z.discriminatedUnion("stage", [
  /** `children`: the containers of the first files; `finished`: how many of them are processed. */
  z.object({
    stage: z.literal("children"),
    children: z.array(z.string()),
    finished: z.int(),
    since: z.number(),
  }),
  /** `readyAt`: when it was seen to be ready, before anything was published. */
  z.object({
    stage: z.literal("container"),
    containerId: z.string(),
    since: z.number(),
    readyAt: z.number().optional(),
  }),
  z.object({
    stage: z.literal("published"),
    containerId: z.string(),
    mediaId: z.string(),
    since: z.number(),
  }),
]);

type Place = z.infer<typeof bookmark>;
type Children = Extract<Place, { stage: "children" }>;
type Container = Extract<Place, { stage: "container" }>;

const next = (place: Place): Prepared => ({ kind: "next", bookmark: place });

/** Seconds until the next look at something that has been in work since `since`. */
function lookAfter(job: Job, hasVideo: boolean, since: number): number {
  const first = hasVideo ? VIDEO_LOOK_SECONDS : IMAGE_LOOK_SECONDS;
  const age = Math.max(0, secondsBetween(new Date(since), job.now()));
  return Math.min(first + Math.floor(age / LOOK_GROWTH_SECONDS), LONGEST_LOOK_SECONDS);
}

const hasVideo = ({ post }: Job): boolean => post.media.some(({ kind }) => kind === "video");

/**
 * Makes the containers and waits until the one to be published is ready: one call a step, so that no
 * container is made twice by a run that breaks off.
 */
export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  const { media } = job.post;
  const [item] = media;
  if (stored === null) {
    if (!item) throw new Error("An Instagram post without media got past its check.");
    if (shapeOf(job.post) !== "carousel") return createSingle(job, item);
    return createChild(job, { stage: "children", children: [], finished: 0, since: 0 });
  }
  const place = bookmark.parse(stored);
  switch (place.stage) {
    case "children":
      if (place.children.length < media.length) return createChild(job, place);
      if (place.finished < place.children.length) return followChildren(job, place);
      return createCarousel(job, place);
    case "container":
      return followContainer(job, place);
    case "published":
      throw new Error("A published post is not prepared again.");
  }
}

/** Null when nothing speaks against the file. */
async function refuseVideo(job: Job, item: MediaItem): Promise<Prepared | null> {
  if (item.kind !== "video") return null;
  const rules = shapeOf(job.post) === "story" ? STORY_RULES : REEL_RULES;
  const message = refusedVideo(await job.inspectVideo(item), item.sizeBytes, rules);
  if (message === null) return null;
  return { kind: "failed", failure: { code: "media_invalid", message }, transient: false };
}

/** @param place where the post stands once it has the container */
async function create(
  job: Job,
  fields: Record<string, string>,
  place: (containerId: string) => Place,
): Promise<Prepared> {
  const { platformAccountId } = job.account;
  const request = createContainerRequest(job.accessToken, platformAccountId, fields);
  const reply = await readCreateContainerReply(await job.fetch(request));
  return reply.ok ? next(place(reply.value)) : toRefused(reply.error);
}

const toContainer =
  (job: Job) =>
  (containerId: string): Container => ({
    stage: "container",
    containerId,
    since: job.now().getTime(),
  });

async function createSingle(job: Job, item: MediaItem): Promise<Prepared> {
  const refused = await refuseVideo(job, item);
  return refused ?? create(job, await singleFields(job, item), toContainer(job));
}

async function createChild(job: Job, place: Children): Promise<Prepared> {
  const index = place.children.length;
  const item = job.post.media[index];
  if (!item) throw new Error("A carousel has more containers than files.");
  const refused = await refuseVideo(job, item);
  if (refused) return refused;
  return create(job, await childFields(job, item, index), (containerId) => ({
    ...place,
    children: [...place.children, containerId],
    since: job.now().getTime(),
  }));
}

const createCarousel = (job: Job, { children }: Children): Promise<Prepared> =>
  create(job, carouselFields(job, children), toContainer(job));

type Look = { kind: "finished" } | { kind: "in_progress" } | { kind: "ended"; step: Prepared };

const ended = (step: Prepared): Look => ({ kind: "ended", step });

/** A container that is missing for a moment may come back; for longer, it is made anew. */
function refuse(job: Job, refusal: GraphRefusal, since: number): Refused | TokenExpired {
  const refused = toRefused(refusal);
  const isLong = secondsBetween(new Date(since), job.now()) > MISSING_SECONDS;
  const isGone = refusal.subcode === CONTAINER_MISSING && isLong;
  return refused.kind === "failed" && isGone ? { ...refused, restart: true } : refused;
}

async function look(job: Job, containerId: string, since: number): Promise<Look> {
  const request = getContainerRequest(job.accessToken, containerId);
  const reply = await readGetContainerReply(await job.fetch(request));
  if (!reply.ok) return ended(refuse(job, reply.error, since));
  const { status_code, status } = reply.value;
  switch (status_code) {
    case "FINISHED":
      return { kind: "finished" };
    case "IN_PROGRESS":
      return { kind: "in_progress" };
    case "EXPIRED":
      return ended(expiredContainer());
    case "ERROR":
      return ended(toContainerRefused(status));
    case "PUBLISHED":
      return ended({
        kind: "failed",
        failure: {
          code: "platform_processing_timeout",
          message: "Instagram says that these media have already been published.",
        },
        transient: false,
      });
  }
}

/** Looks at the files that were not finished yet, in order, up to the first that still is not. */
async function followChildren(job: Job, place: Children): Promise<Prepared> {
  const { media } = job.post;
  let { finished } = place;
  for (const containerId of place.children.slice(finished)) {
    const seen = await look(job, containerId, place.since);
    if (seen.kind === "ended") return seen.step;
    if (seen.kind === "in_progress") {
      const isVideo = media[finished]?.kind === "video";
      const checkAfterSeconds = lookAfter(job, isVideo, place.since);
      return { kind: "waiting", bookmark: { ...place, finished }, checkAfterSeconds };
    }
    finished++;
  }
  return next({ ...place, finished });
}

async function followContainer(job: Job, place: Container): Promise<Prepared> {
  const { stage, containerId, since } = place;
  const seen = await look(job, containerId, since);
  if (seen.kind === "ended") return seen.step;
  if (seen.kind === "in_progress") {
    const checkAfterSeconds = lookAfter(job, hasVideo(job), since);
    return { kind: "waiting", bookmark: { ...place }, checkAfterSeconds };
  }
  return {
    kind: "ready",
    bookmark: { stage, containerId, since, readyAt: job.now().getTime() },
  };
}

const toPublished = (platformPostId: string, shareUrl: string | null): PublishedPost => ({
  kind: "published",
  platformPostId,
  shareUrl,
});

/** Publishes the container, which works once. A story keeps no address beyond its 24 hours. */
export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const place = toPublishable(stored);
  const { containerId } = place;
  const request = publishRequest(job.accessToken, job.account.platformAccountId, containerId);
  const reply = await readPublishReply(await job.fetch(request));
  if (reply.ok) {
    const mediaId = reply.value;
    if (shapeOf(job.post) === "story") return toPublished(mediaId, null);
    const published: Place = {
      stage: "published",
      containerId,
      mediaId,
      since: job.now().getTime(),
    };
    return { kind: "waiting", bookmark: published, checkAfterSeconds: 0 };
  }
  if (isUndecided(reply.error)) return { kind: "unknown", message: reply.error.message };
  return refuse(job, reply.error, place.since);
}

function toPublishable(stored: Bookmark): Container {
  const place = bookmark.parse(stored);
  if (place.stage !== "container") throw new Error(`Nothing to publish at ${place.stage}.`);
  return place;
}

/** Asks for the address of the post. It is out: nothing that happens here makes it fail. */
export async function settle(job: Job, stored: Bookmark): Promise<Settled> {
  const place = bookmark.parse(stored);
  if (place.stage !== "published") throw new Error(`Nothing to settle at ${place.stage}.`);
  const shareUrl = await findPermalink(job, place.mediaId);
  const isLong = secondsBetween(new Date(place.since), job.now()) > PERMALINK_SECONDS;
  if (shareUrl !== null || isLong) return toPublished(place.mediaId, shareUrl);
  return { kind: "waiting", bookmark: stored, checkAfterSeconds: PERMALINK_LOOK_SECONDS };
}

async function findPermalink(job: Job, mediaId: string): Promise<string | null> {
  try {
    const request = getMediaRequest(job.accessToken, mediaId);
    const reply = await readGetMediaReply(await job.fetch(request));
    return reply.ok ? (reply.value.permalink ?? null) : null;
  } catch {
    return null;
  }
}

/**
 * What became of a publishing without an answer, by the container's status.
 *
 * @throws when Instagram cannot say now, so that it is asked again later
 */
export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const place = toPublishable(stored);
  const request = getContainerRequest(job.accessToken, place.containerId);
  const reply = await readGetContainerReply(await job.fetch(request));
  if (!reply.ok) {
    if (isTokenRefusal(reply.error)) return { kind: "token_expired" };
    if (isPassing(reply.error)) throw new Error(reply.error.message);
    return { kind: "unknowable", message: reply.error.message };
  }
  switch (reply.value.status_code) {
    case "PUBLISHED":
      return findPublished(job, place);
    case "IN_PROGRESS":
      throw new Error("Instagram is still working on the media.");
    // A container that has been published says so for good: these never were, and publishing them
    // again tells why.
    case "FINISHED":
    case "ERROR":
    case "EXPIRED":
      return { kind: "absent" };
  }
}

/** Instagram trims captions, and is free in how it writes line ends. */
const plain = (caption: string | null | undefined): string =>
  (caption ?? "").replace(/\s+/g, " ").trim();

/** Instagram writes offsets without a colon: `2026-12-01T09:00:00+0000`. */
const toInstant = (timestamp: string | null | undefined): number =>
  Date.parse((timestamp ?? "").replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));

/** The post that came of a container; without its own id and address where the lists do not show it. */
async function findPublished(job: Job, place: Container): Promise<PublishedPost> {
  const isStory = shapeOf(job.post) === "story";
  const caption = isStory ? "" : plain(captionOf(job.post));
  const edge = isStory ? "stories" : "media";
  const request = listMediaRequest(job.accessToken, job.account.platformAccountId, edge);
  const reply = await readListMediaReply(await job.fetch(request));
  const from = (place.readyAt ?? place.since) - CLOCK_SLACK_SECONDS * 1_000;
  const found = (reply.ok ? reply.value : []).filter(
    (post) => toInstant(post.timestamp) >= from && plain(post.caption) === caption,
  );
  const [post] = found;
  if (!post || found.length > 1) return toPublished(place.containerId, null);
  return toPublished(post.id, isStory ? null : (post.permalink ?? null));
}
