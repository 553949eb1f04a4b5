import { AppError, notFound } from "../../core/errors.ts";
import { allOf } from "../../db/conditions.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine } from "../activity/repo.ts";
import { filesToStore, keepReceived } from "../compose/media.ts";
import { retentionOf } from "../media/files.ts";
import { insertMedia } from "../media/repo.ts";
import { arePresigned } from "../presign/repo.ts";
import { removalOf, removeFile as removeNow } from "../publishing/media-expiry.ts";
import type { NewFile } from "./form.ts";
import * as repo from "./repo.ts";
import { MAX_USES, refuseKeeping } from "./rules.ts";
import { toItem, toUse } from "./schema.ts";
import { knownId, toUsage } from "./service.ts";

/**
 * Stores a file without a post, for as long as published posts keep theirs. A file that the team has already is the
 * same file again.
 *
 * @throws AppError PLAN_LIMIT, and 400 for a presigned upload that was just removed
 */
export async function addFile(ctx: Ctx, sent: NewFile): Promise<repo.LibraryFile> {
  const { file, isPresigned, name, keep, isOfDraft = false } = sent;
  const { teamId } = ctx.actor;
  const now = ctx.now();
  const retention = retentionOf(ctx);
  const [plan] = await ctx.db.run([repo.planAndKept(teamId)]);
  const { allowance } = toUsage(ctx, plan);
  const condition = allOf([
    ...(keep ? [repo.hasRoomToKeep(teamId, file.sizeBytes, allowance)] : []),
    ...(isPresigned ? [arePresigned([file.objectKey])] : []),
  ]);
  const change = { name, ...(keep ? { keep } : {}) };
  const [known, , [stored], after] = await ctx.db.run([
    insertMedia(teamId, [file], now, condition),
    repo.changeFile(teamId, file.sha256, change, { now, stays: true, allowance }, retention),
    repo.fileById(teamId, file.sha256, retention),
    repo.planAndKept(teamId),
    ...(isOfDraft ? [] : [activityLine(ctx, "file.added", file.sha256)]),
  ]);
  const received = isPresigned ? [] : [{ role: "photo" as const, field: "file", received: file }];
  await keepReceived(ctx, received, filesToStore(received, []), known);
  if (stored && (!keep || stored.keptAt)) return stored;
  if (keep) refuseKeeping(file.sizeBytes, toUsage(ctx, after).used, allowance);
  throw new AppError(null, "The presigned upload was just removed. Upload the file again.");
}

/** @throws AppError NOT_FOUND, PLAN_LIMIT */
export async function changeFile(
  ctx: Ctx,
  mediaId: string,
  change: repo.FileChange,
): Promise<repo.LibraryFile> {
  const retention = retentionOf(ctx);
  const id = knownId(mediaId);
  const [[known], plan] = await ctx.read("posts:write", [
    repo.fileById(ctx.team, id, retention),
    repo.planAndKept(ctx.team),
  ]);
  if (!known) throw notFound("File");
  if (change.name === undefined && change.keep === undefined) return known;
  const { teamId } = ctx.actor;
  const { allowance } = toUsage(ctx, plan);
  const at = { now: ctx.now(), stays: false, allowance };
  const [changed, , [file], after] = await ctx.db.run([
    repo.changeFile(teamId, id, change, at, retention),
    activityLine(ctx, "file.changed", id),
    repo.fileById(teamId, id, retention),
    repo.planAndKept(teamId),
  ]);
  if (!file) throw notFound("File");
  if (changed === 0) refuseKeeping(file.sizeBytes, toUsage(ctx, after).used, allowance);
  return file;
}

/** @throws AppError NOT_FOUND; MEDIA_IN_USE with the posts and pool items that need the file */
export async function removeFile(ctx: Ctx, mediaId: string): Promise<void> {
  const id = knownId(mediaId);
  const { now, retention } = removalOf(ctx);
  const needs = { limit: MAX_USES, retention, neededAfter: now };
  const [[file], uses, items] = await ctx.read("posts:write", [
    repo.fileById(ctx.team, id, retention),
    repo.usesOf(ctx.team, id, needs),
    repo.itemsOf(ctx.team, id, MAX_USES),
  ]);
  if (!file) throw notFound("File");
  if (uses.length > 0 || items.length > 0) throw inUse(uses, items);
  const { teamId } = ctx.actor;
  if (await removeNow(ctx, { teamId, sha256: id }, activityLine(ctx, "file.removed", id))) return;
  const [again, itemsAgain, [still]] = await ctx.db.run([
    repo.usesOf(teamId, id, needs),
    repo.itemsOf(teamId, id, MAX_USES),
    repo.fileById(teamId, id, retention),
  ]);
  if (still) throw inUse(again, itemsAgain);
}

function inUse(uses: readonly repo.FileUse[], items: readonly repo.FileItem[]): AppError {
  const list = [
    ...uses.map(({ uploadId }) => `post ${uploadId}`),
    ...items.map(({ itemId, poolId }) => `item ${itemId} of pool ${poolId}`),
  ];
  const shown =
    list.length > 0
      ? list.slice(0, 5).join(", ")
      : "a draft of the composer, or a rehearsal that is running";
  const more = list.length > 5 ? ` and ${list.length - 5} more` : "";
  const message = `The file is still needed by ${shown}${more}. Remove them first, or wait until they are published.`;
  return new AppError("MEDIA_IN_USE", message, {
    extras: { usedBy: uses.map(toUse), poolItems: items.map(toItem) },
  });
}
