import type { Post } from "../connector.ts";
import { leftOut, likenessOf, TITLE_UNPUBLISHED } from "../kit/likeness.ts";
import { postText } from "../kit/post-text.ts";
import { ifOn, languages, oneOf, settingWords, silent, text } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { altTexts } from "./check.ts";
import type { MastodonSettings } from "./settings.ts";

export function likeness(post: Post<MastodonSettings>): Likeness {
  const shown = postText(post);
  return likenessOf({
    text: shown,
    unpublished: [...leftOut(TITLE_UNPUBLISHED, post.title, shown), ...altTexts.unsent(post)],
    hasGrid: true,
    poll: post.settings.mastodon_poll_options,
    altTexts: altTexts.textsOf(post),
  });
}

export const describeSettings = settingWords<MastodonSettings>({
  mastodon_visibility: [
    "Who can see it",
    oneOf({
      public: "Everyone",
      unlisted: "Everyone, but in no list of new posts",
      private: "Followers",
      direct: "People who are mentioned",
    }),
  ],
  mastodon_content_warning: ["Content warning", text],
  mastodon_sensitive: ["Images and video", ifOn("Hidden until they are clicked")],
  mastodon_language: ["Language", languages],
  mastodon_focus: ["Focus", silent],
  mastodon_poll_options: ["Poll", silent],
  mastodon_poll_duration_minutes: ["Poll open for", silent],
  mastodon_poll_multiple: ["Poll", ifOn("Several choices may be taken")],
  mastodon_poll_hide_totals: ["Poll", ifOn("Votes are hidden until it ends")],
});
