import type { MediaItem, PublishJob } from "../connector.ts";
import type { Fields } from "../meta/containers.ts";
import { captionOf, sourceOf } from "../meta/post.ts";
import { containerPublisher } from "../meta/publish.ts";
import { refusedVideo } from "../meta/video-rules.ts";
import {
  createContainerRequest,
  getContainerRequest,
  getPostRequest,
  listPostsRequest,
  NAME,
  publishRequest,
  readGetContainerReply,
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

function postFields({ post }: Job): Fields {
  const control = post.settings.threads_reply_control;
  return {
    text: captionOf(post),
    ...(control === "everyone" ? {} : { reply_control: control }),
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

export const { prepare, submit, settle, reconcile } = containerPublisher<ThreadsSettings>({
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
    list: ({ accessToken }) => listPostsRequest(accessToken),
    readList: readListPostsReply,
  },
  judge,
  toContainerRefused,
  missing: { subcode: CONTAINER_MISSING, isSaidOfPublished: true },
  firstLookSeconds: FIRST_LOOK_SECONDS,
});
