import type { Config } from "../../config.ts";
import { hasMention, plainMentions } from "../../core/mentions.ts";
import type { MediaKind, Post, PostMedia, UntilAudit } from "../../platforms/connector.ts";
import type { Mentions } from "../../platforms/mentions.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";

export type Publishable = Pick<UploadRow, "platform" | "title" | "description" | "settings"> & {
  media: readonly MediaRef[];
  files?: readonly (PostMedia & { sha256: string })[];
};

export const isSent = (ref: MediaRef): boolean =>
  ref.role === undefined && ("sha256" in ref || !ref.isGone);

export const UNKNOWN_FILE = { mime: null, sizeBytes: null, width: null, height: null };

const ADDRESSES: [kind: MediaKind, ending: RegExp][] = [
  ["video", /\.(?:mp4|m4v|mov|webm)$/i],
  ["image", /\.(?:jpe?g|png|webp|gif|heic|avif)$/i],
  ["document", /\.(?:pdf|docx?|pptx?)$/i],
];

export function kindOfAddress(url: string): MediaKind | null {
  const path = URL.parse(url)?.pathname ?? "";
  return ADDRESSES.find(([, ending]) => ending.test(path))?.[0] ?? null;
}

export const described = <M extends object>(
  file: M,
  { altText }: Pick<MediaRef, "altText">,
): M & { altText?: string } => (altText === undefined ? file : { ...file, altText });

/** @param kindOf the kind of a file that is not downloaded yet */
export function toPost(
  { platform, title, description, settings, media, files = [] }: Publishable,
  kindOf: (url: string) => MediaKind,
): Post {
  const toFile = (ref: MediaRef): PostMedia =>
    "sha256" in ref
      ? (files.find(({ sha256 }) => sha256 === ref.sha256) ?? { ...UNKNOWN_FILE, kind: ref.kind })
      : { ...UNKNOWN_FILE, kind: kindOf(ref.url) };
  const { values } = connectorOf(platform).settings.read({});
  return {
    title,
    description,
    media: media.filter(isSent).map((ref) => described(toFile(ref), ref)),
    settings: { ...(values as object), ...settings },
  };
}

export const toWarning = (platform: UploadRow["platform"], label: string): string =>
  `${connectorOf(platform).name}: ${label}.`;

/**
 * Lists the parts of a post that its platform will not show, in the words of the review page. While a file's kind is
 * unknown, lists only parts that are hidden for every kind.
 */
export async function unpublishedWarnings(post: Publishable): Promise<string[]> {
  const connector = connectorOf(post.platform);
  const isKnown = post.media.every(
    (ref) => !isSent(ref) || "sha256" in ref || kindOfAddress(ref.url) !== null,
  );
  const kinds = isKnown ? (["image"] as const) : connector.capabilities.mediaSupport.kinds;
  const [first = [], ...others] = await Promise.all(
    kinds.map(async (kind) => {
      const likeness = await connector.likeness(toPost(post, (url) => kindOfAddress(url) ?? kind));
      return likeness.unpublished.map(({ label }) => label);
    }),
  );
  return first
    .filter((label) => others.every((labels) => labels.includes(label)))
    .map((label) => toWarning(post.platform, label));
}

const auditWarnings = (
  { post, warningsOf }: UntilAudit,
  whole: Parameters<NonNullable<UntilAudit["warningsOf"]>>[0],
): readonly string[] => warningsOf?.(whole) ?? (post === undefined ? [] : [post]);

export const withOwnMentions = <T extends string | null>(
  { takesUrns }: Mentions,
  text: T,
): T | string => (takesUrns || text === null ? text : plainMentions(text));

const NAME_ALONE =
  "it knows no @[Name](urn:…), so the name stays as text; GET /platforms/capabilities says how its mentions are written";

function mentionWarnings(platform: UploadRow["platform"], texts: readonly string[]): string[] {
  const { takesUrns, mayStayText } = connectorOf(platform).mentions;
  return [
    ...(!takesUrns && texts.some(hasMention) ? [toWarning(platform, NAME_ALONE)] : []),
    ...(mayStayText && texts.some((text) => mayStayText.pattern.test(text))
      ? [`${mayStayText.warning}.`]
      : []),
  ];
}

/** Warnings for the author that do not keep the post back. */
export async function postWarnings(
  { auditedPlatforms }: Pick<Config, "auditedPlatforms">,
  post: Publishable,
  written: readonly (string | null | undefined)[],
): Promise<string[]> {
  const { platform, settings } = post;
  const { untilAudit, settings: fields } = connectorOf(platform);
  const { values } = fields.read({});
  const whole = { settings: { ...(values as object), ...settings } };
  const isLimited = untilAudit && !auditedPlatforms.includes(platform);
  const ofAudit = isLimited ? auditWarnings(untilAudit, whole) : [];
  const texts = written.filter((text) => text != null);
  return [...ofAudit, ...(await unpublishedWarnings(post)), ...mentionWarnings(platform, texts)];
}

export const withWarnings = (warnings: readonly string[] = []): { warnings?: string[] } =>
  warnings.length > 0 ? { warnings: [...warnings] } : {};
