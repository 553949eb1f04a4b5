import { imageDimensionsFromStream } from "image-dimensions";
import * as z from "zod";
import { pullFile, sealFile } from "../files.ts";
import { accountIdOf } from "./accounts.ts";
import { type PinterestCall, PinterestError } from "./call.ts";
import { findMedia } from "./media.ts";

/** Source of all limits: Pinterest, "Pins create", `media_source`. */
const MAX_IMAGE_BYTES = 20_000_000;
const IMAGE_TYPES = ["image/jpeg", "image/png"];
const MAX_LINK = 2_048;
/** Sides are whole pixels, so one ratio is never quite another. */
const RATIO_SLACK = 0.03;

const httpUrl = z.url({ protocol: /^https?$/ }).max(MAX_LINK);

const item = z.strictObject({
  url: httpUrl,
  title: z.string().optional(),
  description: z.string().optional(),
  link: httpUrl.optional(),
});

const COVERS = ["cover_image_url", "cover_image_data", "cover_image_key_frame_time"] as const;

/** By address and by id; images as text are not simulated. */
export const mediaSource = z.discriminatedUnion("source_type", [
  z.strictObject({
    source_type: z.literal("image_url"),
    url: httpUrl,
    is_standard: z.boolean().optional(),
  }),
  z
    .strictObject({
      source_type: z.literal("multiple_image_urls"),
      items: z.array(item).min(2, "constraint: minItems=2").max(5, "constraint: maxItems=5"),
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

export const mediaTypeOf = ({ source_type }: MediaSource): string =>
  ({ image_url: "image", multiple_image_urls: "multiple_images", video_id: "video" })[source_type];

export const unreachable = () =>
  new PinterestError(400, 400, "Unable to reach the URL. Please check the URL and try again.");

export const unacceptable = (message: string) => new PinterestError(400, 400, message);

/** Fetches an image; its id in the feed's storage. */
async function pullImage(call: PinterestCall, owner: string, url: string): Promise<number> {
  const { store, origin } = call;
  const file = { platform: "pinterest", owner } as const;
  const pulled = await pullFile(store, origin, file, url, MAX_IMAGE_BYTES);
  if (!pulled.ok) {
    throw pulled.error === "too_large" ? unacceptable("The image is too large.") : unreachable();
  }
  const { id, mime, declaredType } = pulled.value;
  if (!IMAGE_TYPES.includes(mime) || declaredType !== mime) {
    store.media.discard(id);
    throw unacceptable("The image type is not supported. Send JPEG or PNG.");
  }
  return sealFile(store, origin, file, id, pulled.value);
}

async function ratioOf({ store }: PinterestCall, fileId: number): Promise<number | null> {
  const size = await imageDimensionsFromStream(store.media.stream(fileId));
  return size ? size.width / size.height : null;
}

async function pullImages(call: PinterestCall, owner: string, urls: string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const url of urls) ids.push(await pullImage(call, owner, url));
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

/**
 * The files of a pin, in the feed's storage.
 *
 * @throws PinterestError 400, 404
 */
export async function takeSource(
  call: PinterestCall,
  name: string,
  source: MediaSource,
): Promise<number[]> {
  const owner = await accountIdOf(name);
  switch (source.source_type) {
    case "image_url":
      return pullImages(call, owner, [source.url]);
    case "multiple_image_urls":
      return pullImages(
        call,
        owner,
        source.items.map(({ url }) => url),
      );
    case "video_id": {
      const media = await findMedia(call, name, source.media_id);
      if (!media) throw new PinterestError(404, 404, "Media not found.");
      if (media.status !== "succeeded" || media.fileId === null) {
        throw new PinterestError(400, 400, `The upload is ${media.status}, not succeeded.`);
      }
      return [media.fileId];
    }
  }
}
