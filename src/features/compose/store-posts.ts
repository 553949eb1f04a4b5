import type { Plan } from "../../core/plans.ts";
import { inSends } from "../../core/queues.ts";
import { isDraft } from "../../core/upload-status.ts";
import { allOf } from "../../db/conditions.ts";
import { runNamed } from "../../db/named.ts";
import type { Ctx } from "../../deps.ts";
import { wakePostOnTime, wakePosts } from "../../queue/wake.ts";
import { periodOf } from "../credits/rules.ts";
import type { FirstTime } from "../idempotency/once.ts";
import { type Claim, claimOf } from "../limits/content-rules.ts";
import { areUnclaimed } from "../limits/repo/compared.ts";
import { hasRoom } from "../limits/repo/room.ts";
import { hasFiles, insertMedia, objectsInUse } from "../media/repo.ts";
import type { StoredFile } from "../media/table.ts";
import { emitScheduled, needFiles } from "../posts/repo/write.ts";
import type { UploadRow } from "../posts/table.ts";
import { arePresigned } from "../presign/repo.ts";
import type { NewRow } from "./compose.ts";
import {
  discardFiles,
  filesAmong,
  filesToStore,
  keepReceived,
  type PresignedFiles,
  receivedFiles,
} from "./media.ts";
import type { NewMedia } from "./new-post.ts";
import { insertedId, insertUploads } from "./repo/insert.ts";

export interface StoredPosts {
  rows: readonly NewRow[];
  media: readonly NewMedia[];
  presigned: PresignedFiles;
  plan?: Plan;
}

/**
 * Stores files, posts, events and the answer in one batch, then wakes the jobs. Returns null, and stores nothing, when
 * another call was faster: with the same idempotency key, the same post, or the last place in plan or drafts. The
 * caller then keeps the files.
 */
export async function storePosts(
  ctx: Ctx,
  { rows, media, presigned, plan }: StoredPosts,
  call: FirstTime,
  answer: unknown,
): Promise<UploadRow[] | null> {
  const [first] = rows;
  if (!first || !plan) {
    ctx.defer(discardFiles(ctx, media));
    return [];
  }
  const { teamId } = first;
  const now = ctx.now();
  const owned = media.flatMap((item) => ("sha256" in item ? [item.sha256] : []));
  const pinned = pinnedFiles(presigned, rows);
  const condition = allOf([
    call.isNew,
    ...roomsOf(rows).map(([one, ...others]) => hasRoom(teamId, plan, one, others.length + 1)),
    areUnclaimed(claimsOf(rows)),
    ...(owned.length > 0 ? [hasFiles(teamId, owned)] : []),
    ...(pinned.length > 0 ? [arePresigned(pinned.map(({ objectKey }) => objectKey))] : []),
  ]);
  const files = filesToStore(media, pinned);
  const hashes = [...new Set([...files.map(({ sha256 }) => sha256), ...owned])];
  const firstId = insertedId(rows.length);
  // Each statement after the first post acts only if the one before it did.
  const { known, inserted } = await runNamed(ctx.db, {
    known: files.length > 0 ? insertMedia(teamId, files, now, condition) : null,
    inserted: insertUploads(rows, condition),
    needed: hashes.length > 0 ? needFiles(teamId, hashes, firstId, rows.length) : null,
    scheduled: rows.flatMap((row, i) =>
      row.status === "scheduled" && row.scheduledFor
        ? [emitScheduled(ctx, row, insertedId(rows.length, i), row.scheduledFor)]
        : [],
    ),
    kept: call.keep(answer, firstId),
  }).catch((error) => {
    ctx.defer(discardUnused(ctx, teamId, receivedFiles(media)));
    throw error;
  });
  const { last, count } = inserted.at(-1) ?? { last: 0, count: 0 };
  if (count === 0) return null;
  await keepReceived(ctx, media, files, known ?? []);
  const created = rows.map((row, i) => ({ ...row, id: last - rows.length + 1 + i }));
  await wakeAll(ctx, created);
  return created;
}

type SameRoom = [NewRow, ...NewRow[]];

/** Drafts share one room, posts of a month another. */
const roomsOf = (rows: readonly NewRow[]): SameRoom[] =>
  [...Map.groupBy(rows, ({ status, sortAt }) => (isDraft(status) ? null : periodOf(sortAt)))].map(
    ([, own]) => own as SameRoom,
  );

export const claimsOf = (rows: readonly NewRow[]): Claim[] =>
  rows.flatMap((row) => claimOf(row, row.sortAt) ?? []);

async function wakeAll(ctx: Ctx, created: readonly UploadRow[]): Promise<void> {
  const due = created.filter(({ wokenAt }) => wokenAt !== null);
  const [only] = due;
  if (!only?.wokenAt) return;
  if (due.length === 1) return wakePostOnTime(ctx, only.id, only.wokenAt);
  for (const [ms, own] of Map.groupBy(due, ({ wokenAt }) => wokenAt?.getTime() ?? 0)) {
    for (const ids of inSends(own.map(({ id }) => id))) await wakePosts(ctx, ids, new Date(ms));
  }
}

/** Presigned objects belong to their uploads and are never deleted here. */
function pinnedFiles(presigned: PresignedFiles, rows: readonly NewRow[]): StoredFile[] {
  const refs = new Set(
    rows.flatMap(({ media }) => media.map((item) => ("sha256" in item ? item.sha256 : ""))),
  );
  return filesAmong(presigned).filter(({ sha256 }) => refs.has(sha256));
}

/** When a write's answer was lost, deletes the files that it did not store. */
async function discardUnused(ctx: Ctx, teamId: number, files: StoredFile[]): Promise<void> {
  if (files.length === 0) return;
  const keys = files.map(({ objectKey }) => objectKey);
  const [used] = await ctx.db.run([objectsInUse(teamId, keys)]);
  const unused = keys.filter((key) => !used.includes(key));
  if (unused.length > 0) await ctx.media.delete(unused);
}
