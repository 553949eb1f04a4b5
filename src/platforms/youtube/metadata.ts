import type { Post } from "../connector.ts";
import { capabilities } from "./capabilities.ts";
import type { YouTubeSettings } from "./settings.ts";

type Texts = Pick<Post<YouTubeSettings>, "title" | "description" | "settings">;

export const titleOf = ({ title, settings }: Texts): string =>
  (settings.youtube_title ?? title ?? "").trim();

export const descriptionOf = ({ description, settings }: Texts): string =>
  (settings.youtube_description ?? description ?? "").trim();

/** YouTube quotes a tag with a space and counts the quotes. */
const tagLength = (tag: string): number => tag.length + (tag.includes(" ") ? 2 : 0);

/** Drops the first tag beyond YouTube's limit and all after it. */
export function fitTags(tags: readonly string[]): string[] {
  let used = 0;
  const overflow = tags.findIndex((tag, index) => {
    used += tagLength(tag) + (index > 0 ? 1 : 0);
    return used > capabilities.limits.tagsCharacters;
  });
  return overflow === -1 ? [...tags] : tags.slice(0, overflow);
}

/** Body of `videos.insert`; its top-level names are the call's `part`s. */
export interface VideoResource {
  snippet: Record<string, string | string[]>;
  status: Record<string, string | boolean>;
  recordingDetails?: { recordingDate: string };
  paidProductPlacementDetails?: { hasPaidProductPlacement: true };
  contentDetails?: { regionRestriction: { allowed: string[] } | { blocked: string[] } };
}

/** Some channels may not send these; each has the warning for its omission. */
export const OPTIONAL_PARTS = {
  paidProductPlacementDetails:
    "YouTube did not take hasPaidProductPlacement. Set it in YouTube Studio.",
  contentDetails:
    "YouTube does not let this channel restrict countries. The video can be watched everywhere.",
} as const;

export type OptionalPart = keyof typeof OPTIONAL_PARTS;

/** A scheduled video stays private until its date. */
export const requestedPrivacy = ({ scheduledDate, privacyStatus }: YouTubeSettings): string =>
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
    privacyStatus: requestedPrivacy(settings),
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

export function tagWarnings({ tags }: YouTubeSettings): string[] {
  const dropped = tags.length - fitTags(tags).length;
  if (dropped === 0) return [];
  const what = dropped === 1 ? "1 tag was" : `${dropped} tags were`;
  return [
    `${what} left out: YouTube takes ${capabilities.limits.tagsCharacters} characters of tags.`,
  ];
}
