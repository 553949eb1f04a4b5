import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import * as repo from "./repo.ts";
import { UNUSED_KEPT_MS, USAGE_WINDOW_MS } from "./rules.ts";

const PAGE = 200;
/** Source: Workers, "Limits": simultaneous open connections. */
const AT_ONCE = 6;
/** Delay after expiry: a last-minute call may still be running. */
const MARGIN_MS = HOUR;

/**
 * Aborts expired uploads, deletes objects unused for a week, and removes rows that neither an object nor the 30-day
 * usage needs.
 *
 * @param cursor id of the last row
 */
export async function clearPresigned(deps: Deps, cursor: string | null): Promise<string | null> {
  const now = deps.now().getTime();
  const [rows] = await deps.db.run([repo.presignsAfter(Number(cursor ?? 0), PAGE)]);
  const last = rows.at(-1);
  if (!last) return null;
  await abortAll(
    deps,
    rows.filter((row) => isOpen(row) && row.expiresAt.getTime() <= now - MARGIN_MS),
  );
  const old = rows.filter(({ createdAt }) => createdAt.getTime() <= now - UNUSED_KEPT_MS);
  await removeUnused(
    deps,
    old.map(({ objectKey }) => objectKey),
  );
  const from = rows[0]?.id ?? last.id;
  await deps.db.run([repo.forgetRemoved(from, last.id, new Date(now - USAGE_WINDOW_MS))]);
  return rows.length === PAGE ? String(last.id) : null;
}

const isOpen = ({ uploadId, completedAt, abortedAt }: repo.PresignRow): boolean =>
  uploadId !== null && completedAt === null && abortedAt === null;

/** Marks the uploads first, so that none is completed meanwhile. */
async function abortAll(
  deps: Pick<Deps, "db" | "media" | "now">,
  rows: readonly repo.PresignRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await deps.db.runAll(rows.map(({ id }) => repo.endUpload(id, "aborted", deps.now())));
  await abortParts(deps, rows);
}

export type OpenUpload = Pick<repo.PresignRow, "objectKey" | "uploadId">;

export async function abortParts(
  { media }: Pick<Deps, "media">,
  rows: readonly OpenUpload[],
): Promise<void> {
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    await Promise.all(
      rows.slice(i, i + AT_ONCE).map(async ({ objectKey, uploadId }) => {
        if (uploadId) await media.resumeMultipartUpload(objectKey, uploadId).abort();
      }),
    );
  }
}

/** Marks objects first: a simultaneous post has its file or is refused. */
export async function removeUnused(
  { db, media, now }: Pick<Deps, "db" | "media" | "now">,
  objectKeys: readonly string[],
): Promise<void> {
  if (objectKeys.length === 0) return;
  const [unused] = await db.run([repo.giveUpUnused(objectKeys, now())]);
  if (unused.length > 0) await media.delete(unused);
}
