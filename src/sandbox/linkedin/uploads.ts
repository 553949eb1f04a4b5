import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { appendBody, keepFile, readStored } from "../kit/files.ts";
import { SLICE_BYTES } from "../kit/media-store.ts";
import type { Call } from "../kit/simulator.ts";
import { authenticate, requireActor } from "./accounts.ts";
import {
  type AssetRow,
  assets,
  findAsset,
  type Kind,
  processingMs,
  tooLarge,
  type UploadRow,
  uploads,
} from "./assets.ts";
import { invalidValue, readInput, refusal } from "./call.ts";

const MAX_BYTES: Record<Kind, number> = {
  image: 20_000_000,
  document: 100_000_000,
  video: 500_000_000,
};

const DOCUMENT =
  /^application\/(?:pdf|msword|vnd\.(?:ms-powerpoint|openxmlformats-officedocument\.))/;

const TYPES: Record<Kind, RegExp> = {
  image: /^image\/(?:jpeg|png|gif)$/,
  video: /^video\/mp4$/,
  document: DOCUMENT,
};

const SLICES_PER_PART = 100;

function requireUpload(call: Call): { upload: UploadRow; asset: AssetRow } {
  const upload = uploads.find(call.env.store, { url: call.req.url });
  const asset = upload && findAsset(call, upload.urn);
  if (!upload || !asset) throw refusal(404, "NOT_FOUND", "There is no such upload");
  if (asset.expires_at <= now().getTime()) {
    throw refusal(401, "EXPIRED_UPLOAD_URL", "The upload URL has expired");
  }
  if (asset.uploaded_at !== null) {
    throw refusal(400, "UPDATING_ASSET_FAILED", "The asset has been uploaded already");
  }
  return { upload, asset };
}

function requireLength({ req }: Call, upload: UploadRow, max: number): number {
  const text = req.header("content-length");
  if (text === undefined) throw refusal(411, "LENGTH_REQUIRED", "Content-Length is missing");
  const length = Number(text);
  if (upload.size !== null && length !== upload.size) {
    throw invalidValue(`This part has ${upload.size} bytes`);
  }
  if (length < 1 || length > max) throw tooLarge();
  return length;
}

/** Anyone with the address may send the bytes. */
export async function putUpload(call: Call): Promise<Response> {
  const { upload, asset } = requireUpload(call);
  const { store } = call.env;
  const isPart = asset.kind === "video";
  const length = requireLength(call, upload, MAX_BYTES[asset.kind]);
  const type = call.req.header("content-type");
  if (isPart && type !== "application/octet-stream") {
    throw invalidValue("The Content-Type of a part must be application/octet-stream");
  }
  const from = upload.part * SLICES_PER_PART;
  const stored = await appendBody(store, asset.media_id, from, call.req.raw.body, length);
  if (stored === "too_large" || stored.bytes !== length || stored.slices * SLICE_BYTES < length) {
    throw invalidValue("The body has another length than it says");
  }
  const etag = `/ambry-video/signedId/${randomHex(24)}`;
  uploads.update(store, { url: upload.url }, { etag });
  if (!isPart) await closeAsset(call, asset);
  return new Response(null, { status: isPart ? 200 : 201, headers: isPart ? { etag } : {} });
}

async function closeAsset(call: Call, { urn, kind, owner, media_id }: AssetRow) {
  const { store } = call.env;
  const file = { id: media_id, ...(await readStored(store, media_id)) };
  const isTaken = (mime: string) => TYPES[kind].test(mime);
  const id = keepFile(call.env, { platform: "linkedin", owner }, file, isTaken);
  const at = now().getTime();
  const changed = {
    media_id: id ?? media_id,
    uploaded_at: at,
    available_at: at + processingMs(kind, file.sizeBytes),
    failure: id === null ? `The file is ${file.mime}` : null,
  };
  assets.update(store, { urn }, changed);
}

const finalizeInput = z.strictObject({
  finalizeUploadRequest: z.strictObject({
    video: z.string(),
    uploadToken: z.string(),
    uploadedPartIds: z.array(z.string()),
  }),
});

export async function finalizeVideo(call: Call): Promise<Response> {
  const { member } = await authenticate(call);
  const input = (await readInput(call, finalizeInput)).finalizeUploadRequest;
  const asset = findAsset(call, input.video);
  if (asset?.kind !== "video") {
    throw refusal(400, "INVALID_VIDEO_ID", `${input.video} does not exist`);
  }
  requireActor(member, asset.owner);
  if (asset.uploaded_at !== null) {
    throw refusal(400, "UPDATING_ASSET_FAILED", "The upload has been finalized already");
  }
  if (input.uploadToken !== asset.upload_token) throw invalidValue("The uploadToken is wrong");
  const parts = uploads.list(call.env.store, { urn: asset.urn }, "ORDER BY part");
  const isComplete =
    parts.length === input.uploadedPartIds.length &&
    parts.every(({ etag }, index) => etag !== null && etag === input.uploadedPartIds[index]);
  if (!isComplete) {
    const message = "uploadedPartIds are not the parts of the video in their order";
    throw refusal(400, "UPDATING_ASSET_FAILED", message);
  }
  await closeAsset(call, asset);
  return new Response(null, { status: 200 });
}
