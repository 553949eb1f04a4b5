import * as z from "zod";
import { FAILURE_CODES, NEXT_ACTIONS, toFailureObject } from "../../core/failures.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { parseInstant } from "../../core/time.ts";
import { enableDescriptions } from "../../http/describing.ts";
import type { PartKind } from "../../platforms/part-kinds.ts";
import { connectors } from "../../platforms/registry.ts";
import type { UploadRecord } from "../posts/table.ts";
import {
  MAX_ALT_TEXT_CHARACTERS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_FIELD_CHARACTERS,
  MAX_THREAD,
  MAX_THREAD_CHARACTERS,
  MAX_TITLE_CHARACTERS,
} from "./bounds.ts";

enableDescriptions();

export const OFFSET_NEEDED = "must be ISO 8601 with an offset, such as 2026-12-01T09:00:00Z";

export const instantIn = (schema: z.ZodString) =>
  schema.transform((text, ctx) => {
    const at = parseInstant(text);
    if (at) return at;
    ctx.addIssue({ code: "custom", message: OFFSET_NEEDED });
    return z.NEVER;
  });

export const instant = instantIn(z.string());

export const platformFilter = z
  .enum(PLATFORMS, { error: `must be one of ${PLATFORMS.join(", ")}` })
  .optional()
  .describe("Uploads of one platform.");

/** The maximum is only documented here. `textErrors` checks it: it counts characters, zod counts UTF-16 units. */
const textUpTo = (max: number) => z.string({ error: "must be text" }).openapi({ maxLength: max });

export const titleText = textUpTo(MAX_TITLE_CHARACTERS);
export const descriptionText = textUpTo(MAX_DESCRIPTION_CHARACTERS);

export const altText = textUpTo(MAX_ALT_TEXT_CHARACTERS);

export const MAX_FILES = Math.max(
  ...connectors().map(({ capabilities }) => capabilities.mediaSupport.maxCount),
);

const ALT_TEXT_WORDS =
  "Alternative text: one for all files; or repeated, or a JSON array, with one for each file in the order of the post, where an empty text leaves a file out. Files, sent or named by mediaId, come in the order of their fields, and before URLs. `limits.altTextCharacters` of the platform's capabilities says how long it may be. A platform's own field, such as x_alt_text, wins. Where a platform takes none, `warnings` says that it is left out.";

/** @param more what single platforms say of the field */
export const altTextField = (...more: string[]) =>
  z
    .union([altText, z.array(altText).max(MAX_FILES)])
    .optional()
    .describe([ALT_TEXT_WORDS, ...more].join("\n\n"));

const withFollowUp = (kind: PartKind): string =>
  connectors()
    .flatMap(({ platform, followUps }) => (followUps?.kinds.includes(kind) ? [platform] : []))
    .join(", ");

export const partFormFields = () => ({
  thread: z
    .string()
    .openapi({ maxLength: MAX_THREAD_CHARACTERS })
    .optional()
    .describe(
      `What follows the post as a thread (${withFollowUp("post")}): a JSON array of up to ${MAX_THREAD} texts, or of {"text", "media"}, whose \`media\` are numbers of the call's files from 0; the other files go with the post itself. \`auto\` splits a long text at paragraphs, then at sentences, then at words.`,
    ),
  thread_marks: z
    .string()
    .optional()
    .openapi({ type: "boolean" })
    .describe("Ends each post of a thread with its number, such as 1/5. Default: false."),
  first_comment: z
    .string()
    .openapi({ maxLength: MAX_FIELD_CHARACTERS })
    .optional()
    .describe(`The first comment under the post (${withFollowUp("comment")}).`),
});

export const partFields = {
  thread: z
    .union(
      [
        z.string().openapi({ maxLength: MAX_THREAD_CHARACTERS }),
        z.array(z.unknown()).openapi({ maxItems: MAX_THREAD }),
      ],
      { error: "must be an array, or auto" },
    )
    .nullable()
    .optional()
    .describe(
      "What follows the post as a thread, as in POST /upload; `media` are numbers of the post's files from 0. null takes the thread off.",
    ),
  thread_marks: z
    .boolean({ error: "must be true or false" })
    .nullable()
    .optional()
    .describe("Ends each post of the thread with its number. Sent with thread."),
  first_comment: z
    .string({ error: "must be text" })
    .openapi({ maxLength: MAX_FIELD_CHARACTERS })
    .nullable()
    .optional()
    .describe("The first comment. null takes it off."),
};

const textOn = (field: "title" | "description"): string =>
  connectors()
    .flatMap(({ platform, capabilities }) => (capabilities.textField === field ? [platform] : []))
    .join(", ");

/** `uploadFormSchema` adds the platforms' own fields. */
export const postFieldsSchema = z.object({
  title: titleText
    .optional()
    .describe(`The text of a post on ${textOn("title")}; elsewhere a title or a label of yours.`),
  description: descriptionText
    .optional()
    .describe(`The text of a post on ${textOn("description")}; elsewhere it goes with the title.`),
  schedule_date: instant
    .optional()
    .openapi({ type: "string", format: "date-time" })
    .describe("When to publish: ISO 8601 with an offset, in the future and within 6 months."),
  status: z
    .enum(["draft", "pending_approval"], { error: "must be draft or pending_approval" })
    .optional(),
});

/** An extension of the spec. */
export const versionText = z
  .string()
  .describe(
    "Names the text, files, account, settings and date that the post has now. Approving names it, so that what was read is what goes out. An extension.",
  );

const failureSchema = z
  .object({
    code: z.enum(FAILURE_CODES),
    retryable: z.boolean(),
    nextAction: z.enum(NEXT_ACTIONS),
  })
  .meta({ id: "Failure" });

/** A union, because `nullable()` would make the named schema nullable. */
export const failureOrNull = z.union([failureSchema, z.null()]);

export const warningsSchema = z
  .array(z.string())
  .describe(
    "What its author should know of the post: texts that the platform will not show, as the review page names them, and what holds until the platform has audited the instance's app. Absent where there is nothing to say.",
  );

export const toFailure = (upload: UploadRecord) =>
  upload.status === "failed" && upload.failureCode ? toFailureObject(upload.failureCode) : null;
