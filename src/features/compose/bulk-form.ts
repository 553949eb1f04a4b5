import * as z from "zod";
import { type FieldError, fieldError } from "../../core/errors.ts";
import { type Fields, lastOf } from "../../http/multipart.ts";
import { flag, readField } from "../../platforms/kit/form-fields.ts";
import { connectors } from "../../platforms/registry.ts";
import { MAX_ACCOUNTS } from "../content/bounds.ts";
import { instantIn, OFFSET_NEEDED } from "../content/schema.ts";
import type { NewMedia, NewPost, Override } from "./new-post.ts";

const overrideSchema = z
  .strictObject({
    caption: z.string().optional(),
    title: z.string().optional(),
    thumbnail_url: z.string().optional(),
    thread: z
      .union([z.string(), z.array(z.unknown())])
      .nullable()
      .optional(),
    first_comment: z.string().nullable().optional(),
    alt_text: z.union([z.string(), z.array(z.string())]).optional(),
    settings: z
      .record(z.string(), z.union([z.string(), z.boolean(), z.number(), z.array(z.string())]))
      .optional(),
    scheduledFor: instantIn(z.string({ error: OFFSET_NEEDED }))
      .nullable()
      .optional(),
  })
  .transform(
    ({
      thumbnail_url: thumbnailUrl,
      thread,
      first_comment,
      alt_text,
      settings = {},
      ...others
    }): Override => ({
      ...others,
      ...(thumbnailUrl === undefined ? {} : { thumbnailUrl }),
      settings: {
        ...Object.fromEntries(
          Object.entries(settings).map(([name, value]) => [
            name,
            Array.isArray(value) ? value : String(value),
          ]),
        ),
        ...(thread === undefined
          ? {}
          : { thread: Array.isArray(thread) ? JSON.stringify(thread) : (thread ?? "") }),
        ...(first_comment === undefined ? {} : { first_comment: first_comment ?? "" }),
        ...(alt_text === undefined ? {} : { alt_text }),
      },
    }),
  );

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function batchAccounts(fields: Fields): string[] {
  const list = parseJson(lastOf(fields, "accounts") ?? "");
  if (!Array.isArray(list) || list.length > MAX_ACCOUNTS) return [];
  if (!list.every((id) => typeof id === "string" && id.trim() !== "")) return [];
  return [...new Set(list.map((id: string) => id.trim()))];
}

const readFlags = (fields: Fields) =>
  connectors().flatMap(({ platform, batchFlags = {} }) =>
    Object.entries(batchFlags).map(([name, { settings }]) => {
      const { value: isSet, refusals } = readField(flag, lastOf(fields, name));
      return { platform, name, settings, isSet, refusals };
    }),
  );

export function readBatchFields(post: NewPost, fields: Fields): NewPost {
  const flags = readFlags(fields);
  const own = new Set(["caption", ...flags.map(({ name }) => name)]);
  const read = readOverrides(lastOf(fields, "overrides") ?? "{}");
  const overrides = { ...read.overrides };
  for (const { platform, settings } of flags.filter(({ isSet }) => isSet)) {
    const override = overrides[platform];
    overrides[platform] = { ...override, settings: { ...override?.settings, ...settings } };
  }
  return {
    ...post,
    caption: lastOf(fields, "caption") ?? null,
    settings: Object.fromEntries(Object.entries(post.settings).filter(([name]) => !own.has(name))),
    overrides,
    media: post.media.map(refuseVideoUrl),
    refused: {
      targets: [
        ...mixErrors(post.media),
        ...read.errors,
        ...flags.flatMap(({ name, refusals }) =>
          refusals.map((reason) => fieldError(name, reason)),
        ),
      ],
      fields: post.refused.fields,
    },
  };
}

const BATCH_VIDEO_URL =
  "send the file itself, or its mediaId; a batch takes no URL. POST /media gives a presigned file its mediaId.";

const refuseVideoUrl = ({ role, field, ...file }: NewMedia): NewMedia =>
  role === "video" && "url" in file
    ? { role, field, refusal: BATCH_VIDEO_URL }
    : { role, field, ...file };

function mixErrors(media: readonly NewMedia[]): FieldError[] {
  const has = (role: NewMedia["role"]) =>
    media.some((item) => item.role === role && !("refusal" in item));
  return has("photo") && has("video")
    ? [fieldError("video", "send a video or photos, not both.")]
    : [];
}

export const batchOverrides = (fields: Fields): NewPost["overrides"] =>
  readOverrides(lastOf(fields, "overrides") ?? "{}").overrides;

function readOverrides(text: string): { overrides: NewPost["overrides"]; errors: FieldError[] } {
  const parsed = parseJson(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return { overrides: {}, errors: [fieldError("overrides", "must be a JSON object.")] };
  }
  const entries = Object.entries(parsed).map(
    ([key, value]) => [key, overrideSchema.safeParse(value)] as const,
  );
  return {
    overrides: Object.fromEntries(entries.map(([key, { data = {} }]) => [key, data])),
    errors: entries.flatMap(([key, { error }]) => {
      if (!error) return [];
      const hint = error.issues[0]?.message ?? "";
      const message =
        `${key}: takes caption, title, thumbnail_url and first_comment as strings, thread, alt_text as a string or an array of them, settings as an object of the platform's own fields, and scheduledFor as a date. ${hint}`.trim();
      return [fieldError("overrides", message)];
    }),
  };
}
