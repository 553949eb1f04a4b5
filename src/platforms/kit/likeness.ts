import type { PostMedia } from "../connector.ts";
import type { Likeness, Unpublished } from "../likeness.ts";

/** Labels of the text that stays with the team. */
export const TITLE_UNPUBLISHED = "Title, not published (for the team alone)";
export const DESCRIPTION_UNPUBLISHED = "Description, not published (for the team alone)";

/** The likeness of a text in a feed, with what is different about this one. */
export const likenessOf = (own: Partial<Likeness> & Pick<Likeness, "text">): Likeness => ({
  layout: "feed",
  heading: null,
  unpublished: [],
  shownLines: null,
  hasGrid: false,
  poll: [],
  preview: null,
  altTexts: [],
  ...own,
});

/** Lists a text as left out, unless it is blank or the one that is published. */
export const leftOut = (
  label: string,
  text: string | null | undefined,
  published: string | null = null,
): Unpublished[] => (text?.trim() && text !== published ? [{ label, text }] : []);

/** One alternative text for all files. */
export const sameAltText = (media: readonly PostMedia[], text: string | null): string[] =>
  media.map(() => text ?? "");
