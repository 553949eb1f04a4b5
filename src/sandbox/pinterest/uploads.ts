import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import busboy from "busboy";
import { now } from "../../core/clock.ts";
import { HOUR } from "../../core/time.ts";
import { keepFile, storeFile } from "../kit/files.ts";
import type { Call } from "../kit/simulator.ts";
import { type Media, mediaByKey, receiveFile } from "./media.ts";

/** Source: Pinterest Business Help, "Video Pins": 2 GB. */
const MAX_VIDEO_BYTES = 2_147_483_648;
const MAX_FIELD_BYTES = 20_000;
const POLICY_MS = HOUR;

function refuse(status: number, code: string, message: string): Response {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return new Response(xml, { status, headers: { "content-type": "application/xml" } });
}

const denied = (message: string) => refuse(403, "AccessDenied", message);

function refuseHead({ headers, method }: Request): Response | null {
  if (method !== "POST") {
    return refuse(405, "MethodNotAllowed", "The specified method is not allowed.");
  }
  if (headers.has("authorization")) {
    return refuse(400, "InvalidArgument", "Only one auth mechanism allowed.");
  }
  if (!/^multipart\/form-data\s*;\s*boundary=/i.test(headers.get("content-type") ?? "")) {
    const message = "Bucket POST must be of the enclosure-type multipart/form-data";
    return refuse(412, "PreconditionFailed", message);
  }
  const length = headers.get("content-length");
  if (length === null) {
    return refuse(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
  }
  return Number(length) > MAX_VIDEO_BYTES + MAX_FIELD_BYTES ? tooLarge() : null;
}

const tooLarge = () =>
  refuse(400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size");

function requireMedia(call: Call, fields: Map<string, string>): Media | Response {
  const key = fields.get("key");
  if (!key) {
    const message = "Bucket POST must contain a field named 'key' before the file.";
    return refuse(400, "InvalidArgument", message);
  }
  const media = mediaByKey(call, key);
  if (!media) return denied("Invalid according to Policy: Policy Condition failed");
  const { parameters, created_at } = media;
  for (const [name, value] of Object.entries(parameters)) {
    if (!fields.has(name)) return denied(`Invalid according to Policy: ${name} is missing`);
    if (fields.get(name) === value) continue;
    const message = "The request signature we calculated does not match the one you provided.";
    return refuse(403, "SignatureDoesNotMatch", message);
  }
  const extra = [...fields.keys()].find((name) => !Object.hasOwn(parameters, name));
  if (extra) return denied(`Invalid according to Policy: Extra input fields: ${extra}`);
  if (created_at + POLICY_MS <= now().getTime()) {
    return denied("Invalid according to Policy: Policy expired.");
  }
  return media;
}

async function takeFile(
  call: Call,
  fields: Map<string, string>,
  file: Readable,
): Promise<Response | { media: Media; fileId: number | null }> {
  const media = requireMedia(call, fields);
  if (media instanceof Response) {
    file.resume();
    return media;
  }
  const owner = { platform: "pinterest", owner: media.owner } as const;
  const bytes = Readable.toWeb(file) as unknown as ReadableStream<Uint8Array>;
  const stored = await storeFile(call.env, owner, bytes, MAX_VIDEO_BYTES);
  if (stored === "too_large") return tooLarge();
  const fileId = keepFile(call.env, owner, stored, (mime) => mime.startsWith("video/"));
  return { media, fileId };
}

/** The registered fields are the only authorization; the file comes last. */
export async function receiveVideo(call: Call): Promise<Response> {
  const request = call.req.raw;
  const refusal = refuseHead(request);
  if (refusal || !request.body) {
    await request.body?.cancel();
    return refusal ?? malformed();
  }
  const fields = new Map<string, string>();
  let taking: ReturnType<typeof takeFile> | null = null;
  let isFileLast = true;
  const parser = busboy({
    headers: { "content-type": request.headers.get("content-type") ?? "" },
    limits: { parts: 40, fieldSize: MAX_FIELD_BYTES },
  });
  parser.on("field", (name, value) => {
    if (taking) isFileLast = false;
    fields.set(name, value);
  });
  parser.on("file", (name, file) => {
    if (taking || name !== "file") {
      if (taking) isFileLast = false;
      else fields.set(name, "");
      file.resume();
      return;
    }
    taking = takeFile(call, new Map(fields), file);
    taking.catch(() => {});
  });
  const source = Readable.fromWeb(request.body as unknown as NodeReadableStream);
  let taken: Awaited<ReturnType<typeof takeFile>> | null;
  try {
    await pipeline(source, parser);
    taken = await (taking as ReturnType<typeof takeFile> | null);
  } catch {
    return malformed();
  }
  if (taken instanceof Response) return taken;
  if (!taken) return refuse(400, "InvalidArgument", "POST requires exactly one file upload.");
  if (!isFileLast) return malformed("The file must be the last field.");
  receiveFile(call, taken.media.media_id, taken.fileId);
  return new Response(null, { status: 204 });
}

const malformed = (
  message = "The body of your POST request is not well-formed multipart/form-data.",
) => refuse(400, "MalformedPOSTRequest", message);
