import type {
  Bookmark,
  PublishedPost,
  PublishJob,
  Reconciled,
  Settled,
  Submitted,
} from "../connector.ts";
import { field, maybeText } from "../kit/replies.ts";
import {
  ageOf,
  bookmark,
  type Container,
  type ContainerPlatform,
  type Place,
  readCreatedReply,
} from "./containers.ts";
import { type GraphRefusal, readGraphReply } from "./graph.ts";
import { containerPreparer } from "./prepare.ts";

/** How long the address of a fresh post is asked for, and how often. */
const PERMALINK_SECONDS = 20;
const PERMALINK_LOOK_SECONDS = 4;
/** So soon after a container was seen to be ready, no call before this one can have published it. */
const FIRST_CALL_SECONDS = 60;
/** Between our clock and Meta's. */
const CLOCK_SLACK_SECONDS = 60;

const addressed = field("permalink", maybeText);

function toPublishable(stored: Bookmark): Container {
  const place = bookmark.parse(stored);
  if (place.stage !== "container") throw new Error(`Nothing to publish at ${place.stage}.`);
  return place;
}

const toPublished = (platformPostId: string, shareUrl: string | null): PublishedPost => ({
  kind: "published",
  platformPostId,
  shareUrl,
});

/** Meta trims texts, and is free in how it writes line ends and accents. */
const plain = (text: string | null): string =>
  (text ?? "").normalize("NFC").replace(/\s+/g, " ").trim();

/** Meta writes offsets without a colon: `2026-12-01T09:00:00+0000`. */
const toInstant = (timestamp: string | null): number =>
  Date.parse((timestamp ?? "").replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));

/** Publishing at one of Meta's platforms that work with containers. */
export function containerPublisher<S>(platform: ContainerPlatform<S>) {
  type Job = PublishJob<S>;
  const { name, calls, judge } = platform;
  const { prepare, refuse } = containerPreparer(platform);

  /** Publishes the container, which works once. */
  async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
    const place = toPublishable(stored);
    const { containerId } = place;
    const request = calls.publish(job.accessToken, job.account.platformAccountId, containerId);
    const reply = await readCreatedReply(await job.fetch(request), name);
    if (reply.ok) {
      const mediaId = reply.value;
      if (!platform.hasPermalink(job)) return toPublished(mediaId, null);
      const since = job.now().getTime();
      const published: Place = { stage: "published", containerId, mediaId, since };
      return { kind: "waiting", bookmark: published, checkAfterSeconds: 0 };
    }
    if (judge.isUndecided(reply.error)) return { kind: "unknown", message: reply.error.message };
    return judgeRefused(job, reply.error, place);
  }

  /**
   * A container is published once, so a call after one whose answer was lost is refused where that one
   * was taken in late: the refusal stands only where the container has not been published.
   */
  async function judgeRefused(
    job: Job,
    refusal: GraphRefusal,
    place: Container,
  ): Promise<Submitted> {
    const refused = refuse(job, refusal, place);
    const isFirstCall = ageOf(place.readyAt ?? place.since, job.now()) <= FIRST_CALL_SECONDS;
    if (refused.kind === "token_expired" || isFirstCall) return refused;
    const request = calls.look(job.accessToken, place.containerId);
    const reply = await calls.readLook(await job.fetch(request));
    if (reply.ok) return reply.value.status === "PUBLISHED" ? findPublished(job, place) : refused;
    return judge.isPassing(reply.error) ? { kind: "unknown", message: refusal.message } : refused;
  }

  /** Asks for the address of the post. It is out: nothing that happens here makes it fail. */
  async function settle(job: Job, stored: Bookmark): Promise<Settled> {
    const place = bookmark.parse(stored);
    if (place.stage !== "published") throw new Error(`Nothing to settle at ${place.stage}.`);
    const shareUrl = await findPermalink(job, place.mediaId);
    const isLong = ageOf(place.since, job.now()) > PERMALINK_SECONDS;
    if (shareUrl !== null || isLong) return toPublished(place.mediaId, shareUrl);
    return { kind: "waiting", bookmark: stored, checkAfterSeconds: PERMALINK_LOOK_SECONDS };
  }

  async function findPermalink(job: Job, mediaId: string): Promise<string | null> {
    try {
      const request = calls.findPermalink(job.accessToken, mediaId);
      const reply = await readGraphReply(await job.fetch(request), addressed, name);
      return reply.ok ? reply.value : null;
    } catch {
      return null;
    }
  }

  /**
   * What became of a publishing without an answer, by the container's status.
   *
   * @throws when the platform cannot say now, so that it is asked again later
   */
  async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
    const place = toPublishable(stored);
    const request = calls.look(job.accessToken, place.containerId);
    const reply = await calls.readLook(await job.fetch(request));
    if (!reply.ok) return judge.toUnknowable(reply.error);
    switch (reply.value.status) {
      case "PUBLISHED":
        return findPublished(job, place);
      case "IN_PROGRESS":
        throw new Error(`${name} is still working on the media.`);
      // A container that has been published says so for good: these never were, and publishing them
      // again tells why.
      case "FINISHED":
      case "ERROR":
      case "EXPIRED":
        return { kind: "absent" };
    }
  }

  /** The post that came of a container; without its own id and address where no list shows it. */
  async function findPublished(job: Job, place: Container): Promise<PublishedPost> {
    const text = plain(platform.listedText(job));
    const reply = await calls.readList(await job.fetch(calls.list(job)));
    const from = (place.readyAt ?? place.since) - CLOCK_SLACK_SECONDS * 1_000;
    const found = (reply.ok ? reply.value : []).filter(
      (post) => toInstant(post.timestamp) >= from && plain(post.text) === text,
    );
    const [post] = found;
    if (!post || found.length > 1) return toPublished(place.containerId, null);
    return toPublished(post.id, platform.hasPermalink(job) ? post.permalink : null);
  }

  return { prepare, submit, settle, reconcile };
}
