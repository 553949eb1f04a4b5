import type { PublishedPost } from "../connector.ts";
import { published } from "../kit/steps.ts";
import type { ReadyPlace } from "./bookmark.ts";
import { bodyOf } from "./check.ts";
import { escapeLittleText } from "./little-text.ts";
import type { NewPost, PostContent } from "./posts-api.ts";
import type { Job } from "./processing.ts";
import { styleText, withoutMarks } from "./styling.ts";
import { shareUrlOf } from "./urn.ts";

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
  // The title of a post is a label of ours; a document alone cannot be without one.
  const isDocument = job.post.media[0]?.kind === "document";
  return { media: isDocument ? { id, title: documentTitle(job) } : { id } };
}

/** The text as LinkedIn is sent it: styled, then escaped. */
export const commentaryOf = ({ post }: Job): string => escapeLittleText(styleText(bodyOf(post)));

/** The post as it is sent. */
export const toPost = (job: Job, assets: string[]): NewPost => ({
  author: job.account.platformAccountId,
  commentary: commentaryOf(job),
  visibility: job.post.settings.visibility,
  content: contentOf(job, assets),
});

export const toPublished = (urn: string): PublishedPost => published(urn, shareUrlOf(urn));

/** A 2xx that does not name the post: it is out all the same. */
export const toNameless = ({ assets }: ReadyPlace): PublishedPost =>
  published(assets[0] ?? "unknown", null);
