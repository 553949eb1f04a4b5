import type { Bookmark, Prepared, PublishedPost, Reconciled, Submitted } from "../connector.ts";
import { postText } from "../kit/post-text.ts";
import { published, ready, undecided, unknowable } from "../kit/steps.ts";
import {
  createRequest,
  type MastodonRefusal,
  readStatusReply,
  type Status,
  type StatusBody,
} from "./api.ts";
import { type Job, type Ready, readBookmark, readReady } from "./bookmark.ts";
import { USUAL_POLL_MINUTES } from "./capabilities.ts";
import { isPerhapsOurs, isUndecided, toRefused, toUnknowable } from "./failures.ts";
import { serverOfAccount } from "./identity.ts";
import { findOwn } from "./look-up.ts";
import { followProcessing, uploadNext } from "./media.ts";

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  const at = stored === null ? null : readBookmark(stored);
  if (at?.stage === "ready") return ready(at);
  if (at !== null && at.processingSince !== null) {
    return followProcessing(job, at, at.processingSince);
  }
  const mediaIds = at?.mediaIds ?? [];
  if (mediaIds.length < job.post.media.length) {
    return uploadNext(job, at ?? { stage: "preparing", mediaIds, processingSince: null });
  }
  const readyAt = job.now().getTime();
  return ready<Ready>({ stage: "ready", mediaIds, key: crypto.randomUUID(), readyAt });
}

function toBody(job: Job, { mediaIds }: Ready): StatusBody {
  const { settings } = job.post;
  const options = settings.mastodon_poll_options;
  const minutes = settings.mastodon_poll_duration_minutes ?? USUAL_POLL_MINUTES;
  const visibility = job.isHidden ? "direct" : settings.mastodon_visibility;
  const text = postText(job.post);
  return {
    ...(text === "" ? {} : { status: text }),
    ...(mediaIds.length > 0 ? { media_ids: mediaIds } : {}),
    ...(options.length > 0
      ? {
          poll: {
            options,
            expires_in: minutes * 60,
            ...(settings.mastodon_poll_multiple ? { multiple: true } : {}),
            ...(settings.mastodon_poll_hide_totals ? { hide_totals: true } : {}),
          },
        }
      : {}),
    ...(job.replyTo ? { in_reply_to_id: job.replyTo.parent } : {}),
    ...(settings.mastodon_sensitive === null ? {} : { sensitive: settings.mastodon_sensitive }),
    ...(settings.mastodon_content_warning === null
      ? {}
      : { spoiler_text: settings.mastodon_content_warning }),
    ...(visibility === null ? {} : { visibility }),
    ...(settings.mastodon_language === null ? {} : { language: settings.mastodon_language }),
  };
}

export const toPublished = ({ id, url, uri }: Status): PublishedPost => published(id, url ?? uri);

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const at = readReady(stored);
  const post = { key: at.key, body: toBody(job, at) };
  const request = createRequest(serverOfAccount(job.account), job.accessToken, post);
  const reply = await readStatusReply(await job.fetch(request));
  if (reply.ok) return toPublished(reply.value);
  const { error } = reply;
  if (isUndecided(error)) return undecided(error.message);
  return isPerhapsOurs(error) ? judgeRepeat(job, at, error) : toRefused(error, job.now());
}

async function judgeRepeat(job: Job, at: Ready, error: MastodonRefusal): Promise<Submitted> {
  const search = await findOwn(job, at);
  if (!search.ok) return undecided(error.message);
  if (search.value.kind === "one") return toPublished(search.value.status);
  const isSurelyAbsent = search.value.kind === "none" && search.value.isComplete;
  return isSurelyAbsent ? toRefused(error, job.now()) : undecided(error.message);
}

export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const at = readReady(stored);
  const search = await findOwn(job, at);
  if (!search.ok) return toUnknowable(search.error);
  switch (search.value.kind) {
    case "one":
      return toPublished(search.value.status);
    case "several":
      return unknowable("More than one post of the account could be this one.");
    case "none":
      return search.value.isComplete
        ? { kind: "absent" }
        : unknowable("The account has more new posts than are looked through.");
    default:
      return search.value satisfies never;
  }
}

/** Files of an earlier call are not known any more. */
export async function findPublished(job: Job, since: Date): Promise<Reconciled> {
  if (job.post.media.length > 0) {
    return unknowable("Posts with files are known by ids that are lost.");
  }
  const at: Ready = { stage: "ready", mediaIds: [], key: "", readyAt: since.getTime() };
  return reconcile(job, at);
}
