import * as z from "zod";
import { MAX_LIMIT } from "../../core/pagination.ts";
import { enableDescriptions } from "../../http/describing.ts";
import {
  MAX_DESCRIPTION_CHARACTERS,
  MAX_TITLE_CHARACTERS,
  MAX_URL_CHARACTERS,
} from "../content/bounds.ts";
import { altText, altTextField, partFields, partFormFields } from "../content/schema.ts";
import { repeatFormFields, repeatSchema, variantsSchema } from "./repeat-schema.ts";
import type { AddedItem, ListedItem } from "./repo/items.ts";
import { waitsUntil } from "./turns.ts";

enableDescriptions();

const MAX_METADATA_CHARACTERS = 100_000;
/** Photo fields in the OpenAPI document. */
const MAX_PHOTOS = 35;
/** Source: spec, "Other": pool bulk add. */
const BULK = { min: 1, max: 50 };

export const ITEM_STATUSES = ["queued", "dispatched", "skipped"] as const;

const mediaId = z.string().openapi({ maxLength: 64, pattern: "^[0-9a-f]{64}$" });
const file = () => z.string().openapi({ type: "string", format: "binary" });
const textUpTo = (maxLength: number) => z.string().openapi({ maxLength });

const METADATA =
  'JSON object of platform options that are applied when the item is published, by their names in POST /upload, such as {"privacy_level":"SELF_ONLY","is_aigc":true}. Each platform takes its own.';

export const itemFormSchema = () =>
  z
    .object({
      title: textUpTo(MAX_TITLE_CHARACTERS).describe("Title of each post."),
      description: textUpTo(MAX_DESCRIPTION_CHARACTERS).optional(),
      metadata: textUpTo(MAX_METADATA_CHARACTERS).optional().describe(METADATA),
      ...partFormFields(),
      ...repeatFormFields,
      video: file()
        .optional()
        .describe(
          "A video, or its URL: a public one, or bucketUrl or accessUrl of POST /upload/presign.",
        ),
      photo: z
        .union([file(), z.array(file()).max(MAX_PHOTOS)])
        .optional()
        .describe("A photo or its URL; repeat the field for a carousel. Never with a video."),
      mediaId: z
        .union([mediaId, z.array(mediaId).max(MAX_PHOTOS)])
        .optional()
        .describe(
          "A stored file of the team, as GET /media lists them: a video, or a photo. Files that are sent and files that are named come in the order of their fields. An extension.",
        ),
      alt_text: altTextField(),
    })
    .meta({ id: "NewPoolItem" });

export const bulkItemsSchema = z
  .strictObject({
    items: z
      .array(
        z
          .strictObject({
            title: z.string().max(MAX_TITLE_CHARACTERS),
            videoUrl: z
              .string()
              .trim()
              .min(1, "is required")
              .max(MAX_URL_CHARACTERS)
              .optional()
              .describe("A public URL, or bucketUrl or accessUrl of POST /upload/presign."),
            mediaId: mediaId
              .max(100)
              .optional()
              .describe("In place of videoUrl: a stored file of the team. An extension."),
            description: z.string().max(MAX_DESCRIPTION_CHARACTERS).optional(),
            metadata: z.string().max(MAX_METADATA_CHARACTERS).optional().describe(METADATA),
            ...partFields,
            repeat: repeatSchema.optional(),
            variants: variantsSchema.optional(),
            altText: altText.optional().describe("Alternative text of the video."),
          })
          .refine(({ videoUrl, mediaId }) => (videoUrl === undefined) !== (mediaId === undefined), {
            path: ["videoUrl"],
            message: "is required; or send mediaId in its place",
          }),
      )
      .min(BULK.min)
      .max(BULK.max),
  })
  .meta({ id: "NewPoolItems" });

const status = z.enum(ITEM_STATUSES);

export const addedSchema = z.object({
  success: z.literal(true),
  added: z.number().int(),
  items: z.array(
    z
      .object({ id: z.number().int(), position: z.number().int(), status, title: z.string() })
      .meta({ id: "AddedPoolItem" }),
  ),
});

export const toAdded = (items: readonly AddedItem[]): z.infer<typeof addedSchema> => ({
  success: true,
  added: items.length,
  items: items.map((item) => ({ ...item, status: "queued" })),
});

export const itemFilterSchema = z.object({
  status: z
    .enum(ITEM_STATUSES, { error: `must be one of ${ITEM_STATUSES.join(", ")}` })
    .optional()
    .describe("Items in this state."),
  after: z
    .string()
    .regex(/^\d{1,15}$/, "must be the id of an item")
    .transform(Number)
    .default(0)
    .openapi({ type: "integer", minimum: 0, maximum: 999_999_999_999_999, default: 0 })
    .describe("`nextAfter` of the page before."),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, `must be a whole number from 1 to ${MAX_LIMIT}`)
    .transform(Number)
    .refine((value) => value >= 1 && value <= MAX_LIMIT, `must be from 1 to ${MAX_LIMIT}`)
    .default(MAX_LIMIT)
    .openapi({ type: "integer", minimum: 1, maximum: MAX_LIMIT, default: MAX_LIMIT })
    .describe("Items on the page, at most; there are fewer where their texts are long."),
});

export const itemSchema = z
  .object({
    id: z.number().int(),
    position: z
      .number()
      .int()
      .describe(
        "Place in the queue, the least first: grows with each item that is added or returns, and changes when items are moved.",
      ),
    status,
    title: z.string(),
    description: z.string().nullable(),
    createdAt: z.iso.datetime(),
    isLocked: z
      .boolean()
      .describe("True while its posts are on their way; it cannot be removed then."),
    reason: z
      .string()
      .nullable()
      .describe("Why it was skipped, passed over, or not published everywhere."),
    repeat: repeatSchema.optional(),
    variants: z.array(z.string()).optional(),
    dispatched: z.number().int().optional().describe("How often it was published; with `repeat`."),
    notBefore: z
      .string()
      .nullable()
      .optional()
      .describe("Earliest local time of its next turn, such as 2027-03-28T03:00; with `repeat`."),
  })
  .meta({ id: "PoolItem" });

export const toItem = ({ state, createdAt, why, ...item }: ListedItem) => {
  const { id, position, title, description } = item;
  const isLocked = state === "posting";
  const shown = isLocked || state === "removed" ? "queued" : state;
  return {
    id,
    position,
    status: shown,
    title,
    description,
    createdAt: createdAt.toISOString(),
    isLocked,
    reason: why,
    ...toRepeating(state, item),
  };
};

function toRepeating(
  state: ListedItem["state"],
  item: Omit<ListedItem, "state" | "createdAt" | "why">,
) {
  const { repeatDays, repeatTimes, variants, dispatches } = item;
  if (repeatDays === null || repeatTimes === null) return {};
  return {
    repeat: { every: { days: repeatDays }, times: repeatTimes },
    variants: variants ?? [],
    dispatched: dispatches,
    notBefore: state === "queued" ? waitsUntil(item) : null,
  };
}
