import type { Client } from "openapi-fetch";
import type { components, paths } from "./.generated/api.ts";
import { AkimboError, answerOf } from "./error.ts";
import type { Send } from "./retry.ts";

type Target = components["schemas"]["PresignedFile"];

export interface UploadOptions {
  /** Default: the name of a File. */
  name?: string;
  /** A MIME type. Default: the type of the file. */
  type?: string;
  /** The presign route, whose limits hold. Default: the one with the highest limits for the type. */
  route?: string;
  onProgress?(sentBytes: number, totalBytes: number): void;
  signal?: AbortSignal;
}

export interface StoredFile {
  /** Pass it as `video`, `photo` or `file` of a post. */
  bucketUrl: string;
  /** The same file for everybody who knows the address. */
  accessUrl: string;
}

const LANES = 4;

/**
 * Sends a file of up to 10 GiB straight to storage, large ones in parts.
 *
 * @throws AkimboError
 */
export async function upload(
  client: Client<paths>,
  send: Send,
  file: Blob,
  options: UploadOptions = {},
): Promise<StoredFile> {
  const { signal } = options;
  const name = options.name ?? (file instanceof File ? file.name : "file");
  const type = options.type ?? file.type;
  if (type === "") throw new TypeError("The file has no type. Pass one, such as video/mp4.");
  const body = { route: options.route ?? routeOf(type), files: [{ name, size: file.size, type }] };
  const answer = await answerOf(client.POST("/api/v1/upload/presign", { body, signal }));
  const [target] = answer.files;
  if (!target) throw new TypeError("The API gave no address for the file.");
  try {
    await sendParts(send, file, target, options);
  } catch (error) {
    await abort(send, target);
    throw error;
  }
  const { bucketUrl, accessUrl } = target;
  return { bucketUrl, accessUrl };
}

/** The API refuses what no platform takes. */
function routeOf(type: string): string {
  if (type.startsWith("video/")) return "youtube_videos";
  if (type === "image/gif") return "thumbnails";
  return type.startsWith("image/") ? "photos" : "documents";
}

interface Part {
  partNumber: number;
  url: string;
  offset: number;
  size: number;
}

const partsOf = (target: Target): Part[] =>
  "multipart" in target
    ? target.multipart.parts.map(({ partNumber, uploadUrl: url, size }) => {
        return { partNumber, url, size, offset: (partNumber - 1) * target.multipart.partSize };
      })
    : [{ partNumber: 1, url: target.uploadUrl, offset: 0, size: target.size }];

async function sendParts(
  send: Send,
  file: Blob,
  target: Target,
  { onProgress = () => {}, signal: stopping }: UploadOptions,
): Promise<void> {
  const failing = new AbortController();
  const signal = stopping ? AbortSignal.any([failing.signal, stopping]) : failing.signal;
  const headers = "uploadHeaders" in target ? target.uploadHeaders : {};
  const etags = new Map<number, string>();
  const waiting = partsOf(target);
  let sentBytes = 0;
  const lane = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const { partNumber, url, offset, size } = part;
      const body = file.slice(offset, offset + size);
      const response = await send(new Request(url, { method: "PUT", headers, body, signal }), true);
      // Status 412 means that an earlier try stored the file and its answer was lost.
      const isThere = response.status === 412 && !("multipart" in target);
      if (!response.ok && !isThere) throw await toStorageError(response);
      etags.set(partNumber, (response.headers.get("etag") ?? "").replaceAll('"', ""));
      sentBytes += size;
      onProgress(sentBytes, file.size);
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  try {
    await Promise.all(lanes);
  } catch (error) {
    failing.abort();
    await Promise.allSettled(lanes);
    throw error;
  }
  if (!("multipart" in target)) return;
  const { completeUrl } = target.multipart;
  const init = { method: "POST", headers: { "content-type": "application/xml" }, signal };
  // A repeated completion gets the same answer.
  const request = new Request(completeUrl, { ...init, body: toCompleteBody(etags) });
  const response = await send(request, true);
  if (!response.ok) throw await toStorageError(response);
}

/** The list of parts that storage puts together, as S3 wants it. */
export function toCompleteBody(etags: ReadonlyMap<number, string>): string {
  const parts = [...etags]
    .sort(([one], [other]) => one - other)
    .map(([number, etag]) => {
      return `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`;
    });
  return `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
}

const toStorageError = async (response: Response): Promise<AkimboError> =>
  new AkimboError(response, await response.text());

/** Storage drops unfinished uploads by itself, so a failure here is harmless. */
async function abort(send: Send, target: Target): Promise<void> {
  if (!("multipart" in target)) return;
  const request = new Request(target.multipart.abortUrl, { method: "DELETE" });
  await send(request, false).catch(() => null);
}
