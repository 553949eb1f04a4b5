import { imageDimensionsFromStream } from "image-dimensions";
import * as z from "zod";
import { keepFile, pullTyped, storeFile } from "../kit/files.ts";
import type { Call } from "../kit/simulator.ts";
import { accountIdOf } from "./accounts.ts";
import { refusal } from "./call.ts";
import { findMedia, statusOf } from "./media.ts";

/** Source: Pinterest, "Pins create", `media_source`. */
const MAX_IMAGE_BYTES = 20_000_000;
const IMAGE_TYPES = ["image/jpeg", "image/png"];
const MAX_LINK = 2_048;
/** Tolerance for aspect ratios, because sides are whole pixels. */
const RATIO_SLACK = 0.03;

const httpUrl = z.url({ protocol: /^https?$/ }).max(MAX_LINK);

const itemTexts = {
  title: z.string().optional(),
  description: z.string().optional(),
  link: httpUrl.optional(),
};

const item = z.strictObject({ url: httpUrl, ...itemTexts });

/** Source: Pinterest's OpenAPI description, `PinMediaSourceImageBase64`. */
const BASE64 = z.string().regex(/^[a-zA-Z0-9+/=]+$/, "does not match '^[a-zA-Z0-9+/=]+$'");

const inlineImage = { content_type: z.enum(IMAGE_TYPES), data: BASE64 };

const inlineItem = z.strictObject({ ...inlineImage, ...itemTexts });

const itemsOf = <T extends z.ZodType>(one: T) =>
  z.array(one).min(2, "constraint: minItems=2").max(5, "constraint: maxItems=5");

const COVERS = ["cover_image_url", "cover_image_data", "cover_image_key_frame_time"] as const;

export const mediaSource = z.discriminatedUnion("source_type", [
  z.strictObject({
    source_type: z.literal("image_url"),
    url: httpUrl,
    is_standard: z.boolean().optional(),
  }),
  z
    .strictObject({
      source_type: z.literal("multiple_image_urls"),
      items: itemsOf(item),
      index: z.int().min(0).optional(),
    })
    .refine(({ items, index = 0 }) => index < items.length, { error: "index is out of range" }),
  z.strictObject({
    source_type: z.literal("image_base64"),
    ...inlineImage,
    is_standard: z.boolean().optional(),
  }),
  z
    .strictObject({
      source_type: z.literal("multiple_image_base64"),
      items: itemsOf(inlineItem),
      index: z.int().min(0).optional(),
    })
    .refine(({ items, index = 0 }) => index < items.length, { error: "index is out of range" }),
  z
    .strictObject({
      source_type: z.literal("video_id"),
      media_id: z.string().regex(/^\d+$/, "does not match '^\\d+$'"),
      cover_image_url: httpUrl.optional(),
      cover_image_content_type: z.enum(IMAGE_TYPES).optional(),
      cover_image_data: z.string().optional(),
      cover_image_key_frame_time: z.int().min(0).optional(),
    })
    .refine((source) => COVERS.some((name) => source[name] !== undefined), {
      error: "a cover image is required",
    }),
]);

export type MediaSource = z.output<typeof mediaSource>;

const MEDIA_TYPES: Record<MediaSource["source_type"], string> = {
  image_url: "image",
  image_base64: "image",
  multiple_image_urls: "multiple_images",
  multiple_image_base64: "multiple_images",
  video_id: "video",
};

export const mediaTypeOf = ({ source_type }: MediaSource): string => MEDIA_TYPES[source_type];

export function withoutData(source: MediaSource): object {
  if (source.source_type === "image_base64") return { ...source, data: "…" };
  if (source.source_type !== "multiple_image_base64") return source;
  return { ...source, items: source.items.map((one) => ({ ...one, data: "…" })) };
}

export const unreachable = () =>
  refusal(400, 400, "Unable to reach the URL. Please check the URL and try again.");

export const unacceptable = (message: string) => refusal(400, 400, message);

const refusePulled = {
  unreachable,
  too_large: () => unacceptable("The image is too large."),
  wrong_type: () => unacceptable("The image type is not supported. Send JPEG or PNG."),
};

async function pullImage(call: Call, owner: string, url: string): Promise<number> {
  const limits = { maxBytes: MAX_IMAGE_BYTES, types: IMAGE_TYPES };
  const pulled = await pullTyped(call.env, { platform: "pinterest", owner }, url, limits);
  if (!pulled.ok) throw refusePulled[pulled.error]();
  return pulled.value;
}

async function readImage(
  call: Call,
  owner: string,
  { content_type, data }: { content_type: string; data: string },
): Promise<number> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.fromBase64(data);
  } catch {
    throw unacceptable("The image cannot be read.");
  }
  const file = { platform: "pinterest", owner } as const;
  const body = new Blob([bytes]).stream();
  const stored = await storeFile(call.env, file, body, MAX_IMAGE_BYTES);
  if (stored === "too_large") throw refusePulled.too_large();
  const id = keepFile(call.env, file, stored, (mime) => mime === content_type);
  if (id === null) throw refusePulled.wrong_type();
  return id;
}

async function ratioOf({ env: { store } }: Call, fileId: number): Promise<number | null> {
  const size = await imageDimensionsFromStream(store.media.stream(fileId));
  return size ? size.width / size.height : null;
}

async function takeImages<T>(
  call: Call,
  images: T[],
  take: (image: T) => Promise<number>,
): Promise<number[]> {
  const ids: number[] = [];
  for (const image of images) ids.push(await take(image));
  const ratios = await Promise.all(ids.map((id) => ratioOf(call, id)));
  const [first = null] = ratios;
  for (const ratio of ratios) {
    if (first === null || ratio === null) {
      throw unacceptable("The image cannot be read.");
    }
    if (Math.abs(ratio / first - 1) > RATIO_SLACK) {
      throw unacceptable("The images of a carousel must have the same aspect ratio.");
    }
  }
  return ids;
}

/** @throws Refusal for an unusable source */
export async function takeSource(call: Call, name: string, source: MediaSource): Promise<number[]> {
  const owner = await accountIdOf(name);
  const pull = ({ url }: { url: string }) => pullImage(call, owner, url);
  const read = (image: { content_type: string; data: string }) => readImage(call, owner, image);
  switch (source.source_type) {
    case "image_url":
      return takeImages(call, [source], pull);
    case "multiple_image_urls":
      return takeImages(call, source.items, pull);
    case "image_base64":
      return takeImages(call, [source], read);
    case "multiple_image_base64":
      return takeImages(call, source.items, read);
    case "video_id": {
      const media = await findMedia(call, name, source.media_id);
      if (!media) throw refusal(404, 404, "Media not found.");
      const status = statusOf(media);
      if (status !== "succeeded" || media.file_id === null) {
        throw refusal(400, 400, `The upload is ${status}, not succeeded.`);
      }
      return [media.file_id];
    }
    default:
      return source satisfies never;
  }
}
