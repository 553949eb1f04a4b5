import type { Post } from "../connector.ts";
import { leftOut, likenessOf } from "../kit/likeness.ts";
import { postText } from "../kit/post-text.ts";
import { ifOn, listOf, settingWords, text } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { altTexts } from "./check.ts";
import type { DiscordSettings } from "./settings.ts";

const TITLE_IN_FORUM =
  "The title names the post's thread in a forum, and is not published elsewhere";

export function likeness(post: Post<DiscordSettings>): Likeness {
  const shown = postText(post);
  return likenessOf({
    text: shown,
    unpublished: [...leftOut(TITLE_IN_FORUM, post.title, shown), ...altTexts.unsent(post)],
    hasGrid: true,
    altTexts: altTexts.textsOf(post),
  });
}

const MENTIONED: Record<string, string> = {
  users: "People",
  roles: "Roles",
  everyone: "Everyone",
};

export const describeSettings = settingWords<DiscordSettings>({
  discord_thread_id: ["In the thread", text],
  discord_tags: ["Tags of the thread", listOf()],
  discord_suppress_embeds: ["Previews of links", ifOn("Off")],
  discord_silent: ["Notifications", ifOn("Off")],
  discord_mentions: ["Mentions notify", listOf((kind) => MENTIONED[kind] ?? kind)],
});
