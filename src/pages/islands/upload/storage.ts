import { CallRefused, call } from "../call.ts";

interface Part {
  partNumber: number;
  uploadUrl: string;
  size: number;
}

export interface Presigned {
  accessUrl: string;
  multipart?: { parts: Part[]; partSize: number; completeUrl: string; abortUrl: string };
  uploadUrl?: string;
  uploadHeaders?: Record<string, string>;
}

export async function presign(route: string, file: File): Promise<Presigned> {
  const { name, size, type } = file;
  const { files } = await call<{ files: [Presigned] }>("POST", "/upload/presign", {
    route,
    files: [{ name: name.slice(0, 255), size, type: type || "application/octet-stream" }],
  });
  return files[0];
}

export interface StoredFile {
  mediaId: string;
  name?: string | null;
  kind: "image" | "video" | "document";
  mime: string;
  sizeBytes: number;
  width: number | null;
  height: number | null;
  thumbnailUrl: string | null;
  url: string;
}

export async function keep(accessUrl: string, name: string): Promise<StoredFile> {
  const form = new FormData();
  form.set("url", accessUrl);
  form.set("name", name);
  return (await call<{ data: StoredFile }>("POST", "/media", form)).data;
}

export async function keepBlob(blob: Blob, name: string): Promise<StoredFile> {
  const form = new FormData();
  form.set("file", blob, name);
  return (await call<{ data: StoredFile }>("POST", "/media", form)).data;
}

interface Put {
  url: string;
  headers?: Record<string, string>;
  body: Blob;
  signal: AbortSignal;
  onSent(bytes: number): void;
}

/** A browser sets the length itself, and refuses to be told. */
const OWN_HEADERS = ["content-length", "host"];

/** Answers the ETag. XMLHttpRequest, because fetch tells no progress. @throws CallRefused, 0 without an answer */
export function put({ url, headers = {}, body, signal, onSent }: Put): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const refuse = () =>
      reject(new CallRefused(request.status, { error: "Storage refused the file." }));
    const abort = () => {
      request.abort();
      reject(signal.reason);
    };
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) {
      if (!OWN_HEADERS.includes(name.toLowerCase())) request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onerror = refuse;
    request.onload = () =>
      request.status < 300 ? resolve(request.getResponseHeader("etag") ?? "") : refuse();
    request.onloadend = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);
    request.send(body);
  });
}

const toXml = (etags: ReadonlyMap<number, string>): string =>
  [...etags]
    .sort(([a], [b]) => a - b)
    .map(([number, etag]) => {
      const bare = etag.replaceAll('"', "");
      return `<Part><PartNumber>${number}</PartNumber><ETag>${bare}</ETag></Part>`;
    })
    .join("");

export async function complete(
  completeUrl: string,
  etags: ReadonlyMap<number, string>,
  signal: AbortSignal,
): Promise<void> {
  const answer = await fetch(completeUrl, {
    method: "POST",
    headers: { "Content-Type": "application/xml" },
    body: `<CompleteMultipartUpload>${toXml(etags)}</CompleteMultipartUpload>`,
    signal,
  }).catch(() => {
    signal.throwIfAborted();
    throw new CallRefused(0, {});
  });
  if (!answer.ok) throw new CallRefused(answer.status, { error: "Storage refused the file." });
}

export const abort = (abortUrl: string): Promise<unknown> =>
  fetch(abortUrl, { method: "DELETE", keepalive: true }).catch(() => null);
