import type { MediaItem, PublishJob } from "../connector.ts";
import { unknowable } from "../kit/steps.ts";
import type { Fields } from "../meta/containers.ts";
import { captionOf, sourceOf } from "../meta/post.ts";
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
import { altTexts, shapeOf } from "./check.ts";
import { judge, toContainerRefused } from "./failures.ts";
import type { InstagramSettings } from "./settings.ts";

type Job = PublishJob<InstagramSettings>;

const TRIALS = { manual: "MANUAL", auto: "SS_PERFORMANCE" } as const;

const READABLE_IMAGES = ["image/jpeg"];

/** Tags on an image need positions, so they form a column; on a video they have none. */
function tagsOf(usernames: string[], item: MediaItem): Fields {
  if (usernames.length === 0) return {};
  const round = (value: number) => Math.round(value * 1_000) / 1_000;
  const tags = usernames.map((username, index) =>
    item.kind === "video"
      ? { username }
      : { username, x: 0.5, y: round((index + 1) / (usernames.length + 1)) },
  );
  return { user_tags: JSON.stringify(tags) };
}

function altTextFields({ post }: Job, index: number): Fields {
  const altText = altTexts.textOf(post, index);
  return altText === "" ? {} : { alt_text: altText };
}

function sharedFields({ post }: Job): Fields {
  const { location_id: place, collaborators, is_aigc: isMadeWithAi } = post.settings;
  const caption = captionOf(post);
  return {
    ...(caption === "" ? {} : { caption }),
    ...(place === null ? {} : { location_id: place }),
    ...(collaborators.length > 0 ? { collaborators: JSON.stringify(collaborators) } : {}),
    ...(isMadeWithAi ? { is_ai_generated: "true" } : {}),
  };
}

async function coverOf(job: Job): Promise<string | null> {
  const { settings, settingFiles } = job.post;
  const stored = settingFiles?.cover_url;
  if (!stored) return settings.cover_url;
  return job.mediaUrl(stored, READABLE_IMAGES.includes(stored.mime) ? "original" : "jpeg");
}

async function reelFields(job: Job): Promise<Fields> {
  const { settings } = job.post;
  const { thumb_offset: offset, trial_reel: trial, audio_name: audio } = settings;
  const cover = await coverOf(job);
  return {
    media_type: "REELS",
    share_to_feed: String(settings.share_to_feed),
    ...(cover === null ? {} : { cover_url: cover }),
    ...(cover === null && offset !== null ? { thumb_offset: String(offset) } : {}),
    ...(audio === null ? {} : { audio_name: audio }),
    ...(trial === null
      ? {}
      : { trial_params: JSON.stringify({ graduation_strategy: TRIALS[trial] }) }),
  };
}

async function singleFields(job: Job): Promise<Fields> {
  const [item] = job.post.media;
  if (!item) throw new Error("An Instagram post without media got past its check.");
  const source = await sourceOf(job, item, READABLE_IMAGES);
  const tags = tagsOf(job.post.settings.user_tags, item);
  if (shapeOf(job.post) === "story") return { media_type: "STORIES", ...source, ...tags };
  const reel = item.kind === "video" ? await reelFields(job) : {};
  return { ...reel, ...source, ...sharedFields(job), ...altTextFields(job, 0), ...tags };
}

/** Tags people on the first image, else on the first file. */
async function childFields(job: Job, item: MediaItem, index: number): Promise<Fields> {
  const { media, settings } = job.post;
  const firstImage = media.findIndex(({ kind }) => kind === "image");
  const isTagged = index === Math.max(firstImage, 0);
  return {
    is_carousel_item: "true",
    ...(item.kind === "video" ? { media_type: "VIDEO" } : {}),
    ...(await sourceOf(job, item, READABLE_IMAGES)),
    ...altTextFields(job, index),
    ...(isTagged ? tagsOf(settings.user_tags, item) : {}),
  };
}

const carouselFields = (job: Job, children: string[]): Fields => ({
  media_type: "CAROUSEL",
  children: children.join(","),
  ...sharedFields(job),
});

/** Source: Meta, "Error codes". */
const CONTAINER_MISSING = 2207008;

const publisher = containerPublisher<InstagramSettings>({
  name: "Instagram",
  isCarousel: ({ post }) => shapeOf(post) === "carousel",
  refusedVideo: ({ post }, facts, sizeBytes) => {
    const rules = shapeOf(post) === "story" ? STORY_RULES : REEL_RULES;
    return refusedVideo("Instagram", facts, sizeBytes, rules);
  },
  singleFields,
  childFields,
  carouselFields,
  listedText: ({ post }) => (shapeOf(post) === "story" ? "" : captionOf(post)),
  // A story's URL works for 24 hours only.
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

export const { prepare, submit, settle, reconcile } = publisher;

/** The list of an account's media has no stories. */
export const findPublished: typeof publisher.findPublished = async (job, since) =>
  shapeOf(job.post) === "story"
    ? unknowable("Instagram does not list stories with their text.")
    : publisher.findPublished(job, since);
