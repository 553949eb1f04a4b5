import type { MediaItem, PublishJob } from "../connector.ts";
import type { Fields } from "../meta/containers.ts";
import { captionOf, sourceOf } from "../meta/post.ts";
import { READABLE_IMAGES } from "./capabilities.ts";
import type { ThreadsSettings } from "./settings.ts";

type Job = PublishJob<ThreadsSettings>;

/** A file with its alt text. */
async function fileFields(job: Job, item: MediaItem): Promise<Fields> {
  const alt = job.post.settings.threads_alt_text;
  return {
    media_type: item.kind === "video" ? "VIDEO" : "IMAGE",
    ...(await sourceOf(job, item, READABLE_IMAGES)),
    ...(alt === null ? {} : { alt_text: alt }),
  };
}

/** Fields of the post as a whole. Without a control, everyone may reply. */
function postFields({ post }: Job): Fields {
  const control = post.settings.threads_reply_control;
  return {
    text: captionOf(post),
    ...(control === "everyone" ? {} : { reply_control: control }),
  };
}

/** The container of a text, alone or with one file. */
export async function singleFields(job: Job): Promise<Fields> {
  const [item] = job.post.media;
  const file = item ? await fileFields(job, item) : { media_type: "TEXT" };
  return { ...file, ...postFields(job) };
}

/** The container of one file of a carousel. */
export const childFields = async (job: Job, item: MediaItem): Promise<Fields> => ({
  is_carousel_item: "true",
  ...(await fileFields(job, item)),
});

/** The container that joins those of the files, in their order. */
export const carouselFields = (job: Job, children: string[]): Fields => ({
  media_type: "CAROUSEL",
  children: children.join(","),
  ...postFields(job),
});
