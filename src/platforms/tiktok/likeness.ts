import type { Post } from "../connector.ts";
import { unsentAltTexts } from "../kit/alt-texts.ts";
import { leftOut, likenessOf } from "../kit/likeness.ts";
import {
  atSecond,
  EVERYONE,
  ifOn,
  MADE_WITH_AI,
  oneOf,
  onOrOff,
  PAID_PARTNERSHIP,
  settingWords,
  text,
} from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { photoTexts, videoCaption } from "./check.ts";
import { isForInbox, type TikTokSettings } from "./settings.ts";

const INBOX_UNPUBLISHED = "Caption, not sent to the inbox: it is written there";
const CUT = "Whole text, longer than TikTok has room for";

export function likeness(post: Post<TikTokSettings>): Likeness {
  const shared = { layout: "vertical", shownLines: 2 } as const;
  const caption = videoCaption(post);
  const altTexts = unsentAltTexts("TikTok", post);
  if (isVideo(post)) {
    if (!isForInbox(post.settings)) {
      return likenessOf({ ...shared, text: caption, unpublished: altTexts });
    }
    const unpublished = [...leftOut(INBOX_UNPUBLISHED, caption), ...altTexts];
    return likenessOf({ ...shared, text: "", unpublished });
  }
  const { title, description } = photoTexts(post);
  const isWhole = description === caption || videoCaption({ title, description }) === caption;
  return likenessOf({
    ...shared,
    heading: title || null,
    text: description,
    unpublished: [...(isWhole ? [] : leftOut(CUT, caption)), ...altTexts],
  });
}

const OF_VIDEOS = ["disable_duet", "disable_stitch", "video_cover_timestamp_ms"] as const;
const OF_PHOTOS = ["auto_add_music", "photo_cover_index"] as const;
/** For a post in the inbox, the creator chooses these in TikTok's app. */
const OF_DIRECT_POSTS: readonly (keyof TikTokSettings)[] = [
  "privacy_level",
  "disable_comment",
  "brand_content_toggle",
  "brand_organic_toggle",
  "is_aigc",
  "auto_add_music",
  ...OF_VIDEOS,
];

const isVideo = ({ media }: Pick<Post, "media">): boolean => media[0]?.kind === "video";

function leftOutOf(post: Post<TikTokSettings>): readonly (keyof TikTokSettings)[] {
  const others = isVideo(post) ? OF_PHOTOS : OF_VIDEOS;
  return isForInbox(post.settings) ? [...OF_DIRECT_POSTS, ...others] : others;
}

export const describeSettings = settingWords<TikTokSettings>(
  {
    privacy_level: [
      "Who can see it",
      oneOf({
        PUBLIC_TO_EVERYONE: EVERYONE,
        MUTUAL_FOLLOW_FRIENDS: "Friends: followers whom the account follows back",
        FOLLOWER_OF_CREATOR: "Followers",
        SELF_ONLY: "Only the account itself",
      }),
    ],
    disable_comment: ["Comments", onOrOff],
    disable_duet: ["Duets", ifOn("Off")],
    disable_stitch: ["Stitches", ifOn("Off")],
    brand_content_toggle: PAID_PARTNERSHIP,
    brand_organic_toggle: ["Label", ifOn("Promotes the account's own brand")],
    is_aigc: MADE_WITH_AI,
    auto_add_music: ["Music", ifOn("TikTok adds some")],
    video_cover_timestamp_ms: ["Cover", atSecond],
    photo_cover_index: ["Cover", (value) => (text(value) ? `Photo ${text(value)}` : null)],
    post_mode: [
      "Publishing",
      (value) =>
        value === "DIRECT_POST"
          ? null
          : "Sent to the account's inbox on TikTok, to be finished there",
    ],
  },
  leftOutOf,
);
