import type { Post } from "../connector.ts";
import { capabilities } from "./capabilities.ts";
import type { YouTubeSettings } from "./settings.ts";

type Texts = Pick<Post<YouTubeSettings>, "title" | "description" | "settings">;

/** Empty where the post has none. */
export const titleOf = ({ title, settings }: Texts): string =>
  (settings.youtube_title ?? title ?? "").trim();

/** Empty where the post has none. */
export const descriptionOf = ({ description, settings }: Texts): string =>
  (settings.youtube_description ?? description ?? "").trim();

/** YouTube puts a tag that has a space into quotes, and counts them. */
const tagLength = (tag: string): number => tag.length + (tag.includes(" ") ? 2 : 0);

/** The tags up to the first that YouTube has no room for. */
export function fitTags(tags: readonly string[]): string[] {
  let used = 0;
  const overflow = tags.findIndex((tag, index) => {
    used += tagLength(tag) + (index > 0 ? 1 : 0);
    return used > capabilities.limits.tagsCharacters;
  });
  return overflow === -1 ? [...tags] : tags.slice(0, overflow);
}

/** The body of `videos.insert`. Its top level names are the parts of the call. */
export interface VideoResource {
  snippet: Record<string, string | string[]>;
  status: Record<string, string | boolean>;
  recordingDetails?: { recordingDate: string };
  paidProductPlacementDetails?: { hasPaidProductPlacement: true };
  contentDetails?: { regionRestriction: { allowed: string[] } | { blocked: string[] } };
}

/** Parts that not every channel may send, and what a post without them lacks. */
export const OPTIONAL_PARTS = {
  paidProductPlacementDetails:
    "YouTube did not take hasPaidProductPlacement. Set it in YouTube Studio.",
  contentDetails:
    "YouTube does not let this channel restrict countries. The video can be watched everywhere.",
} as const;

export type OptionalPart = keyof typeof OPTIONAL_PARTS;

/** The visibility of the video once it is uploaded. */
export const askedPrivacy = ({ scheduledDate, privacyStatus }: YouTubeSettings): string =>
  scheduledDate === null ? privacyStatus : "private";

function toSnippet(post: Texts): VideoResource["snippet"] {
  const { settings } = post;
  const description = descriptionOf(post);
  const tags = fitTags(settings.tags);
  return {
    title: titleOf(post),
    ...(description ? { description } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    categoryId: settings.categoryId,
    ...(settings.defaultLanguage ? { defaultLanguage: settings.defaultLanguage } : {}),
    ...(settings.defaultAudioLanguage
      ? { defaultAudioLanguage: settings.defaultAudioLanguage }
      : {}),
  };
}

function toStatus(settings: YouTubeSettings): VideoResource["status"] {
  const { scheduledDate, selfDeclaredMadeForKids } = settings;
  return {
    privacyStatus: askedPrivacy(settings),
    ...(scheduledDate ? { publishAt: scheduledDate } : {}),
    embeddable: settings.embeddable,
    license: settings.license,
    publicStatsViewable: settings.publicStatsViewable,
    ...(selfDeclaredMadeForKids === null ? {} : { selfDeclaredMadeForKids }),
    containsSyntheticMedia: settings.containsSyntheticMedia,
  };
}

function toRegions({
  allowedCountries,
  blockedCountries,
}: YouTubeSettings): Pick<VideoResource, "contentDetails"> {
  if (allowedCountries.length > 0) {
    return { contentDetails: { regionRestriction: { allowed: allowedCountries } } };
  }
  if (blockedCountries.length === 0) return {};
  return { contentDetails: { regionRestriction: { blocked: blockedCountries } } };
}

/** The video as YouTube wants it described. */
export function toResource(post: Texts): VideoResource {
  const { settings } = post;
  const { recordingDate } = settings;
  return {
    snippet: toSnippet(post),
    status: toStatus(settings),
    ...(recordingDate ? { recordingDetails: { recordingDate } } : {}),
    ...(settings.hasPaidProductPlacement
      ? { paidProductPlacementDetails: { hasPaidProductPlacement: true as const } }
      : {}),
    ...toRegions(settings),
  };
}

/** Returns warnings about tags that were left out; none where all fit. */
export function tagWarnings({ tags }: YouTubeSettings): string[] {
  const left = tags.length - fitTags(tags).length;
  if (left === 0) return [];
  const what = left === 1 ? "1 tag was" : `${left} tags were`;
  return [
    `${what} left out: YouTube takes ${capabilities.limits.tagsCharacters} characters of tags.`,
  ];
}
