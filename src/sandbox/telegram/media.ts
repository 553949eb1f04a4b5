import * as z from "zod";
import { sealFile } from "../kit/files.ts";
import type { Call } from "../kit/simulator.ts";
import type { SentFile } from "../kit/streamed-form.ts";
import { badRequest, flag, inJson, integer } from "./call.ts";
import { FILES, type Form } from "./form.ts";
import { entities } from "./texts.ts";

export type MediaType = "photo" | "video" | "animation" | "document";

export const KIND_OF: Record<MediaType, string> = {
  photo: "photos",
  video: "videos",
  animation: "other messages",
  document: "documents",
};

/** Source: TDLib, `check_full_local_location`. */
const MAX_PHOTO_BYTES = 10_485_760;
const MAX_ALBUM = 10;

const EXTENSIONS = /\.(?:jpe?g|gif|png|tiff?|bmp)$/i;

export const options = {
  has_spoiler: flag,
  show_caption_above_media: flag,
  supports_streaming: flag,
  width: integer.optional(),
  height: integer.optional(),
  duration: integer.optional(),
};

const albumItem = z.looseObject({
  type: z.string(),
  media: z.string(),
  caption: z.string().optional(),
  caption_entities: entities,
  ...options,
});

export type AlbumItem = z.output<typeof albumItem>;

export const album = inJson(z.array(albumItem).optional());

export interface Sent {
  type: MediaType;
  /** Of the stored file. */
  id: number;
}

/** @throws Refusal for a file that Telegram does not take as this type */
export function take(call: Call, type: MediaType, file: SentFile | undefined): Sent {
  if (!file) throw badRequest(`there is no ${type} in the request`);
  if (file.sizeBytes === 0) throw badRequest("file must be non-empty");
  if (type === "photo") requirePhoto(file);
  return { type, id: sealFile(call.env, FILES, file.id, file) };
}

function requirePhoto({ filename, mime, sizeBytes }: SentFile): void {
  if (!EXTENSIONS.test(filename)) {
    throw badRequest(
      "photo has unsupported extension. Use one of .jpg, .jpeg, .gif, .png, .tif or .bmp",
    );
  }
  if (sizeBytes > MAX_PHOTO_BYTES) {
    throw badRequest(
      `file of size ${sizeBytes} bytes is too big for a photo; the maximum size is ${MAX_PHOTO_BYTES} bytes`,
    );
  }
  if (!mime.startsWith("image/")) throw badRequest("IMAGE_PROCESS_FAILED");
}

const isAlbumType = (type: string): type is Exclude<MediaType, "animation"> =>
  type === "photo" || type === "video" || type === "document";

export function takeAlbum(call: Call, items: readonly AlbumItem[], { files }: Form): Sent[] {
  if (items.length === 0) throw badRequest("there are no messages to send");
  if (items.length > MAX_ALBUM) throw badRequest("too many messages to send as an album");
  const [first] = items;
  const isDocument = ({ type }: AlbumItem) => type === "document";
  return items.map((item) => {
    const { type, media } = item;
    if (!isAlbumType(type)) throw badRequest(`type "${type}" can't be used in sendMediaGroup`);
    if (first && isDocument(first) !== isDocument(item)) {
      throw badRequest("document can't be mixed with other media types");
    }
    if ((first?.show_caption_above_media ?? false) !== (item.show_caption_above_media ?? false)) {
      throw badRequest("parameter show_caption_above_media must be the same for all messages");
    }
    return take(call, type, files.get(media.replace("attach://", "")));
  });
}
