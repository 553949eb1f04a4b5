import * as z from "zod";
import { AppError, type FieldError, invalidFields } from "../../../core/errors.ts";
import { PLATFORMS, type Platform, TEXT_FIELDS } from "../../../core/platforms.ts";
import type { Ctx } from "../../../deps.ts";
import { fieldInfos, flag } from "../../../platforms/kit/form-fields.ts";
import { connectorOf, connectors } from "../../../platforms/registry.ts";
import type { AccountRow } from "../../accounts/table.ts";
import { refusedMediaUrl } from "../../media/download.ts";
import { sharedErrors } from "./compose.ts";
import type { ReceivedMedia, ReceivedPost } from "./intake.ts";
import { urlRefusal } from "./text-bounds.ts";

/** Spec is silent. */
export const MAX_ACCOUNTS = 100;

/** Files of one post in a batch, where that is fewer than alone. Source: spec, "Bulk upload". */
const BULK_MAX_PHOTOS: Partial<Record<Platform, number>> = { threads: 10 };

const override = z.strictObject({
  caption: z.string().optional(),
  title: z.string().optional(),
  thumbnail_url: z.string().optional(),
});

export type Override = z.infer<typeof override>;

const lastOf = (fields: Map<string, string[]>, name: string): string | undefined =>
  fields.get(name)?.at(-1);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The accounts that the form names, each once; null where there is no such list. */
export function accountsIn(fields: Map<string, string[]>): string[] | null {
  const list = parseJson(lastOf(fields, "accounts") ?? "");
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_ACCOUNTS) return null;
  if (!list.every((id) => typeof id === "string" && id.trim() !== "")) return null;
  return [...new Set(list.map((id: string) => id.trim()))];
}

const refuse = (field: string, message: string): FieldError => ({
  field,
  message: `${field}: ${message}`,
});

/** What is wrong with a batch as a whole, whatever its accounts. */
export function batchErrors(
  { fields, media, errors, facts }: ReceivedPost,
  now: Date,
): FieldError[] {
  const found = [...errors];
  const ids = accountsIn(fields);
  if (!ids) {
    const wanted = `must be a JSON array of 1 to ${MAX_ACCOUNTS} account ids, such as ["acc_1","acc_2"].`;
    found.push(refuse("accounts", wanted));
  }
  const videoUrl = media.find((item) => item.field === "video" && "url" in item);
  if (videoUrl) found.push(refuse("video", "send the file; an address is not taken in a batch."));
  const hasPhotos = media.some(({ field }) => field === "photo" || field === "file");
  if (hasPhotos && media.some(({ field }) => field === "video")) {
    found.push(refuse("video", "send a video or photos, not both."));
  }
  const given = lastOf(fields, "overrides");
  if (given !== undefined)
    found.push(
      ...overrideErrors(
        given,
        ids ?? [],
        facts.map(({ account }) => account),
      ),
    );
  return [...found, ...typeErrors(fields), ...sharedErrors(fields, now)];
}

const mediaTypesOf = (platform: Platform): readonly string[] =>
  fieldInfos(connectorOf(platform).settings).media_type?.values ?? [];

/** What is to be a story has to be one, and not by a slip of the pen something else. */
function typeErrors(fields: Map<string, string[]>): FieldError[] {
  const errors: FieldError[] = [];
  const asStory = flag.safeParse(fields.get("instagram_as_story"));
  if (!asStory.success) {
    const [issue] = asStory.error.issues;
    errors.push(refuse("instagram_as_story", issue?.message ?? "must be true or false."));
  }
  const wanted = lastOf(fields, "media_type")?.trim().toUpperCase();
  const known = [...new Set(connectors().flatMap(({ platform }) => mediaTypesOf(platform)))];
  if (wanted && !known.includes(wanted)) {
    errors.push(refuse("media_type", `must be one of ${known.join(", ")}.`));
  }
  return errors;
}

function overrideErrors(
  text: string,
  ids: readonly string[],
  accounts: readonly AccountRow[],
): FieldError[] {
  const parsed = parseJson(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return [refuse("overrides", "must be a JSON object.")];
  }
  return Object.entries(parsed).flatMap(([key, value]) => {
    const isKnown = ids.includes(key) || (PLATFORMS as readonly string[]).includes(key);
    if (!isKnown) {
      const names = accounts.map(({ id }) => id).join(", ");
      return [
        refuse(
          "overrides",
          `"${key}" is neither a platform nor an account of this batch (${names}).`,
        ),
      ];
    }
    const read = override.safeParse(value);
    if (read.success) return [];
    const [issue] = read.error.issues;
    return [
      refuse(
        "overrides",
        `${key}: takes caption, title and thumbnail_url as strings. ${issue?.message ?? ""}`.trim(),
      ),
    ];
  });
}

/** @throws AppError 400 with everything that is wrong with the batch as a whole */
export function requireBatch(received: ReceivedPost, now: Date): string[] {
  const errors = batchErrors(received, now);
  if (errors.length > 0) throw invalidFields(errors);
  return accountsIn(received.fields) ?? [];
}

/** What belongs to the batch and not to a post. */
const BATCH_FIELDS = new Set(["accounts", "overrides", "instagram_as_story", "caption"]);

const hasText = (fields: Map<string, string[]>, name: string): boolean =>
  (lastOf(fields, name) ?? "").trim() !== "";

/** An override of an account over that of its platform, field by field. */
function overrideOf(fields: Map<string, string[]>, account: AccountRow): Override {
  const all = (parseJson(lastOf(fields, "overrides") ?? "{}") ?? {}) as Record<string, Override>;
  return { ...all[account.platform], ...all[account.id] };
}

/**
 * The form as it would be for this account alone.
 *
 * @throws AppError 400 for what this account cannot have in a batch
 */
export function formFor(
  ctx: Pick<Ctx, "config">,
  received: ReceivedPost,
  account: AccountRow,
): { fields: Map<string, string[]>; media: ReceivedMedia[] } {
  const { platform } = account;
  const fields = new Map([...received.fields].filter(([name]) => !BATCH_FIELDS.has(name)));
  const media = [...received.media];
  const textField = TEXT_FIELDS[platform];
  const { caption, title, thumbnail_url: thumbnail } = overrideOf(received.fields, account);
  const sharedCaption = received.fields.get("caption");
  if (sharedCaption && !hasText(fields, textField)) {
    fields.set(textField, sharedCaption);
  }
  if (title !== undefined) fields.set("title", [title]);
  // Source: spec, "Bulk upload": TikTok needs a title where there is no description.
  const description = fields.get("description");
  if (platform === "tiktok" && description && !hasText(fields, "title")) {
    fields.set("title", description);
    fields.delete("description");
  }
  if (caption !== undefined) {
    fields.set(textField, [caption]);
    // Where the text is the title, the shared description would be taken for a part of it.
    if (textField === "title") fields.delete("description");
  }
  if (thumbnail !== undefined) {
    const refusal = urlRefusal(thumbnail) ?? refusedMediaUrl(ctx, thumbnail);
    if (refusal) throw invalidFields([refuse("overrides", `the thumbnail_url ${refusal}.`)]);
    media.push({ field: "thumbnail", url: thumbnail });
  }
  shareMediaType(fields, platform, flag.parse(received.fields.get("instagram_as_story")) ?? false);
  const most = BULK_MAX_PHOTOS[platform];
  const photos = media.filter(({ field }) => field !== "thumbnail").length;
  if (most !== undefined && photos > most) {
    throw new AppError(
      null,
      `In a batch ${platform} takes up to ${most} files; ${photos} were sent.`,
    );
  }
  return { fields, media };
}

/** One media_type for the whole batch: it counts where the platform knows that value. */
function shareMediaType(fields: Map<string, string[]>, platform: Platform, asStory: boolean): void {
  if (platform === "instagram" && asStory) {
    fields.set("media_type", ["STORIES"]);
    return;
  }
  const wanted = lastOf(fields, "media_type")?.trim().toUpperCase();
  if (wanted !== undefined && !mediaTypesOf(platform).includes(wanted)) fields.delete("media_type");
}
