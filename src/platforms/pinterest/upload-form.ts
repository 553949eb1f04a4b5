import { randomHex } from "../../core/ids.ts";
import { readText } from "../reply.ts";
import type { RegisteredVideo } from "./api.ts";

const MAX_REPLY_BYTES = 16 * 1_024;
const MAX_MESSAGE_CHARACTERS = 500;

const encoder = new TextEncoder();

const textPart = (boundary: string, name: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/**
 * The file between the two ends of the form, as it is read. Of known length, so that it goes out with a
 * Content-Length, which the storage wants, and is never held in memory.
 */
function framed(
  before: Uint8Array,
  file: ReadableStream,
  sizeBytes: number,
  after: Uint8Array,
): ReadableStream {
  const { readable, writable } = new FixedLengthStream(before.length + sizeBytes + after.length);
  const write = async (bytes: Uint8Array) => {
    const writer = writable.getWriter();
    await writer.write(bytes);
    writer.releaseLock();
  };
  const pump = async () => {
    await write(before);
    await file.pipeTo(writable, { preventClose: true });
    await write(after);
    await writable.close();
  };
  // Whoever reads the other end learns of it there.
  pump().catch((error) => Promise.allSettled([file.cancel(error), writable.abort(error)]));
  return readable;
}

/**
 * The transfer of a video as a form of S3: the fields as Pinterest gave them, the file last. They are
 * the permission: it is sent without the token.
 *
 * @see https://developers.pinterest.com/docs/work-with-organic-content-and-users/create-boards-and-pins/
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
 */
export function uploadVideoRequest(
  { uploadUrl, fields }: Pick<RegisteredVideo, "uploadUrl" | "fields">,
  video: { data: ReadableStream; sizeBytes: number; mime: string },
  boundary = `akimbo-${randomHex(16)}`,
): Request {
  const texts = Object.entries(fields).map(([name, value]) => textPart(boundary, name, value));
  const opening = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="video"\r\nContent-Type: ${video.mime}\r\n\r\n`;
  const before = encoder.encode(texts.join("") + opening);
  const after = encoder.encode(`\r\n--${boundary}--\r\n`);
  return new Request(uploadUrl, {
    method: "POST",
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: framed(before, video.data, video.sizeBytes, after),
    redirect: "manual",
  });
}

/** What became of a transfer; `code` as the storage's XML names it, such as `EntityTooLarge`. */
export interface UploadReply {
  isTaken: boolean;
  code: string | null;
  message: string;
}

const inTag = (xml: string, tag: string): string | null =>
  new RegExp(`<${tag}>([^<]{1,${MAX_MESSAGE_CHARACTERS}})</${tag}>`).exec(xml)?.[1]?.trim() || null;

export async function readUploadVideoReply(reply: Response): Promise<UploadReply> {
  const xml = (await readText(reply, MAX_REPLY_BYTES)) ?? "";
  const code = inTag(xml, "Code");
  const said = inTag(xml, "Message") ?? code;
  return {
    isTaken: reply.ok,
    code,
    message: said
      ? `Pinterest's storage did not take the video: ${said}`
      : `Pinterest's storage answered HTTP ${reply.status}.`,
  };
}
