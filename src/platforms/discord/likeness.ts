import type { Post } from "../connector.ts";
import { leftOut, likenessOf } from "../kit/likeness.ts";
import { ifOn, listOf, settingWords, silent, text } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { altTexts, postText } from "./check.ts";
import type { DiscordSettings } from "./settings.ts";

const TITLE_IN_FORUM =
  "The title names the post's thread in a forum, and is not published elsewhere";

export function likeness(post: Post<DiscordSettings>): Likeness {
  const shown = postText(post);
  const { discord_thread_name: heading } = post.settings;
  return likenessOf({
    heading,
    text: shown,
    unpublished: [
      ...(heading === null ? leftOut(TITLE_IN_FORUM, post.title, shown) : []),
      ...altTexts.unsent(post),
    ],
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
  discord_thread_name: ["Thread", silent],
  discord_tags: ["Tags of the thread", listOf()],
  discord_suppress_embeds: ["Previews of links", ifOn("Off")],
  discord_silent: ["Notifications", ifOn("Off")],
  discord_spoiler: ["Files", ifOn("Hidden until they are clicked")],
  discord_mentions: ["Mentions notify", listOf((kind) => MENTIONED[kind] ?? kind)],
  discord_username: ["Author", text],
});
