import { ok, type Result } from "../../core/result.ts";
import type { Prepared, Reconciled, Stopped, Submitted } from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import { ready, undecided, unknowable } from "../kit/steps.ts";
import { initPhotosRequest, type PhotoPost, readInitPhotosReply } from "./api.ts";
import type { PhotosReady } from "./bookmark.ts";
import { photoTexts } from "./check.ts";
import { askCreator, asPrivate, type Creator, commonInfo, type Job, PUBLIC } from "./creator.ts";
import { isUndecided, toRefused, toUnknowable } from "./failures.ts";
import { findListed } from "./listed.ts";
import { isForInbox } from "./settings.ts";
import { accepted, toPublished } from "./status.ts";

const UNKNOWABLE =
  "TikTok did not answer when the post was sent, and does not show whether a private post or a draft arrived.";

function toTexts({ post }: Job): { title: string; description?: string } {
  const { title, description } = photoTexts(post);
  return { title, ...(description ? { description } : {}) };
}

/** TikTok refuses photos larger than 1080 x 1920, so the `vertical` versions are sent. */
async function toBody(job: Job, creator: Creator | null): Promise<PhotoPost> {
  const { settings, media } = job.post;
  const photo_images: string[] = [];
  for (const item of media) photo_images.push(await job.mediaUrl(item, "vertical"));
  const cover = Math.min(settings.photo_cover_index ?? 1, media.length);
  return {
    media_type: "PHOTO",
    post_mode: creator ? "DIRECT_POST" : "MEDIA_UPLOAD",
    post_info: creator
      ? {
          ...commonInfo(job, creator),
          ...toTexts(job),
          auto_add_music: settings.auto_add_music,
        }
      : toTexts(job),
    source_info: { source: "PULL_FROM_URL", photo_images, photo_cover_index: cover - 1 },
    ...(creator ? { is_aigc: settings.is_aigc } : {}),
  };
}

export async function preparePhotos(job: Job): Promise<Prepared> {
  const creator: Result<Creator | null, Stopped> = isForInbox(job.post.settings)
    ? ok(null)
    : await askCreator(job);
  if (!creator.ok) return creator.error;
  return ready<PhotosReady>({
    stage: "photos",
    body: await toBody(job, creator.value),
    username: creator.value?.username ?? null,
    warnings: creator.value?.warnings ?? [],
    readyAt: job.now().getTime(),
  });
}

const isPublic = ({ body }: PhotosReady): boolean =>
  body.post_mode === "DIRECT_POST" && body.post_info.privacy_level === PUBLIC;

export async function sendPhotos(job: Job, at: PhotosReady): Promise<Submitted> {
  const request = initPhotosRequest(job.accessToken, at.body);
  const reply = await readInitPhotosReply(await job.fetch(request));
  if (reply.ok) {
    const { username, warnings } = at;
    const isInbox = at.body.post_mode === "MEDIA_UPLOAD";
    return accepted(job, {
      publishId: reply.value,
      username,
      warnings,
      isForInbox: isInbox,
      isPublic: isPublic(at),
    });
  }
  const again = asPrivate(at.body.post_info, reply.error.code);
  if (again) {
    const body = { ...at.body, post_info: again.info };
    return sendPrivately(job, { ...at, body, warnings: [...at.warnings, again.warning] });
  }
  if (isUndecided(reply.error)) return undecided(reply.error.message);
  return toRefused(reply.error);
}

/** After a lost answer, a private post is not looked up, because an older public post could match. */
async function sendPrivately(job: Job, at: PhotosReady): Promise<Submitted> {
  const sent = await sendPhotos(job, at).catch(() => null);
  if (sent && sent.kind !== "unknown") return sent;
  return failed("platform_processing_timeout", UNKNOWABLE);
}

const NOT_FOUND =
  "TikTok did not answer when the post was sent, and the account's newest public posts do not show it yet.";

/**
 * Finds the post by its text, because the task id was lost. An unlisted post may be in processing.
 * @throws Error when TikTok cannot tell yet whether the post exists
 */
export async function findPhotos(job: Job, at: PhotosReady): Promise<Reconciled> {
  if (!isPublic(at)) return unknowable(UNKNOWABLE);
  const listed = await findListed(job, at.readyAt);
  if (!listed.ok) return toUnknowable(listed.error);
  if (listed.value === null) return unknowable(NOT_FOUND);
  const { id, share_url } = listed.value;
  return toPublished(job, at, { id, shareUrl: share_url ?? null });
}
