import * as z from "zod";
import type { Platform } from "../../core/platforms.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { LIMITS } from "../../http/multipart.ts";
import type { FieldInfo } from "../../platforms/kit/form-fields.ts";
import { connectors } from "../../platforms/registry.ts";
import {
  MAX_ACCOUNTS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_FIELD_CHARACTERS,
  MAX_URL_CHARACTERS,
} from "../content/bounds.ts";
import { altTextField, MAX_FILES, partFormFields, postFieldsSchema } from "../content/schema.ts";

enableDescriptions();

const textUpTo = (maxLength: number) => z.string().openapi({ maxLength });

function platformFields(): Record<string, z.ZodType> {
  const usesByName = new Map<string, FieldUse[]>();
  for (const { platform, settings } of connectors()) {
    for (const [name, info] of Object.entries(settings.infos)) {
      usesByName.set(name, [...(usesByName.get(name) ?? []), { platform, info }]);
    }
  }
  return Object.fromEntries([...usesByName].map(([name, uses]) => [name, platformField(uses)]));
}

interface FieldUse {
  platform: Platform;
  info: FieldInfo;
}

function widest(
  uses: readonly FieldUse[],
  bound: "minimum" | "maximum" | "maxLength",
): number | undefined {
  const bounds = uses.map(({ info }) => info[bound]);
  if (!bounds.every((value) => value !== undefined)) return undefined;
  return bound === "minimum" ? Math.min(...bounds) : Math.max(...bounds);
}

/** One paragraph per platform, because a field can differ in meaning. */
const describeUses = (uses: readonly FieldUse[]): string =>
  uses
    .map(({ platform, info }) => {
      const list = info.type === "array" || uses.length > 1 ? info.values?.join(", ") : null;
      return `**${platform}**: ${info.description}${list ? ` One of ${list}.` : ""}`;
    })
    .join("\n\n");

const usesOf = (name: string): FieldUse[] =>
  connectors().flatMap(({ platform, settings }) => {
    const info = settings.infos[name];
    return info ? [{ platform, info }] : [];
  });

function platformField(uses: FieldUse[]): z.ZodType {
  const isOneType = new Set(uses.map(({ info }) => info.type)).size === 1;
  const [first] = uses;
  const type = isOneType && first && first.info.type !== "array" ? first.info.type : "string";
  const isClosed =
    type === "string" && uses.every(({ info }) => info.values && info.type !== "array");
  const values = [...new Set(uses.flatMap(({ info }) => info.values ?? []))];
  return z
    .string()
    .optional()
    .openapi({
      type,
      ...(isClosed ? { enum: values } : {}),
      ...(type === "integer"
        ? { minimum: widest(uses, "minimum"), maximum: widest(uses, "maximum") }
        : {}),
      ...(type === "string" && !isClosed
        ? { maxLength: widest(uses, "maxLength") ?? MAX_FIELD_CHARACTERS }
        : {}),
      description: describeUses(uses),
    });
}

const batchFlagFields = (): Record<string, z.ZodType> =>
  Object.fromEntries(
    connectors()
      .flatMap(({ batchFlags = {} }) => Object.entries(batchFlags))
      .map(([name, { description }]) => [
        name,
        z.string().optional().openapi({ type: "boolean" }).describe(description),
      ]),
  );

const mediaIdText = z.string().openapi({ maxLength: 64, pattern: "^[0-9a-f]{64}$" });

function mediaFields(takesUrls: boolean) {
  const file = () => z.string().openapi({ type: "string", format: "binary" });
  const orUrl = (text: string) =>
    takesUrls
      ? `${text}, or its URL: a public one, or bucketUrl or accessUrl of POST /upload/presign`
      : text;
  return {
    photo: z
      .union([file(), z.array(file()).max(MAX_FILES)])
      .optional()
      .describe(
        `${orUrl("An image")}. Repeat the field for several. Where the platform takes them, also a video of a carousel, or a document.`,
      ),
    file: file()
      .optional()
      .describe(`${orUrl("An image or video")}; another name for \`photo\` and \`video\`.`),
    video: file()
      .optional()
      .describe(`${orUrl("A video")}.`),
    mediaId: z
      .union([mediaIdText, z.array(mediaIdText).max(MAX_FILES)])
      .optional()
      .describe(
        "A stored file of the team, as GET /media lists them: an image, video or document. Repeat the field for several. Files that are sent and files that are named come in the order of their fields, URLs after them. An extension.",
      ),
    thumbnailMediaId: mediaIdText.optional().describe("The mediaId of a thumbnail. An extension."),
    thumbnail: file()
      .optional()
      .describe("A picture for the video, where the platform takes one (youtube)."),
    thumbnail_url: textUpTo(MAX_URL_CHARACTERS)
      .optional()
      .describe("The public URL of a thumbnail."),
  };
}

export const uploadFormSchema = () =>
  z
    .object({
      accountId: textUpTo(MAX_FIELD_CHARACTERS).describe("The connected account to publish to."),
      ...postFieldsSchema.shape,
      ...partFormFields(),
      ...mediaFields(true),
      ...platformFields(),
      alt_text: altTextField(describeUses(usesOf("alt_text"))),
    })
    .meta({ id: "NewUpload" });

export const batchFormSchema = () =>
  z
    .object({
      accounts: textUpTo(LIMITS.fieldSize).describe(
        `JSON array of 1 to ${MAX_ACCOUNTS} account ids; duplicates count once.`,
      ),
      ...postFieldsSchema.shape,
      caption: textUpTo(MAX_DESCRIPTION_CHARACTERS)
        .optional()
        .describe("The text for platforms whose text field (title or description) is empty."),
      overrides: textUpTo(LIMITS.fieldSize)
        .optional()
        .describe(
          "JSON object: a platform or an account id of the batch → {caption?, title?, thumbnail_url?, alt_text?, thread?, first_comment?, settings?, scheduledFor?}, where `settings` has the platform's own fields (an extension). An account's values win over its platform's, and those over the shared text.",
        ),
      ...batchFlagFields(),
      ...partFormFields(),
      ...mediaFields(false),
      ...platformFields(),
      alt_text: altTextField(describeUses(usesOf("alt_text"))),
    })
    .meta({ id: "NewUploads" });
