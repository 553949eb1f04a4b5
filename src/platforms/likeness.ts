/**
 * `feed`: text, then files. `gallery`: files, then text. `vertical`: full height, text below. `watch`: wide
 * video, heading below. `pin`: picture with heading.
 */
export type Layout = "feed" | "gallery" | "vertical" | "watch" | "pin";

export interface Unpublished {
  label: string;
  text: string;
}

/** The published post, for reviewers. Texts are exact, the rest approximate. */
export interface Likeness {
  layout: Layout;
  heading: string | null;
  text: string;
  unpublished: Unpublished[];
  /** Lines before "more"; null for all. Measured on phones. */
  shownLines: 2 | 3 | 5 | 8 | null;
  /** Files stand side by side instead of sliding. */
  hasGrid: boolean;
  poll: readonly string[];
  preview: string | null;
  /** In the order of the media. */
  altTexts: readonly string[];
}

export interface SettingWords {
  label: string;
  value: string;
}
