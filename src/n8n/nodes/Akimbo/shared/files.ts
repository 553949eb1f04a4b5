import {
  type IBinaryData,
  type IDataObject,
  type IExecuteFunctions,
  type IN8nHttpFullResponse,
  NodeApiError,
  NodeOperationError,
} from "n8n-workflow";
import { completionXml, cutInParts } from "./parts.ts";
import { callApi } from "./transport.ts";

/** Larger videos go to the storage in parts, so that n8n holds one part of them in memory. */
const MAX_IN_MEMORY_BYTES = 20_000_000;

/** A call takes files under 100 MB. */
const MAX_IN_CALL_BYTES = 99_000_000;

const PART_TRIES = 3;

interface Source {
  node: IExecuteFunctions;
  itemIndex: number;
  field: string;
  binary: IBinaryData;
  sizeBytes: number;
}

async function readSource(
  node: IExecuteFunctions,
  itemIndex: number,
  field: string,
): Promise<Source> {
  const binary = node.helpers.assertBinaryData(itemIndex, field);
  const sizeBytes = binary.id
    ? (await node.helpers.getBinaryMetadata(binary.id)).fileSize
    : Buffer.byteLength(binary.data, "base64");
  return { node, itemIndex, field, binary, sizeBytes };
}

const fileNameOf = ({ binary, field }: Source): string =>
  binary.fileName ?? [field, binary.fileExtension].filter(Boolean).join(".");

async function sendWhole(source: Source, form: FormData): Promise<void> {
  const { node, itemIndex, field, binary } = source;
  const bytes = await node.helpers.getBinaryDataBuffer(itemIndex, field);
  form.append("file", new Blob([bytes], { type: binary.mimeType }), fileNameOf(source));
}

interface Presigned {
  bucketUrl: string;
  multipart: {
    parts: { partNumber: number; uploadUrl: string; size: number }[];
    completeUrl: string;
    abortUrl: string;
  };
}

/** The address carries its own permission: a token would be refused, and is none of the storage's business. */
async function putPart(node: IExecuteFunctions, url: string, bytes: Buffer): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      const { headers } = (await node.helpers.httpRequest({
        method: "PUT",
        url,
        body: bytes,
        headers: { "Content-Type": "application/octet-stream" },
        returnFullResponse: true,
      })) as IN8nHttpFullResponse;
      return String(headers.etag).replaceAll('"', "");
    } catch (error) {
      if (tries >= PART_TRIES) throw new NodeApiError(node.getNode(), error);
    }
  }
}

/** Null where the instance has no key for its storage, and the file fits into a call. */
async function presign(source: Source): Promise<Presigned | null> {
  const { node, itemIndex, binary, sizeBytes } = source;
  const file = { name: fileNameOf(source), size: sizeBytes, type: binary.mimeType };
  const json = { route: "youtube_videos", files: [file] };
  try {
    const call = { method: "POST" as const, path: "/upload/presign", json, itemIndex };
    const { files } = await callApi(node, call);
    return (files as unknown as Presigned[])[0];
  } catch (error) {
    const refusal = new NodeApiError(node.getNode(), error);
    if (refusal.httpCode !== "503" || sizeBytes > MAX_IN_CALL_BYTES) throw refusal;
    return null;
  }
}

async function sendParts(source: Source, form: FormData): Promise<void> {
  const { node, itemIndex, binary } = source;
  const presigned = await presign(source);
  if (presigned === null) return sendWhole(source, form);
  const { bucketUrl, multipart } = presigned;
  try {
    const stream = binary.id
      ? await node.helpers.getBinaryStream(binary.id)
      : [Buffer.from(binary.data, "base64")];
    const sizes = multipart.parts.map(({ size }) => size);
    const done: { partNumber: number; etag: string }[] = [];
    for await (const bytes of cutInParts(stream as AsyncIterable<Uint8Array>, sizes)) {
      const { partNumber, uploadUrl } = multipart.parts[done.length];
      done.push({ partNumber, etag: await putPart(node, uploadUrl, bytes) });
    }
    await node.helpers.httpRequest({
      method: "POST",
      url: multipart.completeUrl,
      body: completionXml(done),
      headers: { "Content-Type": "application/xml" },
    });
  } catch (error) {
    await node.helpers.httpRequest({
      method: "DELETE",
      url: multipart.abortUrl,
      ignoreHttpStatusErrors: true,
    });
    throw new NodeApiError(node.getNode(), error, { itemIndex });
  }
  form.append("url", bucketUrl);
}

/** Stores a file of the input item in Akimbo. The same file is stored once, however often this is called. */
export async function storeBinary(
  node: IExecuteFunctions,
  itemIndex: number,
  field: string,
  options: { name?: string; keep?: boolean } = {},
): Promise<IDataObject> {
  const source = await readSource(node, itemIndex, field);
  const form = new FormData();
  if (options.name) form.append("name", options.name);
  if (options.keep) form.append("keep", "true");
  const isLargeVideo =
    source.binary.mimeType.startsWith("video/") && source.sizeBytes > MAX_IN_MEMORY_BYTES;
  if (isLargeVideo) await sendParts(source, form);
  else await sendWhole(source, form);
  const { data } = await callApi(node, { method: "POST", path: "/media", form, itemIndex });
  return data as IDataObject;
}

const namesIn = (list: string): string[] =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);

/**
 * Adds the files of a post or pool item to its form.
 *
 * @param videoField the form's field for addresses of videos
 */
export async function appendFiles(
  node: IExecuteFunctions,
  itemIndex: number,
  form: FormData,
  fields: IDataObject,
  videoField = "video",
): Promise<void> {
  for (const field of namesIn(String(fields.binaryFields ?? ""))) {
    const { mediaId } = await storeBinary(node, itemIndex, field);
    form.append("mediaId", String(mediaId));
  }
  for (const mediaId of textsIn(fields.mediaIds)) form.append("mediaId", mediaId);
  for (const url of textsIn(fields.imageUrls)) form.append("photo", url);
  for (const url of textsIn(fields.videoUrls)) form.append(videoField, url);
  for (const text of (fields.altTexts ?? []) as string[]) form.append("alt_text", text);
}

export const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .map((one) => String(one ?? "").trim())
    .filter((text) => text !== "");

/** @throws NodeOperationError for JSON that is no object */
export function readSettings(
  node: IExecuteFunctions,
  itemIndex: number,
  fields: IDataObject,
): Record<string, string> {
  const json = readObject(node, itemIndex, fields.settingsJson ?? {});
  const { setting = [] } = (fields.settings ?? {}) as { setting?: IDataObject[] };
  const listed = setting.map(({ name, value }) => [String(name).trim(), value]);
  const all = { ...json, ...Object.fromEntries(listed) } as IDataObject;
  return Object.fromEntries(
    Object.entries(all)
      .filter(([name]) => name !== "")
      .map(([name, value]) => [
        name,
        typeof value === "object" ? JSON.stringify(value) : String(value),
      ]),
  );
}

function readObject(node: IExecuteFunctions, itemIndex: number, value: unknown): IDataObject {
  try {
    const parsed = typeof value === "string" ? JSON.parse(value || "{}") : value;
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Not JSON is refused in the same way as JSON of another kind.
  }
  throw new NodeOperationError(node.getNode(), "'Platform Settings (JSON)' is not a JSON object", {
    itemIndex,
    description: 'Write it as {"privacy_level": "SELF_ONLY"}.',
  });
}
