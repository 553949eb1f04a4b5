import { env } from "cloudflare:workers";
import { AwsV4Signer } from "aws4fetch";

/** As test/vitest.config.ts sets them. */
const ENDPOINT = "https://storage.test/akimbo-media/";
const KEY = { accessKeyId: "storage-key", secretAccessKey: "storage-secret" };

const refuse = (status: number, code: string) =>
  new Response(`<Error><Code>${code}</Code></Error>`, { status });

/** Puts bytes at a presigned address, as the S3 endpoint of the bucket takes them: by its signature. */
export async function putToStorage(
  address: string,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const url = new URL(address);
  if (!address.startsWith(ENDPOINT)) return refuse(404, "NoSuchBucket");
  const sent = new Headers(headers);
  sent.set("content-length", String(bytes.length));
  if (!(await isSignedSo(url, sent))) return refuse(403, "SignatureDoesNotMatch");
  if (hasExpired(url)) return refuse(403, "ExpiredRequest");

  const key = decodeURIComponent(url.pathname.slice(new URL(ENDPOINT).pathname.length));
  const uploadId = url.searchParams.get("uploadId");
  if (uploadId) {
    const upload = env.MEDIA.resumeMultipartUpload(key, uploadId);
    const { etag } = await upload.uploadPart(Number(url.searchParams.get("partNumber")), bytes);
    return new Response(null, { headers: { ETag: `"${etag}"` } });
  }
  if (sent.has("if-none-match") && (await env.MEDIA.head(key)))
    return refuse(412, "PreconditionFailed");
  const contentType = sent.get("content-type") ?? "application/octet-stream";
  const stored = await env.MEDIA.put(key, bytes, { httpMetadata: { contentType } });
  return new Response(null, { headers: { ETag: stored.httpEtag } });
}

async function isSignedSo(url: URL, sent: Headers): Promise<boolean> {
  const signed = new URL(url);
  const signature = signed.searchParams.get("X-Amz-Signature");
  const names = (signed.searchParams.get("X-Amz-SignedHeaders") ?? "").split(";");
  const datetime = signed.searchParams.get("X-Amz-Date") ?? "";
  for (const name of ["Signature", "SignedHeaders", "Date", "Algorithm", "Credential"]) {
    signed.searchParams.delete(`X-Amz-${name}`);
  }
  const headers: Record<string, string> = {};
  for (const name of names) {
    const value = sent.get(name);
    if (name === "host") continue;
    if (value === null) return false;
    headers[name] = value;
  }
  const own = new AwsV4Signer({
    ...{ ...KEY, method: "PUT", url: String(signed), headers, datetime },
    ...{ service: "s3", region: "auto", signQuery: true, allHeaders: true },
  });
  return (await own.sign()).url.searchParams.get("X-Amz-Signature") === signature;
}

function hasExpired({ searchParams }: URL): boolean {
  const [, y, mo, d, h, mi, s] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(searchParams.get("X-Amz-Date") ?? "") ?? [];
  const at = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  return Date.now() > at + Number(searchParams.get("X-Amz-Expires")) * 1_000;
}
