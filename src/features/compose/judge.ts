import { AppError, type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import { refusedHashtags } from "../../core/hashtags.ts";
import type { Platform } from "../../core/platforms.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import type { Deps } from "../../deps.ts";
import type { Connector, MediaKind, Post, Target } from "../../platforms/connector.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import { serverLimitsOf } from "../accounts/repo.ts";
import type { AccountRow } from "../accounts/table.ts";
import { described, UNKNOWN_FILE } from "../content/as-published.ts";
import { type Texts, textErrors } from "../content/bounds.ts";
import { pullRefusal } from "../content/files.ts";
import { contentViolations, type PreparedText, type RecentPost } from "../limits/content-rules.ts";
import type { Violation } from "../limits/rules.ts";
import type { MediaRow } from "../media/repo.ts";
import { scheduleRefusal } from "../posts/rules.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";
import type { UnknownMedia } from "./media.ts";
import type { readParts } from "./parts.ts";

interface SentFields {
  texts: Texts;
  refused?: readonly FieldError[];
  /** The planned date (null when none was sent) and its field in the call. */
  date: { field: string; at: Date | null };
}

export function fieldErrors({ texts, refused = [], date }: SentFields, now: Date): FieldError[] {
  const { field, at } = date;
  const refusal = at && scheduleRefusal(at, now);
  return [
    ...textErrors(texts),
    ...unknownFieldErrors(texts),
    ...refused,
    ...(refusal ? [fieldError(field, `${refusal}.`)] : []),
  ];
}

const unknownFieldErrors = (fields: Texts): FieldError[] =>
  connectors().flatMap(({ ownPrefix, settings }) => {
    if (!ownPrefix) return [];
    const { prefix, refusal } = ownPrefix;
    const ownFields = Object.keys(settings.infos);
    return Object.keys(fields)
      .filter((field) => field.startsWith(prefix) && !ownFields.includes(field))
      .map((field) => fieldError(field, `${refusal}. Its fields: ${ownFields.join(", ")}.`));
  });

type Limited = Pick<AccountRow, "platformAccountId" | "grantedScopes" | "serverLimits">;

interface Subject {
  platform: Platform;
  /** Null when an edit leaves account and files unchanged. */
  account: (Limited & Pick<AccountRow, "platform" | "mode">) | null;
  /** Where `account` is null. */
  serverLimits?: AccountRow["serverLimits"];
  post: Omit<Post, "media" | "thumbnail"> & {
    media: readonly UnknownMedia[];
    thumbnail: UnknownMedia | null;
  };
  refs: readonly MediaRef[];
  status: UploadStatus;
  at: Date;
  /** Null when an edit keeps the text. */
  text: PreparedText | null;
  /** True when an edit changes only alternative texts. */
  isDescribedAnew?: boolean;
  errors: readonly FieldError[];
}

export function asJudged(
  upload: Pick<UploadRow, "title" | "description" | "settings" | "media">,
  files: readonly MediaRow[],
): Subject["post"] {
  const { title, description, settings, media } = upload;
  const toFile = (item: MediaRef): UnknownMedia => {
    if (!("sha256" in item)) return { ...UNKNOWN_FILE, kind: null };
    return (
      files.find(({ sha256 }) => sha256 === item.sha256) ?? { ...UNKNOWN_FILE, kind: item.kind }
    );
  };
  const toMedia = (item: MediaRef): UnknownMedia => described(toFile(item), item);
  const thumbnail = media.findLast(({ role }) => role === "thumbnail");
  return {
    title,
    description,
    settings,
    media: media.filter(({ role }) => role === undefined).map(toMedia),
    thumbnail: thumbnail ? toMedia(thumbnail) : null,
  };
}

export async function partsOf(...args: Parameters<typeof readParts>): ReturnType<typeof readParts> {
  const { readParts } = await import("./parts.ts");
  return readParts(...args);
}

export interface HouseRules {
  blocklist: readonly string[];
  /** The team's list; null for the platform's own. */
  bannedHashtags: readonly string[] | null;
  recent: readonly RecentPost[];
  cap: Violation | null;
}

/**
 * Judges a post by its platform's rules and ours.
 *
 * @throws AppError 400 with every refused field; 429 with violations for a cap, 400 for others
 */
export async function judge(
  deps: Pick<Deps, "config" | "now">,
  { serverLimits = null, ...subject }: Subject,
  { blocklist, bannedHashtags, recent, cap }: HouseRules,
): Promise<void> {
  const { platform, account, post, refs, status, at, text, isDescribedAnew, errors } = subject;
  const allErrors = [...errors];
  if (text || isDescribedAnew) {
    const connector = connectorOf(platform);
    const now = deps.now();
    const target = account ? targetOf(account, now, at) : { now, serverLimits };
    const unfetched = account && pullRefusal(deps, account, asIf(post, "image"));
    allErrors.push(
      ...(await platformErrors(connector, post, target)),
      ...(unfetched ? [{ field: "photo", message: unfetched }] : []),
      ...hashtagErrors(post, bannedHashtags ?? connector.capabilities.bannedHashtags),
    );
  }
  if (allErrors.length > 0) throw invalidFields(allErrors);
  if (!text || status === "draft") return;
  const candidate = { platform, blocklist, text, media: refs, at };
  const violations = [...(cap ? [cap] : []), ...contentViolations(candidate, recent)];
  const ofPostAlone = violations.length > 0 ? contentViolations(candidate, []) : [];
  refuseViolations(violations, ofPostAlone.length === 0);
}

export const targetOf = (
  { platformAccountId, grantedScopes, serverLimits }: Limited,
  now: Date,
  at: Date,
): Target => ({
  now,
  at,
  platformAccountId,
  ...(grantedScopes === null ? {} : { grantedScopes: grantedScopes.split(" ") }),
  serverLimits,
});

/** For an edit, which reads no account. */
export async function limitsOfAccount(
  { db }: Pick<Deps, "db">,
  { platform, teamId, accountId }: Pick<UploadRow, "platform" | "teamId" | "accountId">,
): Promise<AccountRow["serverLimits"]> {
  if (!connectorOf(platform).readServerLimits) return null;
  const [[limits = null]] = await db.run([serverLimitsOf(teamId, accountId)]);
  return limits;
}

/** For files of unknown kind, keeps only errors that hold for every kind. */
async function platformErrors(
  connector: Connector,
  post: Subject["post"],
  target: Target,
): Promise<FieldError[]> {
  const asImages = await connector.check(asIf(post, "image"), target);
  const isSeen = [...post.media, post.thumbnail].every((item) => item?.kind !== null);
  if (isSeen) return asImages;
  const asVideos = await connector.check(asIf(post, "video"), target);
  return asImages.filter(({ message }) => asVideos.some((other) => other.message === message));
}

function asIf({ media, thumbnail, ...post }: Subject["post"], kind: MediaKind): Post {
  const seen = (item: UnknownMedia) => ({ ...item, kind: item.kind ?? kind });
  return { ...post, media: media.map(seen), thumbnail: thumbnail ? seen(thumbnail) : null };
}

const hashtagErrors = (
  post: Pick<Post, "title" | "description">,
  bannedHashtags: readonly string[],
): FieldError[] =>
  (["title", "description"] as const).flatMap((field) =>
    refusedHashtags(post[field] ?? "", bannedHashtags).map((hashtag) =>
      fieldError(field, `the platform hides or refuses #${hashtag}; leave it out.`),
    ),
  );

/** @throws AppError 429 with violations for a cap, 400 for others */
export function refuseViolations(violations: readonly Violation[], isPassing = true): void {
  const [first] = violations;
  if (!first) return;
  const isCap = violations.some(({ type }) => type === "hard_cap");
  throw new AppError(null, first.message, {
    status: isCap ? 429 : 400,
    extras: { message: first.message, violations },
    isPassing,
  });
}
