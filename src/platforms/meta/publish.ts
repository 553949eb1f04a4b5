import * as z from "zod";
import { ok } from "../../core/result.ts";
import type {
  Bookmark,
  PublishedPost,
  PublishJob,
  Reconciled,
  Settled,
  Submitted,
} from "../connector.ts";
import { placeAt } from "../kit/bookmarks.ts";
import { comparable } from "../kit/listings.ts";
import { maybeText } from "../kit/shapes.ts";
import { ageOf, published, undecided, unknowable, waiting } from "../kit/steps.ts";
import {
  bookmark,
  type Container,
  type ContainerPlatform,
  type ListedPost,
  type Place,
  readCreatedReply,
  unnamedPost,
} from "./containers.ts";
import { type GraphRefusal, readGraphReply } from "./graph.ts";
import { containerPreparer } from "./prepare.ts";
import { CLOCK_SLACK_SECONDS, settlePermalink, toInstant } from "./published.ts";

/** So soon after a container is ready, no earlier call can have published it. */
const FIRST_CALL_SECONDS = 60;
/** As in open-source clients. */
const LOST_SECONDS = 20;
const addressed = z.object({ permalink: maybeText, is_reply: z.boolean().nullish().catch(null) });

const toPublishable = (stored: Bookmark): Container => placeAt(bookmark.parse(stored), "container");

export function containerPublisher<S>(platform: ContainerPlatform<S>) {
  type Job = PublishJob<S>;
  const { name, calls, judge } = platform;
  const { prepare, refuse } = containerPreparer(platform);

  async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
    const place = toPublishable(stored);
    const { containerId } = place;
    const request = calls.publish(job.accessToken, job.account.platformAccountId, containerId);
    const reply = await readCreatedReply(await job.fetch(request), name);
    if (reply.ok) {
      const mediaId = reply.value;
      if (!platform.hasPermalink(job)) return published(mediaId, null);
      const since = job.now().getTime();
      return waiting<Place>({ stage: "published", containerId, mediaId, since }, 0);
    }
    if (judge.isUndecided(reply.error)) return undecided(reply.error.message);
    return judgeRefused(job, reply.error, place);
  }

  /** An unanswered call may have published the container. The refusal counts only if it did not. */
  async function judgeRefused(
    job: Job,
    refusal: GraphRefusal,
    place: Container,
  ): Promise<Submitted> {
    const refused = refuse(job, refusal, place);
    const { subcode, isSaidOfPublished } = platform.missing;
    const mayBeLost = isSaidOfPublished && refusal.subcode === subcode;
    const age = ageOf(place.readyAt ?? place.since, job.now());
    const isEarly = age <= (mayBeLost ? LOST_SECONDS : FIRST_CALL_SECONDS);
    if (refused.kind === "token_expired" || isEarly) return refused;
    const request = calls.look(job.accessToken, place.containerId);
    const reply = await calls.readLook(await job.fetch(request));
    if (!reply.ok) return judge.isTemporary(reply.error) ? undecided(refusal.message) : refused;
    const { status } = reply.value;
    if (status === "PUBLISHED") return findPublished(job, place);
    if (!mayBeLost || status !== "FINISHED") return refused;
    const matches = await listMatches(job, place);
    return matches?.length === 0 ? { ...refused, restart: true } : refused;
  }

  async function settle(job: Job, stored: Bookmark): Promise<Settled> {
    const place = placeAt(bookmark.parse(stored), "published");
    const isReply = job.replyTo !== undefined;
    const request = calls.findPermalink(job.accessToken, place.mediaId, isReply);
    const warnings: string[] = [];
    return settlePermalink(
      job,
      place,
      async () => {
        const reply = await readGraphReply(await job.fetch(request), addressed, name);
        if (!reply.ok) return reply;
        const { permalink, is_reply } = reply.value;
        if (isReply && is_reply === false) {
          warnings.push(`${name} published it as a post of its own, not as a reply.`);
        }
        return ok(permalink);
      },
      (permalink) => published(place.mediaId, permalink, warnings),
    );
  }

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
      // The container was never published. The next publish call shows why.
      case "FINISHED":
      case "ERROR":
      case "EXPIRED":
        return { kind: "absent" };
      default:
        return reply.value.status satisfies never;
    }
  }

  async function listPosts(job: Job): Promise<ListedPost[] | null> {
    const reply = await calls.readList(await job.fetch(calls.list(job)));
    return reply.ok ? reply.value : null;
  }

  async function listMatches(job: Job, place: Container): Promise<ListedPost[] | null> {
    const text = comparable(platform.listedText(job));
    const posts = await listPosts(job);
    if (posts === null) return null;
    const from = (place.readyAt ?? place.since) - CLOCK_SLACK_SECONDS * 1_000;
    return posts.filter(
      (post) =>
        toInstant(post.timestamp) >= from &&
        comparable(post.text) === text &&
        (job.replyTo === undefined ||
          (post.repliedTo === job.replyTo.parent && post.id !== job.replyTo.latest)),
    );
  }

  /** Unless exactly one listed post matches, the container's id replaces the post's. */
  async function findPublished(job: Job, place: Container): Promise<PublishedPost> {
    const matches = (await listMatches(job, place)) ?? [];
    const [post] = matches;
    if (!post || matches.length > 1) return published(unnamedPost(place.containerId), null);
    return published(post.id, platform.hasPermalink(job) ? post.permalink : null);
  }

  async function findPublishedSince(job: Job, since: Date): Promise<Reconciled> {
    const text = comparable(platform.listedText(job));
    if (text === "") return unknowable(`${name} lists no text by which to know this post.`);
    const posts = await listPosts(job);
    if (posts === null) return unknowable(`${name} did not list the posts of the account.`);
    const from = since.getTime() - CLOCK_SLACK_SECONDS * 1_000;
    const isYoung = (post: ListedPost) => toInstant(post.timestamp) >= from;
    const matches = posts.filter((post) => isYoung(post) && comparable(post.text) === text);
    const [post] = matches;
    if (matches.length > 1) return unknowable(`${name} lists several posts with this text.`);
    if (post) return published(post.id, platform.hasPermalink(job) ? post.permalink : null);
    if (posts.length > 0 && posts.every(isYoung)) {
      return unknowable(`The account has more new posts than ${name} lists at once.`);
    }
    return { kind: "absent" };
  }

  return { prepare, submit, settle, reconcile, findPublished: findPublishedSince };
}
