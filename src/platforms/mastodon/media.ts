import { fileNameOf } from "../../core/file-type.ts";
import type { MediaItem, Prepared } from "../connector.ts";
import { isGone, mediaInvalid, sendAgain } from "../kit/refusals.ts";
import { ageOf, growingLook, next, waiting } from "../kit/steps.ts";
import { streamedForm } from "../kit/streamed-form.ts";
import { attachmentRequest, HEADERS, readAttachmentReply } from "./api.ts";
import type { Job, Preparing } from "./bookmark.ts";
import { altTexts } from "./check.ts";
import { toRefused } from "./failures.ts";
import { serverOfAccount } from "./identity.ts";

const UNPROCESSABLE = 422;
/** Seconds between looks at a file that is being processed. */
const LOOK = { first: 2, longest: 30 };

/** @see https://docs.joinmastodon.org/methods/media/#v2 */
function uploadRequest(job: Job, item: MediaItem, data: ReadableStream): Request {
  const index = job.post.media.indexOf(item);
  const description = altTexts.textOf(job.post, index);
  const focus = job.post.settings.mastodon_focus[index];
  const { body, contentType } = streamedForm(
    {
      ...(description === "" ? {} : { description }),
      ...(focus ? { focus: `${focus.x},${focus.y}` } : {}),
    },
    {
      name: "file",
      filename: fileNameOf(item.mime),
      mime: item.mime,
      data,
      sizeBytes: item.sizeBytes,
    },
  );
  return new Request(`${serverOfAccount(job.account)}/api/v2/media`, {
    method: "POST",
    headers: {
      ...HEADERS,
      authorization: `Bearer ${job.accessToken}`,
      "content-type": contentType,
    },
    body,
    redirect: "manual",
  });
}

export async function uploadNext(job: Job, at: Preparing): Promise<Prepared> {
  const item = job.post.media[at.mediaIds.length];
  if (!item) throw new Error("There is no file left to upload.");
  if (item.kind === "video") {
    const facts = await job.inspectVideo(item);
    if (!facts) return mediaInvalid("The file is not a readable video.");
  }
  // A second upload of a file stays unused, and the server deletes it.
  const sent = await job.transfer(item, (data) => uploadRequest(job, item, data));
  const reply = await readAttachmentReply(sent);
  if (!reply.ok) return toRefused(reply.error, job.now());
  const mediaIds = [...at.mediaIds, reply.value.id];
  if (reply.value.isReady) return next({ ...at, mediaIds });
  const since = job.now().getTime();
  return waiting({ ...at, mediaIds, processingSince: since }, LOOK.first);
}

export async function followProcessing(job: Job, at: Preparing, since: number): Promise<Prepared> {
  const mediaId = at.mediaIds.at(-1) ?? "";
  const request = attachmentRequest(serverOfAccount(job.account), job.accessToken, mediaId);
  const reply = await readAttachmentReply(await job.fetch(request));
  if (!reply.ok) {
    if (isGone(reply.error)) return sendAgain(reply.error.message);
    if (reply.error.status === UNPROCESSABLE) return mediaInvalid(reply.error.message);
    return toRefused(reply.error, job.now());
  }
  if (reply.value.isReady) return next({ ...at, processingSince: null });
  return waiting(at, growingLook(LOOK.first, LOOK.longest, ageOf(since, job.now())));
}
