import type { Harness } from "./harness.ts";
import { putToStorage } from "./storage.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface Uploaded {
  bucketUrl: string;
  accessUrl: string;
  /** The key of the object. */
  key: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
export type Presigned = any;

/** The list of parts as S3 clients send it. */
export const partList = (parts: { partNumber: number; etag: string }[]): string =>
  `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts
    .map(
      ({ partNumber, etag }) =>
        `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    .join("")}</CompleteMultipartUpload>`;

/** The bytes of each part put; their list. */
export async function putParts({ multipart }: Presigned, bytes: Bytes) {
  const parts: { partNumber: number; etag: string }[] = [];
  for (const { partNumber, uploadUrl, size } of multipart.parts) {
    const from = (partNumber - 1) * multipart.partSize;
    const reply = await putToStorage(uploadUrl, bytes.slice(from, from + size));
    if (!reply.ok) throw new Error(`Part ${partNumber}: ${reply.status}`);
    parts.push({ partNumber, etag: reply.headers.get("etag")?.replaceAll('"', "") ?? "" });
  }
  return parts;
}

/** Sends the list of parts to a completeUrl. */
export const completeAt = (harness: Harness, url: string, body: string): Promise<Response> =>
  harness.request(url.slice(new URL(url).origin.length), {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body,
  });

/** Presigns a file and puts it into storage, whole. */
export async function uploadPresigned(
  harness: Harness,
  token: string,
  {
    route,
    type,
    bytes,
    name = "file",
  }: { route: string; type: string; bytes: Bytes; name?: string },
): Promise<Uploaded> {
  const answer = await harness.call("POST", "/upload/presign", {
    token,
    json: { route, files: [{ name, size: bytes.length, type }] },
  });
  const [file] = answer.body.files ?? [];
  if (!file) throw new Error(JSON.stringify(answer.body));
  if (file.multipart) {
    const list = partList(await putParts(file, bytes));
    const completed = await completeAt(harness, file.multipart.completeUrl, list);
    if (completed.status !== 200) throw new Error(await completed.text());
  } else {
    const put = await putToStorage(file.uploadUrl, bytes, file.uploadHeaders);
    if (!put.ok) throw new Error(await put.text());
  }
  const { bucketUrl, accessUrl } = file;
  return { bucketUrl, accessUrl, key: new URL(bucketUrl).pathname.slice("/storage/".length) };
}
