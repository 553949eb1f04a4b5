import { request as send } from "node:http";
import { filmHead } from "../bench/film.ts";
import { type Instance, post } from "./instance.ts";
import { TOKEN } from "./token.ts";

const LANES = 4;
const CALL_MS = 60_000;

interface Part {
  partNumber: number;
  uploadUrl: string;
  size: number;
}

interface Multipart {
  parts: Part[];
  partSize: number;
  completeUrl: string;
}

/**
 * Puts a film that is nothing but a head and zeros into storage, by the addresses that are given out for it;
 * returns the one by which it is published.
 */
export async function storeFilm(instance: Instance, sizeBytes: number): Promise<string> {
  const answer = await post(instance, "/api/v1/upload/presign", {
    headers: { "x-api-key": TOKEN },
    body: {
      route: "youtube_videos",
      files: [{ name: "film.mp4", size: sizeBytes, type: "video/mp4" }],
    },
    timeoutMs: CALL_MS,
  });
  const { files } = answer as { files: [{ bucketUrl: string; multipart: Multipart }] };
  const [{ bucketUrl, multipart }] = files;
  const { parts, partSize, completeUrl } = multipart;
  const empty = Buffer.alloc(partSize);
  const first = Buffer.alloc(parts[0]?.size ?? 0);
  first.set(filmHead(sizeBytes));
  const bytesOf = ({ partNumber, size }: Part) =>
    partNumber === 1 ? first : empty.subarray(0, size);

  const etags = new Map<number, string>();
  const waiting = [...parts];
  const lane = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      etags.set(part.partNumber, await put(part.uploadUrl, bytesOf(part)));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const list = parts.map(
    ({ partNumber }) =>
      `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etags.get(partNumber)}</ETag></Part>`,
  );
  const body = `<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`;
  const completed = await fetch(completeUrl, { method: "POST", body });
  if (!completed.ok) throw new Error(`The film is not complete: ${await completed.text()}`);
  return bucketUrl;
}

/** Returns the ETag. */
const put = (url: string, bytes: Uint8Array): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { "content-length": bytes.length };
    const call = send(url, { method: "PUT", agent: false, headers }, (response) => {
      response.resume();
      const { statusCode, headers } = response;
      if (statusCode === 200) resolve(String(headers.etag).replaceAll('"', ""));
      else reject(new Error(`Storage answered a part with ${statusCode}.`));
    });
    call.on("error", reject);
    call.end(bytes);
  });
