import type { Bookmark, Prepared, Reconciled, Stopped, Submitted } from "../connector.ts";
import { failed, mediaInvalid } from "../kit/refusals.ts";
import { ageOf, next, ready, undecided, unknowable } from "../kit/steps.ts";
import {
  createPostRequest,
  meRequest,
  type PostBody,
  readCreatePostReply,
  readMeReply,
  readUsersReply,
  usersRequest,
} from "./api.ts";
import { type Job, type Preparing, type Ready, readBookmark, readReady } from "./bookmark.ts";
import {
  capabilities,
  MAX_TWEET_VIDEO_SECONDS,
  MAX_VIDEO_SECONDS,
  POLL_MINUTES,
  timing,
} from "./capabilities.ts";
import { altTexts } from "./check.ts";
import { areMediaRefused, isDuplicate, isUndecided, toRefused, toUnknowable } from "./failures.ts";
import { describeFile, uploadNext } from "./media.ts";
import { textOf } from "./post-text.ts";
import { hasCircle } from "./settings.ts";
import { attachSubtitles, uploadSubtitles } from "./subtitles.ts";
import { findOwnPost, toPublished } from "./timeline.ts";
import { videoProblem } from "./video-rules.ts";
import { weightedLength } from "./weighted-length.ts";

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  if (stored === null) return begin(job);
  const at = readBookmark(stored);
  if (at.stage === "preparing") return proceed(job, at);
  return ready({ ...at, readyAt: job.now().getTime() });
}

async function begin(job: Job): Promise<Prepared> {
  const { settings } = job.post;
  const [item] = job.post.media;
  const facts = item?.kind === "video" ? await job.inspectVideo(item) : null;
  const problem = item?.kind === "video" ? videoProblem(facts, settings.x_premium) : null;
  if (problem) return mediaInvalid(problem);
  const seconds = facts?.durationSeconds ?? 0;
  const isLong =
    weightedLength(textOf(job.post)) > capabilities.limits.postCharacters ||
    seconds > MAX_VIDEO_SECONDS;
  const refused = isLong ? await requirePremium(job) : null;
  if (refused) return refused;
  const at: Preparing = {
    stage: "preparing",
    taggedIds: settings.x_tagged_users.length > 0 ? null : [],
    subtitles: { state: settings.x_subtitles_url ? "missing" : "done" },
    mediaIds: [],
    upload: null,
    videoCategory: seconds > MAX_TWEET_VIDEO_SECONDS ? "amplify_video" : "tweet_video",
    described: 0,
    warnings: [],
  };
  return isLong ? next(at) : proceed(job, at);
}

async function proceed(job: Job, at: Preparing): Promise<Prepared> {
  const { media } = job.post;
  if (at.taggedIds === null) return findTagged(job, at);
  if (at.subtitles.state === "missing") return uploadSubtitles(job, at);
  if (at.mediaIds.length < media.length) return uploadNext(job, at);
  const undescribed = media.findIndex(
    (_, index) => index >= at.described && altTexts.textOf(job.post, index) !== "",
  );
  if (undescribed !== -1) return describeFile(job, at, undescribed);
  if (at.subtitles.state === "uploaded") return attachSubtitles(job, at, at.subtitles.id);
  const { taggedIds, mediaIds, warnings } = at;
  const readyAt = job.now().getTime();
  return ready<Ready>({ stage: "ready", taggedIds, mediaIds, warnings, readyAt });
}

/** The only subscription type without long posts. */
const NO_SUBSCRIPTION = "None";

/** Null when the account may publish long posts, or when X does not tell. */
async function requirePremium(job: Job): Promise<Stopped | null> {
  const reply = await readMeReply(await job.fetch(meRequest(job.accessToken)));
  if (!reply.ok) return toRefused(reply.error, job.now());
  if (reply.value.subscription_type !== NO_SUBSCRIPTION) return null;
  return failed(
    "content_flagged",
    `The account @${reply.value.username} does not subscribe to X Premium, so its posts take ${capabilities.limits.postCharacters} characters and ${MAX_VIDEO_SECONDS / 60} minutes of video; shorten the post.`,
  );
}

async function findTagged(job: Job, at: Preparing): Promise<Prepared> {
  const usernames = job.post.settings.x_tagged_users;
  const reply = await readUsersReply(await job.fetch(usersRequest(job.accessToken, usernames)));
  if (!reply.ok) return toRefused(reply.error, job.now());
  const idOf = new Map(reply.value.map(({ id, username }) => [username.toLowerCase(), id]));
  const unknownNames = usernames.filter((name) => !idOf.has(name.toLowerCase()));
  const warnings = unknownNames.map((name) => `@${name} was not tagged: X knows no such user.`);
  return next({
    ...at,
    taggedIds: usernames.flatMap((name) => idOf.get(name.toLowerCase()) ?? []),
    warnings: [...at.warnings, ...warnings],
  });
}

function toBody(job: Job, { mediaIds, taggedIds }: Ready): PostBody {
  const { settings } = job.post;
  const text = textOf(job.post);
  const tagged = taggedIds.length > 0 ? { tagged_user_ids: taggedIds } : {};
  const poll = {
    options: settings.x_poll_options,
    duration_minutes: settings.x_poll_duration_minutes ?? POLL_MINUTES.usual,
  };
  return {
    ...(text === "" ? {} : { text }),
    ...(mediaIds.length > 0 ? { media: { media_ids: mediaIds, ...tagged } } : {}),
    ...(job.replyTo ? { reply: { in_reply_to_tweet_id: job.replyTo.parent } } : {}),
    ...(poll.options.length > 0 ? { poll } : {}),
    ...(settings.x_reply_settings === "everyone"
      ? {}
      : { reply_settings: settings.x_reply_settings }),
    ...(settings.x_community_id === null || job.replyTo
      ? {}
      : { community_id: settings.x_community_id }),
    // X documents this field for posts to a community or to subscribers only.
    ...(settings.x_share_with_followers && hasCircle(settings)
      ? { share_with_followers: true }
      : {}),
    ...(settings.x_super_followers_only ? { for_super_followers_only: true } : {}),
    ...(settings.x_made_with_ai ? { made_with_ai: true } : {}),
    ...(settings.x_paid_partnership ? { paid_partnership: true } : {}),
  };
}

/** An earlier call may have made the post, because the first comes right after `readyAt`. */
const isRepeated = (job: Job, { readyAt }: Ready): boolean =>
  ageOf(readyAt, job.now()) > timing.callSeconds;

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const at = readReady(stored);
  const request = createPostRequest(job.accessToken, toBody(job, at));
  const reply = await readCreatePostReply(await job.fetch(request));
  if (reply.ok) return toPublished(job, at, reply.value);
  const { error } = reply;
  if (isUndecided(error)) return undecided(error.message);
  const isPerhapsOurs = isDuplicate(error) || areMediaRefused(error);
  if (isPerhapsOurs && isRepeated(job, at)) return judgeRepeat(job, at, error.message);
  return toRefused(error, job.now());
}

/** An unanswered earlier call may have published the refused post. */
async function judgeRepeat(job: Job, at: Ready, message: string): Promise<Submitted> {
  const search = await findOwnPost(job, at);
  if (!search.ok) return undecided(message);
  if (search.value.kind === "one") return toPublished(job, at, search.value.id);
  return failed(
    "platform_processing_timeout",
    `X refuses the post as a repetition: an earlier try may have published it. X says: ${message}`,
  );
}

/** The timeline may lack posts to a community or to subscribers. */
const isSurelyListed = ({ post }: Job): boolean => !hasCircle(post.settings);

export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const at = readReady(stored);
  const search = await findOwnPost(job, at);
  if (!search.ok) return toUnknowable(search.error);
  switch (search.value.kind) {
    case "one":
      return toPublished(job, at, search.value.id);
    case "several":
      return unknowable("More than one post on X could be this one.");
    case "none":
      if (search.value.isComplete && isSurelyListed(job)) return { kind: "absent" };
      return unknowable("X does not list all posts of this account.");
    default:
      return search.value satisfies never;
  }
}

/** Only posts without media have nothing but their text to compare. */
export async function findPublished(job: Job, since: Date): Promise<Reconciled> {
  if (job.post.media.length > 0) {
    return unknowable("X lists posts with media under ids that are not known any more.");
  }
  const readyAt = since.getTime();
  const place: Ready = { stage: "ready", taggedIds: [], mediaIds: [], warnings: [], readyAt };
  return reconcile(job, place);
}
