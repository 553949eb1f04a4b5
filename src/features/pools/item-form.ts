import type { FieldError } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import type { Ctx } from "../../deps.ts";
import { publicOrigin } from "../../http/env.ts";
import { type Fields, lastOf, readForm } from "../../http/multipart.ts";
import type { RawField } from "../../platforms/kit/form-fields.ts";
import { discardFiles, type FormPart, inFormOrder, takeFile, urlsIn } from "../compose/media.ts";
import { type MediaRole, type NewMedia, PART_FIELDS } from "../compose/new-post.ts";
import { toRawParts } from "./item-parts.ts";
import { lookUpPool, type NewItems } from "./items.ts";
import { readRepeating } from "./repeat-schema.ts";

/** Source: spec, POST /pools/{id}/videos. */
const FILE_FIELDS = new Map<string, MediaRole>([
  ["video", "video"],
  ["photo", "photo"],
]);
const TEXT_FIELDS = [
  "title",
  "description",
  "metadata",
  "repeat",
  "variants",
  "alt_text",
  "mediaId",
  ...PART_FIELDS,
] as const;

function readAltText(fields: Fields): RawField {
  const texts = fields.get("alt_text") ?? [];
  return texts.length > 1 ? [...texts] : texts[0];
}

/** Refuses unknown fields, so that no platform option is lost. */
const unknownErrors = (fields: Fields): FieldError[] =>
  [...fields.keys()]
    .filter((name) => !FILE_FIELDS.has(name) && !TEXT_FIELDS.some((field) => field === name))
    .map((field) => ({
      field,
      message: `${field}: is not a field of an item. Options of platforms go into metadata, as JSON.`,
    }));

interface ItemForm {
  poolId: number;
  call: NamedCall | null;
  /** For a page's form, whose file fields may be empty: gives its fields the API's names. */
  translate?: (fields: Fields) => Fields;
}

/**
 * Stores no file before the caller is known to be allowed to add items.
 *
 * @throws AppError what `lookUpPool` and `readForm` throw; then no file is left
 */
export async function readItemForm(
  ctx: Ctx,
  request: Request,
  { poolId, call, translate }: ItemForm,
): Promise<{ adding: NewItems; looked: Awaited<ReturnType<typeof lookUpPool>> }> {
  const media: NewMedia[] = [];
  const parts: FormPart[] = [];
  let looked: ReturnType<typeof lookUpPool> | null = null;
  const enter = () => {
    looked ??= lookUpPool(ctx, { poolId, call });
    return looked;
  };
  try {
    const sent = await readForm(request, {
      onPart: (field, isFile) => parts.push({ field, isFile }),
      onLarge: enter,
      onFile: async (part) => {
        if (translate && part.name === "") {
          for await (const _ of part.bytes);
          return;
        }
        await enter();
        media.push(await takeFile(ctx, part, true, FILE_FIELDS));
      },
    });
    const looked = await enter();
    const fields = translate ? translate(sent) : sent;
    const { read, errors } = readRepeating({
      repeat: lastOf(fields, "repeat") ?? null,
      variants: lastOf(fields, "variants") ?? null,
    });
    const item = {
      ...read,
      title: lastOf(fields, "title") ?? null,
      description: lastOf(fields, "description") ?? null,
      metadata: lastOf(fields, "metadata") ?? null,
      altText: readAltText(fields),
      parts: toRawParts(
        Object.fromEntries(PART_FIELDS.map((field) => [field, lastOf(fields, field)])),
      ),
      media: [...inFormOrder(parts, media, fields), ...urlsIn(fields, FILE_FIELDS)],
    };
    const adding = {
      poolId,
      call,
      items: [item],
      prefixOf: () => "",
      origin: publicOrigin(ctx, request.url),
      refused: [...unknownErrors(fields), ...errors],
    };
    return { adding, looked };
  } catch (error) {
    ctx.defer(discardFiles(ctx, media));
    throw error;
  }
}
