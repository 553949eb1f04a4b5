import type { Post } from "../connector.ts";
import { unsentAltTexts } from "../kit/alt-texts.ts";
import { ofKind } from "../kit/checks.ts";
import { leftOut, likenessOf } from "../kit/likeness.ts";
import {
  countries,
  EVERYONE,
  entriesOf,
  ifOff,
  ifOn,
  languages,
  numbered,
  oneOf,
  settingWords,
  silent,
  text,
} from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { descriptionOf, fitTags, titleOf } from "./metadata.ts";
import type { YouTubeSettings } from "./settings.ts";

export function likeness(post: Post<YouTubeSettings>): Likeness {
  const { tags } = post.settings;
  const hasImages =
    ofKind(post.media, "video").length > 0 && ofKind(post.media, "image").length > 0;
  return likenessOf({
    layout: "watch",
    heading: titleOf(post) || null,
    text: descriptionOf(post),
    unpublished: [
      ...leftOut(
        "Keywords, left out: YouTube has no room for them",
        tags.slice(fitTags(tags).length).join(", "),
      ),
      ...leftOut("Pictures, not published", hasImages ? "YouTube takes the video alone." : null),
      ...unsentAltTexts("YouTube", post),
    ],
    shownLines: 3,
  });
}

/** Source: YouTube Data API, "videoCategories: list". */
const CATEGORIES: Record<string, string> = {
  1: "Film & Animation",
  2: "Autos & Vehicles",
  10: "Music",
  15: "Pets & Animals",
  17: "Sports",
  19: "Travel & Events",
  20: "Gaming",
  22: "People & Blogs",
  23: "Comedy",
  24: "Entertainment",
  25: "News & Politics",
  26: "Howto & Style",
  27: "Education",
  28: "Science & Technology",
  29: "Nonprofits & Activism",
};

export const describeSettings = settingWords<YouTubeSettings>({
  youtube_title: ["Title", silent],
  youtube_description: ["Description", silent],
  tags: ["Keywords", (value) => fitTags(entriesOf(value)).join(", ") || null],
  categoryId: ["Category", (value) => CATEGORIES[String(value)] ?? numbered(value)],
  privacyStatus: [
    "Who can see it",
    oneOf({
      public: EVERYONE,
      private: "Only the account itself",
      unlisted: "Whoever has the link",
    }),
  ],
  scheduledDate: [
    "Made public",
    (value) => text(value)?.replace("T", " ").slice(0, 16).concat(" UTC") ?? null,
  ],
  embeddable: ["Other sites", ifOff("May not embed the video")],
  license: ["License", oneOf({ youtube: "Standard", creativeCommon: "Creative Commons" })],
  publicStatsViewable: ["Statistics", ifOff("Not shown to everybody")],
  selfDeclaredMadeForKids: [
    "Audience",
    (value) => ifOn("Made for kids")(value) ?? ifOff("Not made for kids")(value),
  ],
  madeForKids: ["Audience", silent],
  containsSyntheticMedia: ["Label", ifOn("Altered or made with AI")],
  hasPaidProductPlacement: ["Label", ifOn("Paid product placement")],
  defaultLanguage: ["Language", languages],
  defaultAudioLanguage: ["Spoken language", languages],
  allowedCountries: ["Shown only in", countries],
  blockedCountries: ["Not shown in", countries],
  recordingDate: ["Recorded", (value) => text(value)?.slice(0, 10) ?? null],
  notifySubscribers: ["Subscribers", ifOff("Are not told")],
});
