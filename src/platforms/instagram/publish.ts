import { captionOf } from "../meta/post.ts";
import { containerPublisher } from "../meta/publish.ts";
import { refusedVideo } from "../meta/video-rules.ts";
import {
  createContainerRequest,
  getContainerRequest,
  getMediaRequest,
  listMediaRequest,
  publishRequest,
  readGetContainerReply,
  readListMediaReply,
} from "./api.ts";
import { REEL_RULES, STORY_RULES } from "./capabilities.ts";
import { shapeOf } from "./check.ts";
import { carouselFields, childFields, singleFields } from "./containers.ts";
import { judge, toContainerRefused } from "./failures.ts";
import type { InstagramSettings } from "./settings.ts";

/** Source: Meta, "Error codes". */
const CONTAINER_MISSING = 2207008;

export const { prepare, submit, settle, reconcile } = containerPublisher<InstagramSettings>({
  name: "Instagram",
  isCarousel: ({ post }) => shapeOf(post) === "carousel",
  refusedVideo: ({ post }, facts, sizeBytes) => {
    const rules = shapeOf(post) === "story" ? STORY_RULES : REEL_RULES;
    return refusedVideo("Instagram", facts, sizeBytes, rules);
  },
  singleFields: async (job) => {
    const [item] = job.post.media;
    if (!item) throw new Error("An Instagram post without media got past its check.");
    return singleFields(job, item);
  },
  childFields,
  carouselFields,
  listedText: ({ post }) => (shapeOf(post) === "story" ? "" : captionOf(post)),
  // A story and its URL exist for 24 hours only.
  hasPermalink: ({ post }) => shapeOf(post) !== "story",
  calls: {
    create: createContainerRequest,
    look: getContainerRequest,
    readLook: readGetContainerReply,
    publish: publishRequest,
    findPermalink: getMediaRequest,
    list: ({ accessToken, account, post }) => {
      const edge = shapeOf(post) === "story" ? "stories" : "media";
      return listMediaRequest(accessToken, account.platformAccountId, edge);
    },
    readList: readListMediaReply,
  },
  judge,
  toContainerRefused,
  missing: { subcode: CONTAINER_MISSING, isSaidOfPublished: false },
  firstLookSeconds: 0,
});
