import * as z from "zod";
import { parseInstant } from "../../core/time.ts";
import type { Call } from "../kit/simulator.ts";
import { badParameter, refusal, requireParts } from "./call.ts";

/** Source: YouTube Data API, "Videos". */
const MAX_TITLE = 100;
const MAX_DESCRIPTION_BYTES = 5_000;
const MAX_TAGS = 500;
/** Assignable in the United States. */
const CATEGORIES = "1 2 10 15 17 19 20 22 23 24 25 26 27 28 29".split(" ");

/** Writable by apps. `contentDetails` is only for YouTube's content partners. */
const PARTS = [
  "snippet",
  "status",
  "recordingDetails",
  "paidProductPlacementDetails",
  "localizations",
];
const READ_PARTS = [
  "id",
  "contentDetails",
  "statistics",
  "processingDetails",
  "fileDetails",
  "suggestions",
];

const bounded = (max: number, isTaken: (text: string) => boolean = () => true) =>
  z.string().refine((text) => text.length <= max && isTaken(text));

const noBrackets = (text: string): boolean => !/[<>]/.test(text);
const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

const tagsLength = (tags: string[]): number =>
  tags.reduce((total, tag) => total + tag.length + (tag.includes(" ") ? 2 : 0), 0) +
  Math.max(tags.length - 1, 0);

const isInstant = (text: string): boolean => parseInstant(text) !== null;

const languageTag = z.string().refine((tag) => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
});

const snippet = z.strictObject({
  title: bounded(MAX_TITLE, (text) => noBrackets(text) && text.trim() !== ""),
  description: z
    .string()
    .refine((text) => noBrackets(text) && sizeOf(text) <= MAX_DESCRIPTION_BYTES)
    .optional(),
  tags: z
    .array(z.string().min(1))
    .refine((tags) => tagsLength(tags) <= MAX_TAGS)
    .optional(),
  categoryId: z.enum(CATEGORIES).optional(),
  defaultLanguage: languageTag.optional(),
  defaultAudioLanguage: languageTag.optional(),
});

const status = z
  .strictObject({
    privacyStatus: z.enum(["public", "private", "unlisted"]).optional(),
    publishAt: z.string().refine(isInstant).optional(),
    embeddable: z.boolean().optional(),
    license: z.enum(["youtube", "creativeCommon"]).optional(),
    publicStatsViewable: z.boolean().optional(),
    selfDeclaredMadeForKids: z.boolean().optional(),
    containsSyntheticMedia: z.boolean().optional(),
  })
  .refine(({ publishAt, privacyStatus }) => !publishAt || privacyStatus === "private", {
    path: ["publishAt"],
  });

const resource = z.strictObject({
  snippet,
  status: status.optional(),
  recordingDetails: z.strictObject({ recordingDate: z.string().refine(isInstant) }).optional(),
  paidProductPlacementDetails: z.strictObject({ hasPaidProductPlacement: z.boolean() }).optional(),
  localizations: z
    .record(z.string(), z.strictObject({ title: z.string(), description: z.string().optional() }))
    .optional(),
});

export type Resource = z.output<typeof resource>;

const REASONS: [path: string, reason: string][] = [
  ["snippet.title", "invalidTitle"],
  ["snippet.description", "invalidDescription"],
  ["snippet.tags", "invalidTags"],
  ["snippet.categoryId", "invalidCategoryId"],
  ["status.publishAt", "invalidPublishAt"],
  ["recordingDetails", "invalidRecordingDetails"],
];

export function readResource(call: Call, body: Record<string, unknown>): Resource {
  const parts = requireParts(call, [...PARTS, ...READ_PARTS]);
  if (body.contentDetails !== undefined && parts.includes("contentDetails")) {
    throw refusal(400, "invalidVideoMetadata", "The request metadata is invalid.");
  }
  const misplaced = parts.find((part) => !PARTS.includes(part) && part !== "id");
  if (misplaced) throw badParameter("part", `'${misplaced}'`, "unexpectedPart");
  const unnamed = Object.keys(body).find((part) => !parts.includes(part));
  if (unnamed) throw badParameter("part", `'${unnamed}'`, "unexpectedPart");
  const parsed = resource.safeParse(body);
  if (parsed.success) {
    const { snippet: texts, localizations } = parsed.data;
    if (localizations && !texts.defaultLanguage) {
      throw refusal(400, "defaultLanguageNotSet", "The default language is not set.");
    }
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    throw badParameter(
      "resource",
      `Invalid JSON payload received. Unknown name "${issue.keys[0]}" at 'resource.${path}': Cannot find field.`,
    );
  }
  const reason = REASONS.find(([start]) => path.startsWith(start))?.[1] ?? "invalidVideoMetadata";
  throw refusal(400, reason, `The request metadata specifies an invalid ${path}.`, {
    location: `body.${path}`,
    locationType: "other",
  });
}
