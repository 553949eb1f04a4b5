import type { Post } from "../connector.ts";
import { DESCRIPTION_UNPUBLISHED, leftOut, likenessOf } from "../kit/likeness.ts";
import {
  atSecond,
  hostOf,
  ifOff,
  MADE_WITH_AI,
  numbered,
  oneOf,
  people,
  settingWords,
  text,
} from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { captionOf } from "../meta/post.ts";
import { altTexts, shapeOf } from "./check.ts";
import type { InstagramSettings } from "./settings.ts";

const STORY_UNPUBLISHED = "Caption, not shown on a story";

export function likeness(post: Post<InstagramSettings>): Likeness {
  const caption = captionOf(post);
  const shape = shapeOf(post);
  if (shape === "story") {
    const unpublished = [...leftOut(STORY_UNPUBLISHED, caption), ...altTexts.unsent(post)];
    return likenessOf({ layout: "vertical", text: "", unpublished });
  }
  return likenessOf({
    layout: shape === "reel" ? "vertical" : "gallery",
    text: caption,
    unpublished: [
      ...leftOut(DESCRIPTION_UNPUBLISHED, post.description, caption),
      ...altTexts.unsent(post),
    ],
    shownLines: 2,
    altTexts: altTexts.textsOf(post),
  });
}

function leftOutOf(post: Post<InstagramSettings>): readonly (keyof InstagramSettings)[] {
  const shape = shapeOf(post);
  if (shape === "reel") return post.settings.cover_url === null ? [] : ["thumb_offset"];
  const ofReels = ["cover_url", "thumb_offset", "share_to_feed"] as const;
  return shape === "story" ? [...ofReels, "is_aigc"] : ofReels;
}

export const describeSettings = settingWords<InstagramSettings>(
  {
    media_type: [
      "Kind",
      oneOf({
        IMAGE: "Photo",
        VIDEO: "Video",
        REELS: "Reel",
        STORIES: "Story, shown for 24 hours",
      }),
    ],
    cover_url: ["Cover", hostOf],
    thumb_offset: ["Cover", atSecond],
    location_id: ["Place", numbered],
    collaborators: ["Collaborators", people],
    user_tags: ["People tagged", people],
    share_to_feed: ["Feed", ifOff("Shown among reels only, not in the feed")],
    trial_reel: [
      "Trial reel",
      oneOf({
        manual: "Shown to people who do not follow first, then shared with all by hand",
        auto: "Shown to people who do not follow first, then shared with all if it does well",
      }),
    ],
    audio_name: ["Name of the audio", text],
    is_aigc: MADE_WITH_AI,
  },
  leftOutOf,
);
