import type { Post } from "../connector.ts";
import { DESCRIPTION_UNPUBLISHED, leftOut, likenessOf } from "../kit/likeness.ts";
import { ALT_TEXT, EVERYONE, oneOf, settingWords } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { captionOf } from "../meta/post.ts";
import { altTexts } from "./check.ts";
import type { ThreadsSettings } from "./settings.ts";

export function likeness(post: Post<ThreadsSettings>): Likeness {
  const text = captionOf(post);
  return likenessOf({
    text,
    unpublished: [
      ...leftOut(DESCRIPTION_UNPUBLISHED, post.description, text),
      ...altTexts.unsent(post),
    ],
    altTexts: altTexts.textsOf(post),
  });
}

export const describeSettings = settingWords<ThreadsSettings>({
  threads_alt_text: ALT_TEXT,
  threads_reply_control: [
    "Who can reply",
    oneOf({
      everyone: EVERYONE,
      accounts_you_follow: "Accounts that this account follows",
      mentioned_only: "Accounts that are mentioned",
      parent_post_author_only: "The author of the post above",
      followers_only: "Followers",
    }),
  ],
});
