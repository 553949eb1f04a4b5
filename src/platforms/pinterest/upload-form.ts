import { MAX_MESSAGE_CHARACTERS, readText } from "../kit/replies.ts";
import { streamedForm } from "../kit/streamed-form.ts";
import type { RegisteredVideo } from "./api.ts";

const MAX_REPLY_BYTES = 16 * 1_024;

/**
 * The fields grant access, so no token is sent. The file must be the last field.
 * @see https://developers.pinterest.com/docs/work-with-organic-content-and-users/create-boards-and-pins/
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
 */
export function uploadVideoRequest(
  { uploadUrl, fields }: Pick<RegisteredVideo, "uploadUrl" | "fields">,
  video: { data: ReadableStream; sizeBytes: number; mime: string },
): Request {
  const { body, contentType } = streamedForm(fields, { ...video, name: "file", filename: "video" });
  return new Request(uploadUrl, {
    method: "POST",
    headers: { "content-type": contentType },
    body,
    redirect: "manual",
  });
}

/** `code`: for example `EntityTooLarge`. */
interface UploadReply {
  isTaken: boolean;
  code: string | null;
  message: string;
}

const inTag = (xml: string, tag: string): string | null =>
  new RegExp(`<${tag}>([^<]{1,${MAX_MESSAGE_CHARACTERS}})</${tag}>`).exec(xml)?.[1]?.trim() || null;

export async function readUploadVideoReply(reply: Response): Promise<UploadReply> {
  const xml = (await readText(reply, MAX_REPLY_BYTES)) ?? "";
  const code = inTag(xml, "Code");
  const wording = inTag(xml, "Message") ?? code;
  return {
    isTaken: reply.ok,
    code,
    message: wording
      ? `Pinterest's storage did not take the video: ${wording}`
      : `Pinterest's storage answered HTTP ${reply.status}.`,
  };
}
