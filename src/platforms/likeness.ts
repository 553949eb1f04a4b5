/**
 * Order and shape in which a platform shows a post. `feed`: text, then files. `gallery`: files, then text.
 * `vertical`: full height, text below. `watch`: a wide video, a heading below. `pin`: a picture with a heading.
 */
export type Layout = "feed" | "gallery" | "vertical" | "watch" | "pin";

/** A part of a post that readers of the platform do not see, and why. */
export interface Unpublished {
  label: string;
  text: string;
}

/** A post as readers of its platform will see it, about: for those who approve it. Its texts are exact. */
export interface Likeness {
  layout: Layout;
  /** Null where there is none. */
  heading: string | null;
  /** The text as it is published; empty where there is none. */
  text: string;
  unpublished: Unpublished[];
  /** Lines of the text that are shown before a tap; null where all are. Measured on phones, about. */
  shownLines: 2 | 3 | 5 | 8 | null;
  /** Several files of a feed stand beside each other; others slide. */
  hasGrid: boolean;
  /** Choices of a poll. */
  poll: readonly string[];
  /** The address that a preview leads to; null where there is no preview. */
  preview: string | null;
  /** Texts for people who cannot see the files, in the order of the media; empty where none is published. */
  altTexts: readonly string[];
}

/** One setting of a post in words for people. */
export interface SettingWords {
  label: string;
  value: string;
}
