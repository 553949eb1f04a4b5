import { AppError } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { SECOND } from "../../core/time.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { type Done, type FirstTime, type Looked, look, once } from "../idempotency/once.ts";
import type { StoredAnswer } from "../idempotency/repo.ts";
import { newObjectKey, objectUrls } from "./address.ts";
import { abortParts } from "./clean-up.ts";
import * as repo from "./repo.ts";
import {
  type DeclaredFile,
  lifeMsOf,
  partBytesOf,
  partsOf,
  ROUTES,
  type RouteName,
  requireAllowance,
  requireRoute,
  requireWithinLimits,
  toDatetime,
  toUsage,
  type Usage,
} from "./rules.ts";
import type { PresignedFile, PresignRequest } from "./schema.ts";
import { storagePath } from "./signature.ts";
import { StorageSigner } from "./storage.ts";

interface Quota {
  allowance: number | null;
  used: number;
}

interface Presigned {
  files: PresignedFile[];
  usage: Usage;
}

/** A repeated call signs the same addresses again. */
interface Remembered {
  count: number;
  datetime: string;
  origin: string;
  allowance: number | null;
}

export async function lookUp(ctx: Ctx, call: NamedCall | null): Promise<Looked<Quota>> {
  const queries = [repo.planAndUsage(ctx.team, ctx.now())] as const;
  const { findings, stored } = await look(ctx, "posts:write", call, queries);
  const [[team]] = findings;
  const { plans, defaultPlan } = ctx.config;
  const plan = plans.plans[team?.plan ?? defaultPlan];
  return { findings: { allowance: plan.presignBytes, used: team?.bytes ?? 0 }, stored };
}

/**
 * @param looked what `lookUp` returned for this call
 * @throws AppError UNKNOWN_ROUTE, TOO_MANY_FILES, FILE_TOO_LARGE, INVALID_FILE_TYPE, STORAGE_QUOTA_EXCEEDED;
 * UNAVAILABLE when storage is not set up; 503 when it does not answer; and the errors of `once`
 */
export async function presignFiles(
  ctx: Ctx,
  { route: name, files }: PresignRequest,
  { call, origin, looked }: { call: NamedCall | null; origin: string; looked: Looked<Quota> },
): Promise<Done<Presigned>> {
  const route = requireRoute(name);
  requireWithinLimits(route, files);
  requireStorage(ctx);
  return once(ctx, call, () => [route, files], {
    look: async (losses) => (losses === 0 ? looked : lookUp(ctx, call)),
    make: (quota, first) => make(ctx, { route, files, origin }, quota, first),
    replay: (stored) => replay(ctx, stored),
  });
}

const NOT_SET_UP =
  "This instance takes no uploads straight to storage yet. Its owner sets STORAGE_ENDPOINT, R2_ACCESS_KEY_ID and R2_SECRET_ACCESS_KEY: `npm run deploy` in the project's folder asks for them; elsewhere they are set like other secrets.";

/** @throws AppError UNAVAILABLE */
function requireStorage({ config }: Pick<Deps, "config">) {
  if (config.storage) return config.storage;
  throw new AppError("UNAVAILABLE", NOT_SET_UP);
}

const unreachable = (): AppError =>
  new AppError(null, "Storage does not answer at the moment. Send the call again.", {
    status: 503,
    headers: { "Retry-After": "5" },
  });

async function make(
  ctx: Ctx,
  { route, files, origin }: { route: RouteName; files: DeclaredFile[]; origin: string },
  { allowance, used }: Quota,
  first: FirstTime,
): Promise<Presigned | null> {
  const requested = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  requireAllowance(used, allowance, requested);
  const { isMultipart } = ROUTES[route];
  const { teamId, userId, tokenId } = ctx.actor;
  const now = ctx.now();
  const opened = await Promise.all(files.map((file) => open(ctx, teamId, file, isMultipart)));
  const batch = {
    teamId,
    userId,
    tokenId,
    route,
    files: opened,
    allowance,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifeMsOf(isMultipart)),
  };
  const datetime = toDatetime(new Date());
  const remembered: Remembered = { count: files.length, datetime, origin, allowance };
  const [last, [bytes = 0]] = await ctx.db.run([
    repo.insertPresigns(batch, first.isNew),
    repo.bytesUsed(teamId, now),
    ...first.keep(remembered, repo.firstInserted(files.length)),
  ]);
  if (last === null) {
    ctx.defer(abortParts(ctx, opened));
    requireAllowance(bytes, allowance, requested);
    return null;
  }
  const rows = opened.map((file, i) => ({ ...file, ...batch, id: last - opened.length + 1 + i }));
  return { files: await toFiles(ctx, rows, remembered), usage: toUsage(bytes, allowance) };
}

/** @throws AppError 503 when storage does not answer */
async function open(
  { media, log }: Pick<Deps, "media" | "log">,
  teamId: number,
  file: DeclaredFile,
  isMultipart: boolean,
): Promise<repo.NewPresign> {
  const objectKey = newObjectKey(teamId);
  if (!isMultipart) return { ...file, objectKey, partBytes: null, uploadId: null };
  try {
    const httpMetadata = { contentType: file.mime };
    const { uploadId } = await media.createMultipartUpload(objectKey, { httpMetadata });
    return { ...file, objectKey, partBytes: partBytesOf(file.sizeBytes), uploadId };
  } catch (error) {
    log({ event: "presign.storage_failed", error: String(error) });
    throw unreachable();
  }
}

async function replay(ctx: Ctx, { answer, firstUploadId }: StoredAnswer): Promise<Presigned> {
  const remembered = answer as Remembered;
  const { teamId } = ctx.actor;
  const firstId = firstUploadId ?? 0;
  const { count, allowance } = remembered;
  const [rows] = await ctx.db.run([repo.presignsFrom(teamId, firstId, count)]);
  const [row] = rows;
  if (!row) throw new AppError("NOT_FOUND", "The files of this call are no longer known.");
  const [[bytes = 0]] = await ctx.db.run([
    repo.bytesUsed(teamId, row.createdAt, firstId + count - 1),
  ]);
  return { files: await toFiles(ctx, rows, remembered), usage: toUsage(bytes, allowance) };
}

type Row = Pick<repo.PresignRow, "id" | "expiresAt"> & repo.NewPresign;

async function toFiles(
  ctx: Ctx,
  rows: readonly Row[],
  { datetime, origin }: Remembered,
): Promise<PresignedFile[]> {
  const lifeMs = lifeMsOf(rows[0]?.uploadId !== null);
  const signer = new StorageSigner(requireStorage(ctx), { datetime, lifeMs });
  return Promise.all(rows.map((row) => toFile(ctx, row, signer, origin)));
}

async function toFile(
  deps: Pick<Deps, "config">,
  row: Row,
  signer: StorageSigner,
  origin: string,
): Promise<PresignedFile> {
  const { id, objectKey, name, sizeBytes, mime, partBytes, uploadId, expiresAt } = row;
  const common = { name, size: sizeBytes, type: mime, ...objectUrls(origin, objectKey) };
  if (partBytes === null || uploadId === null) {
    return { ...common, ...(await signer.putObject(objectKey, { sizeBytes, mime })) };
  }
  const expires = Math.floor(expiresAt.getTime() / SECOND);
  const [parts, completePath, abortPath] = await Promise.all([
    signer.putParts(objectKey, uploadId, partsOf(sizeBytes, partBytes)),
    storagePath(deps, { action: "complete", id, expires }),
    storagePath(deps, { action: "abort", id, expires }),
  ]);
  const completeUrl = origin + completePath;
  return {
    ...common,
    multipart: { parts, partSize: partBytes, completeUrl, abortUrl: origin + abortPath },
  };
}
