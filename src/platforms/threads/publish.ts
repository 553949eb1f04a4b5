import type { Bookmark, MediaItem, Prepared, PublishJob, Stopped } from "../connector.ts";
import { failed, NOT_YET, refusedBy } from "../kit/refusals.ts";
import { type Fields, isUnnamed } from "../meta/containers.ts";
import { captionOf, sourceOf } from "../meta/post.ts";
import { containerPublisher } from "../meta/publish.ts";
import { refusedVideo } from "../meta/video-rules.ts";
import {
  createContainerRequest,
  getContainerRequest,
  getPostRequest,
  listPostsRequest,
  listRepliesRequest,
  NAME,
  publishRequest,
  readGetContainerReply,
  readGetPostReply,
  readListPostsReply,
} from "./api.ts";
import { READABLE_IMAGES, VIDEO_RULES } from "./capabilities.ts";
import { altTexts } from "./check.ts";
import { CONTAINER_MISSING, judge, toContainerRefused } from "./failures.ts";
import type { ThreadsSettings } from "./settings.ts";

type Job = PublishJob<ThreadsSettings>;

async function fileFields(job: Job, item: MediaItem, index = 0): Promise<Fields> {
  const alt = altTexts.textOf(job.post, index);
  return {
    media_type: item.kind === "video" ? "VIDEO" : "IMAGE",
    ...(await sourceOf(job, item, READABLE_IMAGES)),
    ...(alt === "" ? {} : { alt_text: alt }),
  };
}

function postFields({ post, replyTo }: Job): Fields {
  const control = post.settings.threads_reply_control;
  return {
    text: captionOf(post),
    ...(control === "everyone" ? {} : { reply_control: control }),
    ...(replyTo ? { reply_to_id: replyTo.parent } : {}),
  };
}

async function singleFields(job: Job): Promise<Fields> {
  const [item] = job.post.media;
  const file = item ? await fileFields(job, item) : { media_type: "TEXT" };
  return { ...file, ...postFields(job) };
}

const childFields = async (job: Job, item: MediaItem, index: number): Promise<Fields> => ({
  is_carousel_item: "true",
  ...(await fileFields(job, item, index)),
});

const carouselFields = (job: Job, children: string[]): Fields => ({
  media_type: "CAROUSEL",
  children: children.join(","),
  ...postFields(job),
});

/** Threads cannot publish a container at once, as open-source clients found. */
const FIRST_LOOK_SECONDS = 2;

/**
 * A video that is published earlier becomes a post of its own instead of a reply.
 * @see https://github.com/gitroomhq/postiz-app/issues/1441
 */
const VIDEO_REPLY_REST_SECONDS = 30;

const publisher = containerPublisher<ThreadsSettings>({
  name: NAME,
  isCarousel: ({ post }) => post.media.length > 1,
  refusedVideo: (_, facts, sizeBytes) => refusedVideo(NAME, facts, sizeBytes, VIDEO_RULES),
  singleFields,
  childFields,
  carouselFields,
  listedText: ({ post }) => captionOf(post),
  hasPermalink: () => true,
  calls: {
    create: createContainerRequest,
    look: getContainerRequest,
    readLook: readGetContainerReply,
    publish: publishRequest,
    findPermalink: getPostRequest,
    list: ({ accessToken, replyTo }) =>
      replyTo ? listRepliesRequest(accessToken) : listPostsRequest(accessToken),
    readList: readListPostsReply,
  },
  judge,
  toContainerRefused,
  missing: { subcode: CONTAINER_MISSING, isSaidOfPublished: true },
  firstLookSeconds: FIRST_LOOK_SECONDS,
  restSeconds: ({ post, replyTo }) =>
    replyTo && post.media.some(({ kind }) => kind === "video") ? VIDEO_REPLY_REST_SECONDS : 0,
});

export const { submit, settle, reconcile, findPublished } = publisher;

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  const refused =
    stored === null && job.replyTo ? await refuseParent(job, job.replyTo.parent) : null;
  return refused ?? publisher.prepare(job, stored);
}

const UNNAMED_PARENT = failed(
  "unknown",
  "Threads has not said which id the post has that this one replies to, because an answer was lost. Write the rest on Threads.",
);

async function refuseParent(job: Job, parent: string): Promise<Stopped | null> {
  if (isUnnamed(parent)) return UNNAMED_PARENT;
  const reply = await readGetPostReply(await job.fetch(getPostRequest(job.accessToken, parent)));
  if (reply.ok && (reply.value.permalink ?? reply.value.shortcode)) return null;
  if (!reply.ok && (judge.isTokenRefusal(reply.error) || judge.isTemporary(reply.error))) {
    return judge.toRefused(reply.error);
  }
  return refusedBy(
    NOT_YET,
    "Threads does not show the post that this one replies to: it was deleted, or it is not there yet. Write the rest on Threads.",
  );
}
