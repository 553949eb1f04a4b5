import { captionOf } from "../meta/post.ts";
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
import { VIDEO_RULES } from "./capabilities.ts";
import { carouselFields, childFields, singleFields } from "./containers.ts";
import { CONTAINER_MISSING, judge, toContainerRefused } from "./failures.ts";
import type { ThreadsSettings } from "./settings.ts";

/** Threads can publish a new container only after a moment, as open-source clients found. */
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
