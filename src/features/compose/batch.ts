import { AppError, type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import { isPlatform, type Platform } from "../../core/platforms.ts";
import { nullIfBlank } from "../../core/text.ts";
import type { Ctx } from "../../deps.ts";
import { lastOf } from "../../platforms/kit/form-fields.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import type { AccountRow } from "../accounts/table.ts";
import { MAX_ACCOUNTS } from "../content/bounds.ts";
import type { OwnPost } from "./compose.ts";
import { fieldErrors } from "./judge.ts";
import type { Findings } from "./lookup.ts";
import {
  altTextErrors,
  type CheckedFiles,
  type CheckedMedia,
  checkMedia,
  countFiles,
  type PresignedFiles,
  refusalsOf,
  urlRefusal,
} from "./media.ts";
import {
  marksAlone,
  type NewPost,
  type Override,
  plannedDate,
  type RawSettings,
} from "./new-post.ts";

export function batchErrors(
  post: NewPost,
  media: readonly CheckedMedia[],
  { facts }: Findings,
  now: Date,
): FieldError[] {
  const { accountIds, title, description, caption, settings, refused } = post;
  const isCountRight = accountIds.length > 0 && accountIds.length <= MAX_ACCOUNTS;
  const requirement = `must be a JSON array of 1 to ${MAX_ACCOUNTS} account ids, such as ["acc_1","acc_2"].`;
  const names = facts.map(({ account }) => account.id).join(", ");
  const texts = { ...settings, title, description, caption };
  const date = { field: "schedule_date", at: post.scheduledFor };
  return [
    ...refusalsOf(media),
    ...(isCountRight ? [] : [fieldError("accounts", requirement)]),
    ...refused.targets,
    ...Object.keys(post.overrides)
      .filter((key) => !accountIds.includes(key) && !isPlatform(key))
      .map((key) => {
        const message = `"${key}" is neither a platform nor an account of this batch (${names}).`;
        return fieldError("overrides", message);
      }),
    ...mediaTypeErrors(settings),
    ...marksAlone(settings, post.overrides),
    ...altTextErrors(settings.alt_text, countFiles(media)),
    ...fieldErrors({ texts, refused: refused.fields, date }, now),
  ];
}

const mediaTypesOf = (platform: Platform): readonly string[] =>
  connectorOf(platform).settings.infos.media_type?.values ?? [];

const mediaTypeIn = ({ media_type }: RawSettings): string => lastOf(media_type).toUpperCase();

/** Refuses a shared media_type that no platform knows, because `sharedSettings` would drop it silently. */
function mediaTypeErrors(settings: RawSettings): FieldError[] {
  const mediaType = mediaTypeIn(settings);
  const mediaTypes = [...new Set(connectors().flatMap(({ platform }) => mediaTypesOf(platform)))];
  if (!mediaType || mediaTypes.includes(mediaType)) return [];
  return [fieldError("media_type", `must be one of ${mediaTypes.join(", ")}.`)];
}

/**
 * Applies the overrides and shared settings of a batch to one account's post.
 *
 * @throws AppError 400 for too many files or an unusable thumbnail
 */
export function ownPost(
  ctx: Pick<Ctx, "config">,
  post: NewPost,
  { media, presigned }: CheckedFiles,
  account: AccountRow,
): OwnPost {
  const { platform } = account;
  const override = overrideOf(post.overrides, account);
  const { refused, ...shared } = post;
  const own: OwnPost = {
    ...shared,
    ...plannedDate(post, account),
    ...ownTexts(post, override, platform),
    settings: { ...sharedSettings(post.settings, platform), ...override.settings },
    media: [...media, ...ownThumbnail(ctx, override, presigned)],
    refused: refused.fields,
  };
  const max = connectorOf(platform).capabilities.batchMaxFiles;
  const files = media.filter(({ role }) => role !== "thumbnail").length;
  if (max !== undefined && files > max) {
    const message = `In a batch ${platform} takes up to ${max} files; ${files} were sent.`;
    throw new AppError(null, message);
  }
  return own;
}

function overrideOf(overrides: NewPost["overrides"], { id, platform }: AccountRow): Override {
  const [general, own] = [overrides[platform], overrides[id]];
  return { ...general, ...own, settings: { ...general?.settings, ...own?.settings } };
}

function ownTexts(
  post: NewPost,
  { title, caption }: Override,
  platform: Platform,
): Pick<NewPost, "title" | "description"> {
  const { textField: field, batchTitleFromDescription } = connectorOf(platform).capabilities;
  const own = { title: post.title, description: post.description };
  if (post.caption !== null && nullIfBlank(own[field]) === null) own[field] = post.caption;
  if (title !== undefined) own.title = title;
  if (batchTitleFromDescription && own.description !== null && nullIfBlank(own.title) === null) {
    own.title = own.description;
    own.description = null;
  }
  if (caption !== undefined) {
    own[field] = caption;
    // Otherwise the platform would append the description to the caption.
    if (field === "title") own.description = null;
  }
  return own;
}

function sharedSettings(settings: RawSettings, platform: Platform): RawSettings {
  const { media_type, ...others } = settings;
  const isKnown = mediaTypesOf(platform).includes(mediaTypeIn(settings));
  return isKnown ? { ...others, media_type } : others;
}

/** @throws AppError 400 for a URL that cannot be fetched */
function ownThumbnail(
  ctx: Pick<Ctx, "config">,
  { thumbnailUrl: url }: Override,
  presigned: PresignedFiles,
): CheckedMedia[] {
  if (url === undefined) return [];
  const reason = presigned.has(url) ? null : urlRefusal(ctx, url);
  if (reason) throw invalidFields([fieldError("overrides", `the thumbnail_url ${reason}.`)]);
  return checkMedia(ctx, [{ role: "thumbnail", field: "overrides", url }], [], presigned);
}
