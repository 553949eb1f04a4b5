import { type FieldError, fieldError } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import { flag, lastOf, type RawField, readField } from "../../platforms/kit/form-fields.ts";
import type { Call } from "../idempotency/once.ts";
import type { StoredFile } from "../media/table.ts";

export type RawSettings = Record<string, RawField>;

/** A photo may also be a carousel's video or a document. */
export type MediaRole = "photo" | "video" | "thumbnail";

/** `field`: the file's field in the call, for messages. */
export type NewMedia = { role: MediaRole; field: string } & (
  | {
      /** A file of the call; deleted unless the post needs it. */
      received: StoredFile;
    }
  | {
      sha256: string;
    }
  | { url: string }
  | {
      refusal: string;
    }
);

export const PART_FIELDS = ["thread", "thread_marks", "first_comment"] as const;

export const namesParts = (raw: RawSettings): boolean =>
  PART_FIELDS.some((field) => lastOf(raw[field]) !== "");

export const writtenTexts = ({
  title,
  description,
  settings,
}: Pick<NewPost, "title" | "description" | "settings">): (string | null)[] => [
  title,
  description,
  lastOf(settings.thread),
  lastOf(settings.first_comment),
];

export const WITH_THREAD = "send it with thread.";

/** A thread in one override is enough, and one that an override leaves out does no harm. */
export function marksAlone(
  raw: RawSettings,
  overrides: Record<string, Override> = {},
): FieldError[] {
  const isMarked =
    lastOf(raw.thread_marks) !== "" && readField(flag, raw.thread_marks).value !== false;
  const all = [raw, ...Object.values(overrides).map(({ settings = {} }) => settings)];
  const hasThread = all.some(({ thread }) => lastOf(thread) !== "");
  return isMarked && !hasThread ? [fieldError("thread_marks", WITH_THREAD)] : [];
}

export interface Override {
  title?: string;
  caption?: string;
  thumbnailUrl?: string;
  /** Null publishes at once. */
  scheduledFor?: Date | null;
  settings?: RawSettings;
}

export interface NewPost {
  /** Null for a call without an idempotency key. */
  call: Call | null;
  accountIds: readonly string[];
  title: string | null;
  description: string | null;
  /** Batches only: used where the platform's text field is empty. */
  caption: string | null;
  settings: RawSettings;
  /** Batches only: changes by platform or account id. An account's override wins. */
  overrides: Record<string, Override>;
  media: readonly NewMedia[];
  scheduledFor: Date | null;
  /** Null: the post is published. */
  status: "draft" | "pending_approval" | null;
  origin: string;
  /** `targets` concern accounts and overrides, `fields` the post. */
  refused: { targets: readonly FieldError[]; fields: readonly FieldError[] };
}

export const EMPTY_POST: Omit<NewPost, "accountIds" | "origin"> = {
  call: null,
  title: null,
  description: null,
  caption: null,
  settings: {},
  overrides: {},
  media: [],
  scheduledFor: null,
  status: null,
  refused: { targets: [], fields: [] },
};

/** `dateField`: the field that named the date. */
export function plannedDate(
  { overrides, scheduledFor }: Pick<NewPost, "overrides" | "scheduledFor">,
  { id, platform }: { id: string; platform: Platform | null },
): { scheduledFor: Date | null; dateField: string } {
  for (const key of platform === null ? [id] : [id, platform]) {
    const own = overrides[key]?.scheduledFor;
    if (own !== undefined) return { scheduledFor: own, dateField: `overrides.${key}.scheduledFor` };
  }
  return { scheduledFor, dateField: "schedule_date" };
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** Equal for the same files in the same order, whatever their fields. */
export const canonicalMedia = (media: readonly NewMedia[]): unknown =>
  media.map(({ role, field, ...file }) =>
    "received" in file ? [role, file.received.sha256] : [role, Object.values(file)],
  );

/** Equal for equal posts, whatever the order of their settings. */
export function canonicalPost({ call: _, origin: __, ...post }: NewPost): unknown {
  const media = canonicalMedia(post.media);
  const settings = Object.entries(post.settings).sort(byName);
  return Object.entries({ ...post, media, settings }).sort(byName);
}

/** Names of other services and of our answers, also misspelt. A post whose date is overlooked goes out at once. */
const OTHER_DATES = /^(?:s\w?hedul\w*|(?:publish|post|send)_?(?:at|on|date|time)|date|time|when)$/i;

/** `scheduledDate` is YouTube's own. */
const REAL_DATES = ["schedule_date", "scheduledDate"];

export const isMisnamedDate = (field: string): boolean =>
  !REAL_DATES.includes(field) && OTHER_DATES.test(field);
