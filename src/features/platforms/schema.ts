import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import type { Connector } from "../../platforms/connector.ts";
import { TEXT_FIELDS } from "../../platforms/correction.ts";
import { PART_KINDS } from "../../platforms/part-kinds.ts";

const platform = z.enum(PLATFORMS, { error: `must be one of ${PLATFORMS.join(", ")}` });

export const capabilitiesFilterSchema = z.object({
  platform: platform.optional().describe("Without it, all platforms in an array."),
});

const characters = z.number().int().nullable();
const types = z.array(z.string()).optional();
const bytes = z.number().int().optional();

export const capabilitiesSchema = z
  .object({
    platform,
    limits: z
      .object({
        postCharacters: characters,
        photoPostCharacters: characters,
        titleCharacters: characters,
        altTextCharacters: characters,
        linkCharacters: characters,
        tagsCharacters: characters,
      })
      .describe("Counted as the platform counts. Null where it has no such field."),
    dailyPostCap: z.number().int().describe("Posts in any 24 hours, per account."),
    mediaSupport: z
      .object({
        kinds: z.array(z.enum(["image", "video", "document"])),
        maxCount: z.number().int().describe("Files of one post."),
        textOnly: z.boolean().describe("True when a post may be text alone."),
        imageTypes: types,
        imageMaxBytes: bytes,
        videoTypes: types,
        videoMaxBytes: bytes,
        documentTypes: types,
        documentMaxBytes: bytes,
        thumbnail: z
          .object({
            types: z.array(z.string()),
            maxBytes: z.number().int().describe("What this service takes."),
            note: z
              .string()
              .max(500)
              .optional()
              .describe("A limit of the platform that is higher than the one of this service."),
          })
          .optional()
          .describe("Extension: the `thumbnail` of a video; absent where posts have none."),
        note: z
          .string()
          .max(500)
          .optional()
          .describe("A setting that the instance needs for some posts; absent when it needs none."),
      })
      .describe("Types and bytes are given only for the kinds that the platform takes."),
    settingsSchema: z
      .record(
        z.string(),
        z.object({
          required: z.boolean(),
          type: z.enum(["string", "boolean", "integer", "array"]),
          values: z
            .array(z.string())
            .describe("The only values taken; empty when any value may be sent."),
        }),
      )
      .describe("The platform's own fields of the form, by name."),
    followUps: z
      .array(z.enum(PART_KINDS))
      .describe(
        "Extension: what may follow a post. `post`: a thread (`thread`). `comment`: a first comment (`first_comment`).",
      ),
    mentions: z
      .object({
        syntax: z
          .string()
          .nullable()
          .describe("How a text mentions an account; null where nothing is linked."),
        lookUp: z.boolean().describe("Whether GET /accounts/{id}/mentions finds accounts here."),
        note: z.string(),
      })
      .describe("Extension: how posts mention other accounts."),
    canUnpublish: z
      .boolean()
      .describe("Whether POST /upload/{id}/unpublish can delete posts here. An extension."),
    unpublishPermission: z
      .string()
      .nullable()
      .describe("The permission that the login needs for that; null where it needs none more."),
    editable: z
      .array(z.enum(TEXT_FIELDS))
      .describe(
        "The texts of a published post that PATCH /upload/{id} can change here, not for every kind of post. An extension.",
      ),
    editPermission: z
      .string()
      .nullable()
      .describe("The permission that the login needs for that; null where it needs none more."),
    bannedHashtags: z
      .array(z.string())
      .describe("Hashtags that the platform hides or refuses, in lower case and without the #."),
  })
  .meta({ id: "PlatformCapabilities" });

type PlatformCapabilities = z.infer<typeof capabilitiesSchema>;

export function toCapabilities({
  platform,
  capabilities,
  settings,
  followUps,
  mentions,
  extras,
  removal,
  correction,
}: Connector): PlatformCapabilities {
  const { limits, dailyPostCap, mediaSupport, bannedHashtags } = capabilities;
  const fields = Object.entries(settings.infos);
  return {
    platform,
    limits,
    dailyPostCap,
    mediaSupport,
    settingsSchema: Object.fromEntries(
      fields.map(([name, { type, values = [], required = false }]) => [
        name,
        { required, type, values: [...values] },
      ]),
    ),
    followUps: [...(followUps?.kinds ?? [])],
    mentions: {
      syntax: mentions.syntax,
      lookUp: extras?.mentions !== undefined,
      note: mentions.note,
    },
    canUnpublish: removal.calls !== undefined,
    unpublishPermission: removal.scope ?? null,
    editable: [...correction.fields],
    editPermission: correction.scope ?? null,
    bannedHashtags: [...bannedHashtags],
  };
}
