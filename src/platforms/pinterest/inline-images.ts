import { randomHex } from "../../core/ids.ts";
import type { MediaItem } from "../connector.ts";
import { type BodyPart, streamedBody } from "../kit/streamed-body.ts";
import { type NewPin, postPin } from "./api.ts";

export interface InlineImage extends Pick<MediaItem, "mime" | "sizeBytes"> {
  read(): Promise<ReadableStream>;
}

const GROUP_BYTES = 3;
const GROUP_DIGITS = 4;

const base64Length = (sizeBytes: number): number =>
  Math.ceil(sizeBytes / GROUP_BYTES) * GROUP_DIGITS;

/** Encodes groups of three bytes, so that only the end is padded. */
function base64Encoder(): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder();
  let rest = new Uint8Array();
  return new TransformStream({
    transform(piece, controller) {
      const bytes = new Uint8Array(rest.length + piece.length);
      bytes.set(rest);
      bytes.set(piece, rest.length);
      const whole = bytes.length - (bytes.length % GROUP_BYTES);
      rest = bytes.slice(whole);
      if (whole > 0) controller.enqueue(encoder.encode(bytes.subarray(0, whole).toBase64()));
    },
    flush(controller) {
      if (rest.length > 0) controller.enqueue(encoder.encode(rest.toBase64()));
    },
  });
}

function sourceOf(images: InlineImage[], mark: string): object {
  const [first, ...others] = images.map(({ mime }) => ({ content_type: mime, data: mark }));
  if (!first) throw new Error("A pin has no image.");
  if (others.length === 0) return { source_type: "image_base64", ...first };
  return { source_type: "multiple_image_base64", items: [first, ...others], index: 0 };
}

/**
 * Base64 is a third larger than the files.
 * @see https://developers.pinterest.com/docs/api/v5/pins-create
 */
export function createInlinePinRequest(
  accessToken: string,
  pin: Omit<NewPin, "media_source">,
  images: InlineImage[],
): Request {
  const mark = randomHex(16);
  const json = JSON.stringify({ ...pin, media_source: sourceOf(images, mark) });
  const [head = new Uint8Array(), ...tails] = json
    .split(mark)
    .map((text) => new TextEncoder().encode(text));
  const parts = images.flatMap(({ sizeBytes, read }, index): BodyPart[] => [
    {
      sizeBytes: base64Length(sizeBytes),
      read: async () => (await read()).pipeThrough(base64Encoder()),
    },
    tails[index] ?? new Uint8Array(),
  ]);
  return postPin(accessToken, streamedBody([head, ...parts]));
}
