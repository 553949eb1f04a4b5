import type { Likeness, Unpublished } from "../likeness.ts";

export const TITLE_UNPUBLISHED = "The title, which is for the team alone, is not published";
export const DESCRIPTION_UNPUBLISHED =
  "The description, which is for the team alone, is not published";

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
