import type { Platform } from "../../core/platforms.ts";
import { styleText } from "../../platforms/linkedin/styling.ts";
import type { ReviewFile, ReviewPost } from "./repo/posts.ts";

/**
 * Order and shape in which a platform shows a post. `feed`: text, then files. `gallery`: files, then text.
 * `vertical`: full height, text below. `watch`: a wide video, a heading below. `pin`: a picture with a heading.
 */
export type Layout = "feed" | "gallery" | "vertical" | "watch" | "pin";

/** Texts as readers of the platform see them. */
export interface Texts {
  heading: string | null;
  text: string;
  /** Parts that came with the post and are not published. */
  unpublished: { label: string; text: string }[];
}

type Subject = Pick<ReviewPost, "platform" | "title" | "description" | "settings"> & {
  files: readonly Pick<ReviewFile, "kind">[];
};

const presence = (text: unknown): string =>
  typeof text === "string" && text.trim() !== "" ? text : "";

const isSingleVideo = ({ files }: Subject): boolean =>
  files.filter(({ kind }) => kind === "video").length === 1 &&
  !files.some(({ kind }) => kind === "document");

const isStory = ({ platform, settings }: Subject): boolean =>
  platform === "instagram" && settings.media_type === "STORIES";

/** Kinds of posts that fill a phone's screen. Source: spec, "Uploads: create". */
function isVertical(post: Subject): boolean {
  const { platform, settings } = post;
  if (platform === "tiktok" || isStory(post)) return true;
  if (platform === "instagram") return post.files.length === 1 && isSingleVideo(post);
  return platform === "facebook" && settings.media_type === "REELS";
}

const LAYOUTS: Record<Platform, Layout> = {
  instagram: "gallery",
  pinterest: "pin",
  youtube: "watch",
};

export const layoutOf = (post: Subject): Layout =>
  isVertical(post) ? "vertical" : (LAYOUTS[post.platform] ?? "feed");

/** Lines of a text that each platform shows before a tap; others show all. Measured on phones, about. */
const SHOWN_LINES: Record<Platform, 2 | 3 | 5 | 8> = {
  ...{ tiktok: 2, instagram: 2, youtube: 3, pinterest: 3, linkedin: 3, facebook: 5, x: 8 },
};

const CHARACTERS_OF_LINE = 45;

/** Lines to which a text is cut until it is asked for; null for one that is shown whole. */
export function shownLines(platform: Platform, text: string): number | null {
  const most = SHOWN_LINES[platform];
  if (most === undefined) return null;
  const lines = text.split("\n", most + 1).length;
  return lines > most || text.length > most * CHARACTERS_OF_LINE ? most : null;
}

const TITLE = "Title, for the team alone";
const DESCRIPTION = "Description, not published";

/** The first of the texts that says something is the caption; the other stays with the team. */
function captionFrom(first: string, second: string, label: string): Texts {
  const text = first || second;
  const left = first && second && second !== first ? second : "";
  return { heading: null, text, unpublished: left ? [{ label, text: left }] : [] };
}

/** Returns the texts of a post as its platform shows them, and what of them it does not show. */
export function textsOf(post: Subject): Texts {
  const { platform, settings } = post;
  const [title, description] = [presence(post.title), presence(post.description)];
  const hasVideo = post.files.some(({ kind }) => kind === "video");
  if (isStory(post)) {
    const label = "Caption, not shown on a story";
    const text = title || description;
    return { heading: null, text: "", unpublished: text ? [{ label, text }] : [] };
  }
  switch (platform) {
    case "tiktok":
      return hasVideo
        ? { heading: null, text: [title, description].filter(Boolean).join("\n"), unpublished: [] }
        : { heading: title || null, text: description, unpublished: [] };
    case "youtube": {
      const heading = presence(settings.youtube_title) || title || null;
      const text = presence(settings.youtube_description) || description;
      return { heading, text, unpublished: [] };
    }
    case "pinterest":
      return { heading: title || "Untitled", text: description, unpublished: [] };
    case "linkedin": {
      const unpublished = title ? [{ label: TITLE, text: title }] : [];
      return { heading: null, text: styleText(description), unpublished };
    }
    case "facebook":
      return hasVideo && settings.media_type !== "REELS"
        ? { heading: title || null, text: description, unpublished: [] }
        : captionFrom(description, title, TITLE);
    case "bluesky":
      return captionFrom(description, title, TITLE);
    default:
      return captionFrom(title, description, DESCRIPTION);
  }
}

/** Fields that hold a text for people who cannot see the files. */
const ALT_FIELDS = ["x_alt_text", "bluesky_alt_text", "threads_alt_text", "alt_text"];

/** Returns the alternative text of the file at a place, or says which file it is. */
export function altOf(settings: Record<string, unknown>, at: number, count: number): string {
  for (const field of ALT_FIELDS) {
    const given = settings[field];
    const own = presence(Array.isArray(given) ? given[at] : given);
    if (own) return own;
  }
  return count === 1 ? "The picture of the post" : `Picture ${at + 1} of ${count}`;
}

const RATIOS = [
  ["r9x16", 9 / 16],
  ["r3x4", 3 / 4],
  ["r4x5", 4 / 5],
  ["r1x1", 1],
  ["r4x3", 4 / 3],
  ["r16x9", 16 / 9],
] as const;

/** Returns the class of the box whose shape is nearest to a picture's; a square where its size is not known. */
export function ratioClass(width: number | null, height: number | null): string {
  const ratio = width && height ? width / height : 1;
  const off = (one: number) => Math.abs(Math.log(one / ratio));
  return RATIOS.reduce((best, one) => (off(one[1]) < off(best[1]) ? one : best))[0];
}
