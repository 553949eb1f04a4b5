import type { FieldInfo } from "../../platforms/kit/form-fields.ts";

const LABELS: Record<string, string> = {
  privacy_level: "Who can see this post",
  is_aigc: "Made with AI",
  auto_add_music: "Let TikTok add music",
  video_cover_timestamp_ms: "Cover of the video, in milliseconds",
  photo_cover_index: "Photo that is the cover",
  post_mode: "How TikTok gets the post",
  media_type: "Kind of post",
  cover_url: "Address of the cover",
  thumb_offset: "Cover of the reel, in milliseconds",
  location_id: "Place",
  user_tags: "Tagged people",
  share_to_feed: "In the feed as well",
  trial_reel: "Trial reel",
  audio_name: "Name of the audio",
  link: "Link",
  youtube_title: "Title on YouTube alone",
  youtube_description: "Description on YouTube alone",
  categoryId: "Category",
  privacyStatus: "Who can see the video",
  scheduledDate: "When YouTube makes it public",
  publicStatsViewable: "Everybody sees the statistics",
  selfDeclaredMadeForKids: "Is the video made for kids?",
  containsSyntheticMedia: "Altered or made by AI",
  hasPaidProductPlacement: "Paid product placement",
  defaultLanguage: "Language of the texts",
  defaultAudioLanguage: "Language of the video",
  notifySubscribers: "Tell subscribers",
  embeddable: "Other sites may embed it",
  visibility: "Who can see the post",
  pinterest_board_id: "Board",
  pinterest_cover_time_ms: "Cover of the video, in milliseconds",
  bluesky_langs: "Languages of the text",
  bluesky_labels: "Content warnings",
  threads_reply_control: "Who may reply",
  x_reply_settings: "Who may reply",
  x_made_with_ai: "Made with AI",
  x_paid_partnership: "Paid partnership",
  x_super_followers_only: "For subscribers only",
  x_premium: "The account has X Premium",
  x_share_with_followers: "To followers too",
  x_tagged_users: "Tagged people",
  x_subtitles_url: "Address of the subtitles",
  x_subtitles_language: "Language of the subtitles",
  x_poll_options: "Choices of a poll",
  x_poll_duration_minutes: "Minutes that the poll is open",
  x_community_id: "Community",
  mastodon_visibility: "Who can see the post",
  mastodon_content_warning: "Content warning",
  mastodon_sensitive: "Hide images and video behind a click",
  mastodon_language: "Language of the text",
  mastodon_focus: "Points of the files that stay visible",
  mastodon_poll_options: "Choices of a poll",
  mastodon_poll_duration_minutes: "Minutes that the poll is open",
  mastodon_poll_multiple: "Several choices may be taken",
  mastodon_poll_hide_totals: "Hide the votes until the poll ends",
  telegram_silent: "Without a sound",
  telegram_protect_content: "No forwarding or saving",
  telegram_link_preview: "Preview of the first link",
  telegram_caption_above: "Text above the files",
  telegram_spoiler: "Files blurred until tapped",
  telegram_topic_id: "Number of the topic",
  telegram_format: "Format of the text",
  discord_thread_id: "Number of the thread",
  discord_tags: "Tags of the thread, in a forum",
  discord_suppress_embeds: "Without previews of links",
  discord_silent: "Without notifications",
  discord_mentions: "Whom mentions may notify",
  google_business_topic: "Kind of post",
  google_business_action: "Button",
  google_business_action_url: "Where the button leads",
  google_business_event_start: "When the event or offer starts",
  google_business_event_end: "When the event or offer ends",
  google_business_coupon_code: "Code of the offer",
  google_business_redeem_url: "Where the offer is redeemed",
  google_business_terms: "Terms of the offer",
  google_business_language: "Language of the text",
};

/** A setting without words of its own is named by its field. */
export function labelOf(name: string): string {
  const own = LABELS[name];
  if (own !== undefined) return own;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const VALUES: Record<string, string> = {
  PUBLIC_TO_EVERYONE: "Everyone",
  MUTUAL_FOLLOW_FRIENDS: "Friends",
  FOLLOWER_OF_CREATOR: "Followers",
  SELF_ONLY: "Only you",
  DIRECT_POST: "Publish",
  DRAFT: "Put it into the inbox of the app",
  MEDIA_UPLOAD: "Put it into the inbox of the app",
  youtube: "Standard YouTube license",
  creativeCommon: "Creative Commons",
};

export function valueWords(value: string): string {
  const own = VALUES[value];
  if (own !== undefined) return own;
  const words = value
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Source: YouTube Data API, videoCategories.list: categories that can be assigned. */
export const CATEGORIES: readonly (readonly [id: string, name: string])[] = [
  ["22", "People & Blogs (default)"],
  ["2", "Autos & Vehicles"],
  ["23", "Comedy"],
  ["27", "Education"],
  ["24", "Entertainment"],
  ["1", "Film & Animation"],
  ["20", "Gaming"],
  ["26", "Howto & Style"],
  ["10", "Music"],
  ["25", "News & Politics"],
  ["29", "Nonprofits & Activism"],
  ["15", "Pets & Animals"],
  ["28", "Science & Technology"],
  ["17", "Sports"],
  ["19", "Travel & Events"],
];

/** Without the values, which the control shows. */
export const helpOf = ({ description, values }: FieldInfo): string =>
  values ? description.replace(/ comma-separated or repeated: .*?\./, ".") : description;
