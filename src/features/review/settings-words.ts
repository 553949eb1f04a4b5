import type { Platform } from "../../core/platforms.ts";

/** One setting of a post in words for people. */
export interface SettingWords {
  label: string;
  value: string;
}

/** Says a value in words; null where there is nothing to say of it. */
type Say = (value: unknown) => string | null;

const when =
  (isOn: boolean) =>
  (words: string): Say =>
  (value) =>
    value === isOn ? words : null;
const ifOn = when(true);
const ifOff = when(false);

const onOrOff: Say = (value) => (typeof value === "boolean" ? (value ? "Off" : "On") : null);

const oneOf =
  (words: Record<string, string>): Say =>
  (value) =>
    typeof value === "string" ? (words[value] ?? value) : null;

const text: Say = (value) => {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : null;
};

const numbered: Say = (value) => {
  const id = text(value);
  return id === null ? null : `No. ${id}`;
};

const hostOf: Say = (value) => {
  const url = URL.parse(String(value ?? ""));
  return url ? `From ${url.host}` : null;
};

const each = (list: unknown): string[] =>
  (Array.isArray(list) ? list : [list]).map((one) => text(one)).filter((one) => one !== null);

const listOf =
  (say: (one: string) => string = (one) => one): Say =>
  (value) =>
    each(value).map(say).join(", ") || null;

const people = listOf((name) => `@${name}`);

const atSecond: Say = (value) => {
  const ms = Number(value ?? Number.NaN);
  return Number.isFinite(ms) ? `The frame at ${ms / 1_000} s` : null;
};

const names = { language: null, region: null } as Record<
  "language" | "region",
  Intl.DisplayNames | null
>;

function nameOf(type: "language" | "region", code: string): string {
  try {
    names[type] ??= new Intl.DisplayNames("en", { type });
    return names[type].of(type === "region" ? code : code.toLowerCase()) ?? code;
  } catch {
    return code;
  }
}

const languages = listOf((code) => nameOf("language", code));
const countries = listOf((code) => nameOf("region", code));

const MINUTES_OF_DAY = 1_440;
const MINUTES_OF_HOUR = 60;

const duration: Say = (value) => {
  if (typeof value !== "number") return null;
  const [size, unit] =
    value % MINUTES_OF_DAY === 0
      ? [MINUTES_OF_DAY, "day"]
      : value % MINUTES_OF_HOUR === 0
        ? [MINUTES_OF_HOUR, "hour"]
        : [1, "minute"];
  const count = value / size;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
};

const silent: Say = () => null;

const EVERYONE = "Everyone";
const MADE_WITH_AI = ["Label", ifOn("Made with AI")] as const;
const PAID_PARTNERSHIP = ["Label", ifOn("Paid partnership")] as const;
const ALT_TEXT = ["Alternative text", listOf()] as const;

/** Source: YouTube Data API, "videoCategories: list", the ones that can be assigned. */
const YOUTUBE_CATEGORIES: Record<string, string> = {
  ...{ 1: "Film & Animation", 2: "Autos & Vehicles", 10: "Music", 15: "Pets & Animals" },
  ...{ 17: "Sports", 19: "Travel & Events", 20: "Gaming", 22: "People & Blogs", 23: "Comedy" },
  ...{ 24: "Entertainment", 25: "News & Politics", 26: "Howto & Style", 27: "Education" },
  ...{ 28: "Science & Technology", 29: "Nonprofits & Activism" },
};

/**
 * Settings of each platform by the names under which they are stored: their labels, and how their values are
 * said. What the likeness of the post shows is silent here, and what changes nothing that a reader sees.
 */
export const SETTING_WORDS: Record<Platform, Record<string, readonly [label: string, say: Say]>> = {
  tiktok: {
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
  instagram: {
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
  youtube: {
    youtube_title: ["Title", silent],
    youtube_description: ["Description", silent],
    tags: ["Keywords", listOf()],
    categoryId: ["Category", (value) => YOUTUBE_CATEGORIES[String(value)] ?? numbered(value)],
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
  },
  facebook: {
    link: ["Link", silent],
    media_type: ["Kind", oneOf({ REELS: "Reel", VIDEO: "Video" })],
    is_aigc: MADE_WITH_AI,
  },
  linkedin: {
    visibility: [
      "Who can see it",
      oneOf({ PUBLIC: EVERYONE, CONNECTIONS: "Connections of the account" }),
    ],
    media_type: ["Kind", silent],
  },
  pinterest: {
    pinterest_board_id: ["Board", numbered],
    board_id: ["Board", numbered],
    link: ["Link", text],
    alt_text: ALT_TEXT,
    pinterest_cover_time_ms: ["Cover", atSecond],
  },
  bluesky: {
    bluesky_langs: ["Language", languages],
    bluesky_labels: [
      "Content warning",
      listOf((label) =>
        label === "!no-unauthenticated" ? "Only for people who are signed in" : label,
      ),
    ],
    bluesky_alt_text: ALT_TEXT,
  },
  threads: {
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
  },
  x: {
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
};

/** A setting that is stored and has no words here is shown as it is rather than kept from the client. */
const unnamed = (name: string, value: unknown): SettingWords[] => {
  const said = listOf()(value);
  return said === null ? [] : [{ label: name, value: said }];
};

/** Describes a post's settings, in the order in which they are stored. */
export const describeSettings = (
  platform: Platform,
  settings: Record<string, unknown>,
): SettingWords[] =>
  Object.entries(settings).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    const words = SETTING_WORDS[platform]?.[name];
    if (!words) return unnamed(name, value);
    const [label, say] = words;
    const said = say(value);
    return said === null ? [] : [{ label, value: said }];
  });
