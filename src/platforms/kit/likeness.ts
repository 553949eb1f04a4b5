import type { PostMedia } from "../connector.ts";
import type { Likeness, Unpublished } from "../likeness.ts";

export const TITLE_UNPUBLISHED = "Title, not published (for the team alone)";
export const DESCRIPTION_UNPUBLISHED = "Description, not published (for the team alone)";

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

export const leftOut = (
  label: string,
  text: string | null | undefined,
  published: string | null = null,
): Unpublished[] => (text?.trim() && text !== published ? [{ label, text }] : []);

export const sameAltText = (media: readonly PostMedia[], text: string | null): string[] =>
  media.map(() => text ?? "");
