import type { MediaItem, PublishJob } from "../connector.ts";
import type { Fields } from "../meta/containers.ts";
import { captionOf, sourceOf } from "../meta/post.ts";
import { READABLE_IMAGES } from "./capabilities.ts";
import type { ThreadsSettings } from "./settings.ts";

type Job = PublishJob<ThreadsSettings>;

async function fileFields(job: Job, item: MediaItem): Promise<Fields> {
  const alt = job.post.settings.threads_alt_text;
  return {
    media_type: item.kind === "video" ? "VIDEO" : "IMAGE",
    ...(await sourceOf(job, item, READABLE_IMAGES)),
    ...(alt === null ? {} : { alt_text: alt }),
  };
}

function postFields({ post }: Job): Fields {
  const control = post.settings.threads_reply_control;
  return {
    text: captionOf(post),
    ...(control === "everyone" ? {} : { reply_control: control }),
  };
}

export async function singleFields(job: Job): Promise<Fields> {
  const [item] = job.post.media;
  const file = item ? await fileFields(job, item) : { media_type: "TEXT" };
  return { ...file, ...postFields(job) };
}

export const childFields = async (job: Job, item: MediaItem): Promise<Fields> => ({
  is_carousel_item: "true",
  ...(await fileFields(job, item)),
});

export const carouselFields = (job: Job, children: string[]): Fields => ({
  media_type: "CAROUSEL",
  children: children.join(","),
  ...postFields(job),
});
