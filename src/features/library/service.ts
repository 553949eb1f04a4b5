import { notFound } from "../../core/errors.ts";
import { cleanFileName } from "../../core/file-name.ts";
import type { Ctx } from "../../deps.ts";
import { retentionOf } from "../media/files.ts";
import { isMediaId, OPEN_END } from "../media/repo.ts";
import * as repo from "./repo.ts";
import { MAX_USES } from "./rules.ts";

export interface KeptUsage {
  used: number;
  /** Null: unlimited. */
  allowance: number | null;
}

type Plans = ReturnType<ReturnType<typeof repo.planAndKept>["read"]>;

export function toUsage({ config }: Pick<Ctx, "config">, [team]: Plans): KeptUsage {
  const { keptBytes } = config.plans.plans[team?.plan ?? config.defaultPlan];
  return { used: team?.bytes ?? 0, allowance: keptBytes };
}

/** No file has the empty id. */
export const knownId = (mediaId: string): string => (isMediaId(mediaId) ? mediaId : "");

export const listQueries = (ctx: Ctx, filter: repo.FileFilter) =>
  [
    repo.filePage(ctx.team, filter, retentionOf(ctx)),
    repo.fileCount(ctx.team, filter),
    repo.planAndKept(ctx.team),
  ] as const;

export async function listFiles(ctx: Ctx, filter: repo.FileFilter) {
  const [files, [total = 0], plans] = await ctx.read("posts:read", listQueries(ctx, filter));
  return { files, total, usage: toUsage(ctx, plans) };
}

export interface FileWithUses {
  file: repo.LibraryFile;
  uses: repo.FileUse[];
  items: repo.FileItem[];
}

export function fileQueries(ctx: Ctx, mediaId: string) {
  const id = knownId(mediaId);
  const retention = retentionOf(ctx);
  return [
    repo.fileById(ctx.team, id, retention),
    repo.usesOf(ctx.team, id, { limit: MAX_USES, retention }),
    repo.itemsOf(ctx.team, id, MAX_USES),
  ] as const;
}

/** @throws AppError NOT_FOUND */
export async function getFile(ctx: Ctx, mediaId: string): Promise<FileWithUses> {
  const [[file], uses, items] = await ctx.read("posts:read", fileQueries(ctx, mediaId));
  if (!file) throw notFound("File");
  return { file, uses, items };
}

/** Null while the file is kept or needed without an end. */
export function expiryOf({
  keptAt,
  isWaiting,
  uses,
  expiresAt,
  createdAt,
}: repo.LibraryFile): Date | null {
  const [, until] = uses;
  if (keptAt || isWaiting || until === OPEN_END) return null;
  return new Date(Math.max(until ?? 0, expiresAt?.getTime() ?? 0, createdAt.getTime()));
}

/** Names of presigned uploads are stored as they were sent. */
export const nameOf = ({ name }: Pick<repo.LibraryFile, "name">): string | null =>
  name === null ? null : cleanFileName(name);
