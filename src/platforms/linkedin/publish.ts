import { secondsBetween } from "../../core/time.ts";
import type { Bookmark, Prepared, PublishedPost, Submitted } from "../connector.ts";
import { type ReadyPlace, readBookmark, readReady } from "./bookmark.ts";
import { timing } from "./capabilities.ts";
import { bodyOf } from "./check.ts";
import { failed, isDuplicatePost, isOutage, toRefused } from "./failures.ts";
import { sendFile } from "./files.ts";
import { escapeLittleText } from "./little-text.ts";
import {
  createPostRequest,
  type NewPost,
  type PostContent,
  postNamedIn,
  readCreatePostReply,
} from "./posts-api.ts";
import { followProcessing, type Job, toReady } from "./processing.ts";
import { styleText, withoutMarks } from "./styling.ts";
import { isOrganization, shareUrlOf } from "./urn.ts";
import { openVideo, sendVideo } from "./video.ts";

/** Sends the files and waits until they can be posted: one file, or part of a video, a step. */
export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  const { media } = job.post;
  const [first] = media;
  if (stored === null) {
    const { visibility } = job.post.settings;
    if (visibility === "CONNECTIONS" && isOrganization(job.account.platformAccountId)) {
      const message =
        "A LinkedIn page has no connections: its posts are PUBLIC. Leave visibility out.";
      return failed("unknown", message);
    }
    if (!first) return toReady(job, []);
    if (first.kind === "video") return openVideo(job, first);
    return sendFile(job, first, { stage: "files", assets: [] });
  }
  const place = readBookmark(stored);
  switch (place.stage) {
    case "files": {
      const item = media[place.assets.length];
      if (!item) throw new Error("More files were sent than the post has.");
      return sendFile(job, item, place);
    }
    case "video":
      if (!first) throw new Error("The post has lost its video.");
      return sendVideo(job, first, place);
    case "processing":
      return followProcessing(job, place);
    case "ready":
      return toReady(job, place.assets);
  }
}

/** UTF-16 units of a document's title that is taken from the text. */
const SHORT_TITLE_UNITS = 100;

/** A document has to have a title: its own, else how the text begins. */
function documentTitle({ post }: Job): string {
  const title = post.title?.trim();
  if (title) return title;
  const [line = ""] = withoutMarks(bodyOf(post)).trim().split("\n");
  const cut = line.slice(0, SHORT_TITLE_UNITS);
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trim() || "Document";
}

function contentOf(job: Job, assets: string[]): PostContent | null {
  const [id, ...others] = assets;
  if (id === undefined) return null;
  if (others.length > 0) return { multiImage: { images: assets.map((image) => ({ id: image })) } };
  switch (job.post.media[0]?.kind) {
    case "document":
      return { media: { id, title: documentTitle(job) } };
    case "video": {
      const title = job.post.title?.trim();
      return { media: title ? { id, title } : { id } };
    }
    default:
      return { media: { id } };
  }
}

/** The text as LinkedIn is sent it: styled, then escaped. */
export const commentaryOf = ({ post }: Job): string => escapeLittleText(styleText(bodyOf(post)));

const toPost = (job: Job, assets: string[]): NewPost => ({
  author: job.account.platformAccountId,
  commentary: commentaryOf(job),
  visibility: job.post.settings.visibility,
  content: contentOf(job, assets),
});

export const toPublished = (urn: string): PublishedPost => ({
  kind: "published",
  platformPostId: urn,
  shareUrl: shareUrlOf(urn),
});

/** A 2xx that does not name the post: it is out all the same. */
const toNameless = ({ assets }: ReadyPlace): PublishedPost => ({
  kind: "published",
  platformPostId: assets[0] ?? "unknown",
  shareUrl: null,
});

/** Whether an earlier call may have made this very post, so that a duplicate can only be itself. */
const isTriedBefore = (job: Job, { readyAt }: ReadyPlace): boolean =>
  job.attempt > 1 || secondsBetween(new Date(readyAt), job.now()) > timing.callSeconds;

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const place = readReady(stored);
  const request = createPostRequest(job.accessToken, toPost(job, place.assets));
  const reply = await readCreatePostReply(await job.fetch(request));
  if (reply.ok) return reply.value === null ? toNameless(place) : toPublished(reply.value);
  if (isOutage(reply.error)) return { kind: "unknown", message: reply.error.message };
  const twin = isDuplicatePost(reply.error) ? postNamedIn(reply.error.message) : null;
  if (twin !== null && isTriedBefore(job, place)) return toPublished(twin);
  return toRefused(reply.error);
}
