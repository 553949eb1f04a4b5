import type { Post } from "../connector.ts";
import { DESCRIPTION_UNPUBLISHED, leftOut, likenessOf } from "../kit/likeness.ts";
import {
  ALT_TEXT,
  duration,
  EVERYONE,
  hostOf,
  ifOn,
  languages,
  MADE_WITH_AI,
  numbered,
  oneOf,
  PAID_PARTNERSHIP,
  people,
  settingWords,
  silent,
} from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { altTexts } from "./check.ts";
import { textOf } from "./post-text.ts";
import { hasCircle, type XSettings } from "./settings.ts";

export function likeness(post: Post<XSettings>): Likeness {
  const text = textOf(post);
  return likenessOf({
    text,
    unpublished: [
      ...leftOut(DESCRIPTION_UNPUBLISHED, post.description, text),
      ...altTexts.unsent(post),
    ],
    shownLines: 8,
    hasGrid: true,
    poll: post.settings.x_poll_options,
    altTexts: altTexts.textsOf(post),
  });
}

/** Settings without effect. A post to everyone reaches followers anyway. */
const leftOutOf = ({ settings }: Post<XSettings>): readonly (keyof XSettings)[] =>
  hasCircle(settings) ? [] : ["x_share_with_followers"];

export const describeSettings = settingWords<XSettings>(
  {
    x_reply_settings: [
      "Who can reply",
      oneOf({
        everyone: EVERYONE,
        following: "Accounts that this account follows",
        mentionedUsers: "Accounts that are mentioned",
        subscribers: "Subscribers",
        verified: "Verified accounts",
      }),
    ],
    x_made_with_ai: MADE_WITH_AI,
    x_paid_partnership: PAID_PARTNERSHIP,
    x_super_followers_only: ["Who can see it", ifOn("Subscribers only")],
    x_premium: ["Premium", silent],
    x_share_with_followers: ["Also shown to", ifOn("Followers")],
    x_alt_text: ALT_TEXT,
    x_tagged_users: ["People tagged", people],
    x_subtitles_url: ["Subtitles", hostOf],
    x_subtitles_language: ["Language of the subtitles", languages],
    x_poll_options: ["Poll", silent],
    x_poll_duration_minutes: ["Poll open for", duration],
    x_community_id: ["Community", numbered],
  },
  leftOutOf,
);
