import * as z from "zod";
import { BROKEN_TEXT, isBrokenText } from "../../core/text.ts";
import { enableDescriptions } from "../../http/describing.ts";
import {
  MAX_ACCOUNTS,
  MAX_ALT_TEXT_CHARACTERS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_FIELD_CHARACTERS,
  MAX_THREAD,
  MAX_THREAD_CHARACTERS,
  MAX_TITLE_CHARACTERS,
} from "../content/bounds.ts";
import type { StoredDraft } from "./repo.ts";
import { MAX_DRAFT_BYTES } from "./rules.ts";
import type { DraftContent } from "./table.ts";

enableDescriptions();

const MAX_KEYS = 400;
const MAX_NAME = 200;
const MAX_VALUES = 100;
const MAX_FILES = 100;

const text = (max: number) =>
  z
    .string({ error: "must be text" })
    .max(2 * max, `must have at most ${max} characters`)
    .refine((value) => !isBrokenText(value), BROKEN_TEXT)
    .openapi({ maxLength: max });

const bounded = <T extends z.ZodType>(values: T) =>
  z
    .record(z.string().max(MAX_NAME), values)
    .refine((all) => Object.keys(all).length <= MAX_KEYS, `must have at most ${MAX_KEYS} entries`);

const mediaId = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be the mediaId of a file")
  .openapi({ maxLength: 64 })
  .describe("A file of the team's library.");

const overrideSchema = z.strictObject({
  title: text(MAX_TITLE_CHARACTERS).optional(),
  caption: text(MAX_DESCRIPTION_CHARACTERS).optional(),
  first_comment: text(MAX_FIELD_CHARACTERS).optional(),
  thread: text(MAX_THREAD_CHARACTERS).optional(),
});

export const draftContentSchema = z
  .strictObject({
    accountIds: z.array(text(MAX_NAME)).max(MAX_ACCOUNTS).default([]),
    title: text(MAX_TITLE_CHARACTERS).default(""),
    description: text(MAX_DESCRIPTION_CHARACTERS).default(""),
    fields: bounded(
      z.union([text(MAX_FIELD_CHARACTERS), z.array(text(MAX_FIELD_CHARACTERS)).max(MAX_VALUES)]),
    )
      .default({})
      .describe(
        "Settings of platforms, by the names of POST /upload. A value for one platform or account alone has it in front: `facebook.link`, `acc_1.privacy_level`.",
      ),
    overrides: bounded(overrideSchema)
      .default({})
      .describe("Other texts for a platform or an account, as in POST /upload/bulk."),
    thread: z
      .array(
        z.strictObject({
          text: text(MAX_THREAD_CHARACTERS).default(""),
          media: z.array(z.number().int().min(0).max(MAX_FILES)).max(MAX_FILES).default([]),
        }),
      )
      .max(MAX_THREAD)
      .default([])
      .describe("What follows the post; `media` are numbers of the draft's files from 0."),
    firstComment: text(MAX_FIELD_CHARACTERS).default(""),
    media: z
      .array(z.strictObject({ mediaId, altText: text(MAX_ALT_TEXT_CHARACTERS).default("") }))
      .max(MAX_FILES)
      .default([]),
    thumbnailMediaId: mediaId.nullable().default(null),
    when: z
      .strictObject({
        kind: z.enum(["now", "at", "pool", "draft", "approval", "review"]),
        at: z
          .string()
          .max(40)
          .default("")
          .describe("Wall time of the workspace, such as 2026-12-01T10:00; empty for none."),
        poolId: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullable().default(null),
      })
      .default({ kind: "now", at: "", poolId: null }),
  })
  .refine(
    (content) => new TextEncoder().encode(JSON.stringify(content)).length <= MAX_DRAFT_BYTES,
    `The draft has more than ${MAX_DRAFT_BYTES / 1_000} KB. Shorten its texts.`,
  )
  .meta({ id: "DraftContent" }) satisfies z.ZodType<DraftContent>;

export const newDraftSchema = z
  .strictObject({ content: draftContentSchema })
  .meta({ id: "NewDraft" });

export const draftChangeSchema = z
  .strictObject({
    content: draftContentSchema,
    version: z
      .number({ error: "is required; send the version that you read" })
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .describe("The version that was read. A save of another one in between refuses this one."),
  })
  .meta({ id: "DraftChange" });

export const draftSchema = z
  .object({
    id: z.number().int(),
    version: z.number().int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    updatedBy: z
      .object({ userId: z.number().int(), name: z.string().nullable() })
      .describe("Who saved it last; `name` is null for a deleted person."),
    content: draftContentSchema,
  })
  .meta({ id: "Draft" });

export const listedDraftSchema = z
  .object({
    ...draftSchema.omit({ content: true }).shape,
    text: z.string().describe("The beginning of its text."),
    accounts: z.number().int(),
    files: z.number().int(),
  })
  .meta({ id: "ListedDraft" });

const shared = ({ id, version, createdAt, updatedAt, updatedBy, updatedByName }: StoredAuthor) => ({
  id,
  version,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  updatedBy: { userId: updatedBy, name: updatedByName },
});

type StoredAuthor = Omit<StoredDraft, "content">;

export const toDraft = (draft: StoredDraft): z.infer<typeof draftSchema> => ({
  ...shared(draft),
  content: draft.content,
});

export const toListedDraft = ({
  text,
  accounts,
  files,
  ...draft
}: StoredAuthor & { text: string; accounts: number; files: number }): z.infer<
  typeof listedDraftSchema
> => ({ ...shared(draft), text, accounts, files });
