import type { Post } from "../connector.ts";
import { likenessOf } from "../kit/likeness.ts";
import { ALT_TEXT, numbered, settingWords, text } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { altTexts } from "./check.ts";
import { toTexts } from "./pin.ts";
import { coverSeconds, type PinterestSettings } from "./settings.ts";

export function likeness(post: Post<PinterestSettings>): Likeness {
  const { title, description = "" } = toTexts(post);
  return likenessOf({
    layout: "pin",
    heading: title,
    text: description,
    shownLines: 3,
    unpublished: altTexts.unsent(post),
    altTexts: post.media.map(() => altTexts.textOf(post, 0)),
  });
}

/** Pinterest rounds the cover to a whole second. */
function coverOf(value: unknown): string | null {
  const ms = text(value);
  return ms === null ? null : `The frame at ${coverSeconds({ pinterest_cover_time_ms: ms })} s`;
}

export const describeSettings = settingWords<PinterestSettings>({
  pinterest_board_id: ["Board", numbered],
  board_id: ["Board", numbered],
  link: ["Link", text],
  alt_text: ALT_TEXT,
  pinterest_cover_time_ms: ["Cover", coverOf],
});
