import { plainMentions } from "../../core/mentions.ts";
import type { Post, PublishedPost } from "../connector.ts";
import { published } from "../kit/steps.ts";
import type { ReadyPlace } from "./bookmark.ts";
import { altTexts, bodyOf } from "./check.ts";
import { escapeLittleText } from "./little-text.ts";
import type { NewPost, PostContent } from "./posts-api.ts";
import type { Job } from "./processing.ts";
import type { LinkedInSettings } from "./settings.ts";
import { styleText, withoutMarks } from "./styling.ts";
import { shareUrlOf } from "./urn.ts";

const SHORT_TITLE_UNITS = 100;

/** The title, or the beginning of the text. Null unless the post is a single document. */
export function documentTitleOf(post: Post<LinkedInSettings>): string | null {
  const [item, ...others] = post.media;
  if (item?.kind !== "document" || others.length > 0) return null;
  const title = plainMentions(post.title ?? "").trim();
  if (title) return title;
  const [line = ""] = plainMentions(withoutMarks(bodyOf(post)))
    .trim()
    .split("\n");
  const cut = line.slice(0, SHORT_TITLE_UNITS);
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trim() || "Document";
}

function contentOf(job: Job, assets: string[]): PostContent | null {
  const [id, ...others] = assets;
  if (id === undefined) return null;
  const describe = (index: number): { altText?: string } => {
    const altText = altTexts.textOf(job.post, index);
    return altText === "" ? {} : { altText };
  };
  if (others.length > 0) {
    return { multiImage: { images: assets.map((image, i) => ({ id: image, ...describe(i) })) } };
  }
  const title = documentTitleOf(job.post);
  return { media: { id, ...(title === null ? {} : { title }), ...describe(0) } };
}

export const commentaryOf = ({ post }: { post: Pick<Post, "description"> }): string =>
  escapeLittleText(styleText(bodyOf(post)));

export const toPost = (job: Job, assets: string[]): NewPost => ({
  author: job.account.platformAccountId,
  commentary: commentaryOf(job),
  visibility: job.post.settings.visibility,
  content: contentOf(job, assets),
});

export const toPublished = (urn: string): PublishedPost => published(urn, shareUrlOf(urn));

/** LinkedIn has published the post but sent no id. The first file's id takes its place. */
export const publishedUnnamed = ({ assets }: ReadyPlace): PublishedPost =>
  published(assets[0] ?? "unknown", null);
