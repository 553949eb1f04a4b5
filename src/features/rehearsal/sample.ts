import { SAMPLE_IMAGE_BASE64, SAMPLE_VIDEO_BASE64 } from "../../core/samples.ts";
import type { Deps } from "../../deps.ts";
import { storeFile } from "../media/intake.ts";
import { insertMedia } from "../media/repo.ts";

const START_OF_IMAGE = 2;
const COMMENT_MARKER = 0xfe;
const LENGTH_BYTES = 2;
const BOX_HEADER_BYTES = 8;

const join = (...parts: Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/** Adds the mark as a JPEG comment. */
function markedImage(mark: Uint8Array): Uint8Array {
  const image = Uint8Array.fromBase64(SAMPLE_IMAGE_BASE64);
  const header = new Uint8Array([0xff, COMMENT_MARKER, 0, LENGTH_BYTES + mark.length]);
  return join(image.subarray(0, START_OF_IMAGE), header, mark, image.subarray(START_OF_IMAGE));
}

/** Adds the mark as an unused MP4 box. */
function markedVideo(mark: Uint8Array): Uint8Array {
  const header = new Uint8Array(BOX_HEADER_BYTES);
  new DataView(header.buffer).setUint32(0, BOX_HEADER_BYTES + mark.length);
  header.set(new TextEncoder().encode("free"), 4);
  return join(Uint8Array.fromBase64(SAMPLE_VIDEO_BASE64), header, mark);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Stores a small file of the team and returns its hash. The mark makes each file different, because networks refuse
 * repeated files.
 */
export async function storeSample(
  deps: Deps,
  teamId: number,
  kind: "image" | "video",
  markText: string,
): Promise<string> {
  const mark = new TextEncoder().encode(markText);
  const bytes = kind === "image" ? markedImage(mark) : markedVideo(mark);
  const file = await storeFile(deps, teamId, once(bytes), bytes.length);
  if (typeof file === "string") throw new Error(`The sample cannot be stored: ${file}.`);
  await deps.db.run([insertMedia(teamId, [file], deps.now())]);
  return file.sha256;
}
