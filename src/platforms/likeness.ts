/**
 * `feed`: text, then files. `gallery`: files, then text. `vertical`: full height, text below. `watch`: wide
 * video, heading below. `pin`: picture with heading.
 */
export type Layout = "feed" | "gallery" | "vertical" | "watch" | "pin";

export interface Unpublished {
  label: string;
  text: string;
}

/** The published post as reviewers see it. Texts are exact, the rest is approximate. */
export interface Likeness {
  layout: Layout;
  heading: string | null;
  text: string;
  unpublished: Unpublished[];
  /** Lines that phones show before "more". Null for all. */
  shownLines: 2 | 3 | 5 | 8 | null;
  /** Side by side instead of sliding. */
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
