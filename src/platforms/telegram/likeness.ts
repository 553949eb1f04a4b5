import type { Post } from "../connector.ts";
import { unsentAltTexts } from "../kit/alt-texts.ts";
import { leftOut, likenessOf, TITLE_UNPUBLISHED } from "../kit/likeness.ts";
import { postText } from "../kit/post-text.ts";
import { ifOff, ifOn, numbered, settingWords, silent } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { formattedOf } from "./check.ts";
import type { TelegramSettings } from "./settings.ts";

export function likeness(post: Post<TelegramSettings>): Likeness {
  const formatted = formattedOf(post);
  const written = postText(post);
  return likenessOf({
    layout: post.settings.telegram_caption_above ? "feed" : "gallery",
    text: formatted.ok ? formatted.value.text : written,
    unpublished: [
      ...leftOut(TITLE_UNPUBLISHED, post.title, written),
      ...unsentAltTexts("Telegram", post),
    ],
    hasGrid: true,
  });
}

export const describeSettings = settingWords<TelegramSettings>({
  telegram_silent: ["Sound", ifOn("Off")],
  telegram_protect_content: ["Forwarding and saving", ifOn("Off")],
  telegram_link_preview: ["Link preview", ifOff("Off")],
  telegram_caption_above: ["Text", ifOn("Above the files")],
  telegram_spoiler: ["Files", ifOn("Blurred until tapped")],
  telegram_topic_id: ["Topic", numbered],
  telegram_format: ["Format", silent],
});
