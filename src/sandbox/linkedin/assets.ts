import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { HOUR, SECOND } from "../../core/time.ts";
import { reserveFile } from "../kit/files.ts";
import type { Call } from "../kit/simulator.ts";
import { integer, key, optional, type RowOf, Table, text } from "../kit/table.ts";
import { authenticate, requireActor } from "./accounts.ts";
import { accessDenied, invalidValue, readInput, refusal } from "./call.ts";

export type Kind = "image" | "video" | "document";

export const assets = new Table("linkedin_assets", {
  urn: key(),
  team_id: integer(),
  owner: text(),
  kind: text<Kind>(),
  media_id: integer(),
  upload_token: text(),
  expires_at: integer(),
  uploaded_at: optional(integer()),
  available_at: optional(integer()),
  failure: optional(text()),
});

export type AssetRow = RowOf<typeof assets>;

export const uploads = new Table(
  "linkedin_uploads",
  {
    url: key(),
    urn: text(),
    part: integer(),
    /** Null for an upload of any size. */
    size: optional(integer()),
    etag: optional(text()),
  },
  { indexes: { by_asset: "urn, part" } },
);

export type UploadRow = RowOf<typeof uploads>;

const UPLOAD_MS = 24 * HOUR;
/** Source: LinkedIn, "Videos API". */
const PART_BYTES = 4_194_304;
const MIN_VIDEO_BYTES = 75_000;
const MAX_VIDEO_BYTES = 500_000_000;

const PROCESSING_MS: Record<Kind, number> = {
  image: SECOND,
  document: SECOND,
  video: 3 * SECOND,
};

const VIDEO_BYTES_PER_MS = 2_000;

export const processingMs = (kind: Kind, sizeBytes: number): number =>
  PROCESSING_MS[kind] + (kind === "video" ? Math.floor(sizeBytes / VIDEO_BYTES_PER_MS) : 0);

const fileInput = z.strictObject({
  initializeUploadRequest: z.strictObject({ owner: z.string() }),
});

const videoInput = z.strictObject({
  initializeUploadRequest: z.strictObject({
    owner: z.string(),
    fileSizeBytes: z.int().min(MIN_VIDEO_BYTES).max(MAX_VIDEO_BYTES),
    uploadCaptions: z.literal(false),
    uploadThumbnail: z.literal(false),
  }),
});

/** Contains `%253D`, so that clients fail that decode or re-encode it. */
function uploadUrl(kind: Kind, part: number): string {
  const path = `dms-uploads/sp/v2/${randomHex(6)}/uploaded-${kind}/B56/${part}/${randomHex(8)}`;
  return `https://www.linkedin.com/${path}?ca=vector_feedshare&m=AQ%253D%253D&sync=0&v=beta&ut=${randomHex(10)}`;
}

async function openAsset(call: Call, kind: Kind, owner: string) {
  const { member } = await authenticate(call);
  requireActor(member, owner);
  const urn = `urn:li:${kind}:D4E${randomHex(8).toUpperCase()}`;
  const expiresAt = now().getTime() + UPLOAD_MS;
  const uploadToken = kind === "video" ? randomHex(8) : "";
  const { store, origin } = call.env;
  assets.insert(store, {
    urn,
    team_id: origin.teamId,
    owner,
    kind,
    media_id: reserveFile(call.env, { platform: "linkedin", owner }),
    upload_token: uploadToken,
    expires_at: expiresAt,
  });
  const openUpload = (part: number, size: number | null): string => {
    const url = uploadUrl(kind, part);
    uploads.insert(store, { url, urn, part, size });
    return url;
  };
  return { urn, expiresAt, uploadToken, openUpload };
}

export async function initializeFile(call: Call, kind: "image" | "document"): Promise<Response> {
  const { initializeUploadRequest } = await readInput(call, fileInput);
  const asset = await openAsset(call, kind, initializeUploadRequest.owner);
  return Response.json({
    value: {
      uploadUrlExpiresAt: asset.expiresAt,
      uploadUrl: asset.openUpload(0, null),
      [kind]: asset.urn,
    },
  });
}

export async function initializeVideo(call: Call): Promise<Response> {
  const { owner, fileSizeBytes } = (await readInput(call, videoInput)).initializeUploadRequest;
  const asset = await openAsset(call, "video", owner);
  const uploadInstructions = [];
  for (let firstByte = 0; firstByte < fileSizeBytes; firstByte += PART_BYTES) {
    const size = Math.min(PART_BYTES, fileSizeBytes - firstByte);
    const url = asset.openUpload(uploadInstructions.length, size);
    uploadInstructions.push({ uploadUrl: url, firstByte, lastByte: firstByte + size - 1 });
  }
  return Response.json({
    value: {
      uploadUrlsExpireAt: asset.expiresAt,
      video: asset.urn,
      uploadToken: asset.uploadToken,
      uploadInstructions,
    },
  });
}

export const findAsset = ({ env: { store, origin } }: Call, urn: string): AssetRow | null =>
  assets.find(store, { urn, team_id: origin.teamId });

export function statusOf({ uploaded_at, available_at, failure }: AssetRow): string {
  if (uploaded_at === null) return "WAITING_UPLOAD";
  if (available_at === null || available_at > now().getTime()) return "PROCESSING";
  return failure === null ? "AVAILABLE" : "PROCESSING_FAILED";
}

/** Members can read only videos, and none while LinkedIn processes it. */
export async function readAsset(call: Call, kind: Kind, urn: string): Promise<Response> {
  const { member } = await authenticate(call);
  if (!urn.startsWith(`urn:li:${kind}:`)) {
    throw refusal(400, "INVALID_URN_TYPE", `${urn} is no ${kind}`);
  }
  const asset = findAsset(call, urn);
  if (!asset) throw refusal(404, "NOT_FOUND", `${urn} does not exist`);
  requireActor(member, asset.owner);
  if (kind !== "video" && asset.owner === member.urn) {
    throw accessDenied(`Not enough permissions to access: partner API ${kind}s.GET`);
  }
  const status = statusOf(asset);
  if (asset.owner === member.urn && status === "PROCESSING") {
    throw accessDenied("Not enough permissions to access: partnerApiVideosExternal.GET");
  }
  return Response.json({
    id: urn,
    owner: asset.owner,
    status,
    ...(status === "AVAILABLE"
      ? { downloadUrl: `https://dms.licdn.test/${encodeURIComponent(urn)}` }
      : {}),
    ...(status === "PROCESSING_FAILED" ? { processingFailureReason: asset.failure } : {}),
  });
}

export function requireAvailable(call: Call, author: string, urn: string): AssetRow {
  const kind = /^urn:li:(image|video|document):/.exec(urn)?.[1];
  if (!kind) throw refusal(400, "INVALID_URN_TYPE", `${urn} cannot be posted`);
  const asset = findAsset(call, urn);
  if (!asset || asset.owner !== author) {
    const code = kind === "document" ? "INVALID_URN_ID" : `INVALID_${kind.toUpperCase()}_ID`;
    throw refusal(400, code, `${urn} does not exist or is not the author's`);
  }
  switch (statusOf(asset)) {
    case "AVAILABLE":
      return asset;
    case "PROCESSING_FAILED":
      throw refusal(400, "MEDIA_ASSET_PROCESSING_FAILED", `${urn} failed processing`);
    default:
      throw refusal(400, "MEDIA_ASSET_WAITING_UPLOAD", `${urn} is not ready yet`);
  }
}

export const tooLarge = () => invalidValue("The file is too large");
