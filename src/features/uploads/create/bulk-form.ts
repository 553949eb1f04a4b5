import * as z from "zod";
import type { FieldError } from "../../../core/errors.ts";
import { type Fields, lastOf } from "../../../http/multipart.ts";
import { flag, readField } from "../../../platforms/kit/form-fields.ts";
import type { NewMedia, NewPost, Override } from "./new-post.ts";
import { MAX_ACCOUNTS } from "./text-bounds.ts";

const overrideSchema = z
  .strictObject({
    caption: z.string().optional(),
    title: z.string().optional(),
    thumbnail_url: z.string().optional(),
  })
  .transform(
    ({ thumbnail_url: thumbnailUrl, ...texts }): Override => ({
      ...texts,
      ...(thumbnailUrl === undefined ? {} : { thumbnailUrl }),
    }),
  );

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the accounts that the form names, each once; none when the list cannot be read. */
export function batchAccounts(fields: Fields): string[] {
  const list = parseJson(lastOf(fields, "accounts") ?? "");
  if (!Array.isArray(list) || list.length > MAX_ACCOUNTS) return [];
  if (!list.every((id) => typeof id === "string" && id.trim() !== "")) return [];
  return [...new Set(list.map((id: string) => id.trim()))];
}

const refuse = (field: string, message: string): FieldError => ({
  field,
  message: `${field}: ${message}`,
});

/** Moves the fields of a batch out of the settings. */
export function readBatchFields(post: NewPost, fields: Fields): NewPost {
  const { caption: _, instagram_as_story: __, ...settings } = post.settings;
  const read = readOverrides(lastOf(fields, "overrides") ?? "{}");
  const asStory = readField(flag, lastOf(fields, "instagram_as_story"));
  const story = { instagram: { ...read.overrides.instagram, settings: { media_type: "STORIES" } } };
  return {
    ...post,
    caption: lastOf(fields, "caption") ?? null,
    settings,
    overrides: { ...read.overrides, ...(asStory.value ? story : {}) },
    media: post.media.map(refuseVideoUrl),
    refused: {
      targets: [
        ...mixErrors(post.media),
        ...read.errors,
        ...asStory.refusals.map((reason) => refuse("instagram_as_story", reason)),
      ],
      fields: post.refused.fields,
    },
  };
}

const BATCH_VIDEO_URL =
  "send the file itself; a batch takes no URL. One in storage is posted to each account by POST /upload.";

const refuseVideoUrl = ({ role, field, ...file }: NewMedia): NewMedia =>
  role === "video" && "url" in file
    ? { role, field, refusal: BATCH_VIDEO_URL }
    : { role, field, ...file };

function mixErrors(media: readonly NewMedia[]): FieldError[] {
  const has = (wanted: NewMedia["role"]) =>
    media.some((item) => item.role === wanted && !("refusal" in item));
  return has("photo") && has("video") ? [refuse("video", "send a video or photos, not both.")] : [];
}

function readOverrides(text: string): { overrides: NewPost["overrides"]; errors: FieldError[] } {
  const parsed = parseJson(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return { overrides: {}, errors: [refuse("overrides", "must be a JSON object.")] };
  }
  const entries = Object.entries(parsed).map(
    ([key, value]) => [key, overrideSchema.safeParse(value)] as const,
  );
  return {
    overrides: Object.fromEntries(entries.map(([key, { data = {} }]) => [key, data])),
    errors: entries.flatMap(([key, { error }]) => {
      if (!error) return [];
      const hint = error.issues[0]?.message ?? "";
      const message = `${key}: takes caption, title and thumbnail_url as strings. ${hint}`.trim();
      return [refuse("overrides", message)];
    }),
  };
}
