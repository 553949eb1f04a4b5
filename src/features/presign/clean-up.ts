import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import * as repo from "./repo.ts";
import { UNUSED_KEPT_MS, USAGE_WINDOW_MS } from "./rules.ts";

/** Rows that one page looks at. */
const PAGE = 200;
/** Source: Workers, "Limits": simultaneous open connections. */
const AT_ONCE = 6;
/** A call that came just in time may still be under way. */
const MARGIN_MS = HOUR;

/**
 * Clears up behind a page of presigned files: uploads that nobody ended are aborted, objects that no post needs
 * go after a week, and rows once neither an object nor the usage of 30 days needs them.
 *
 * @param cursor id of the last row that was looked at
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

/** Aborts multipart uploads; from then on none of them can be completed. */
async function abortAll(
  deps: Pick<Deps, "db" | "media" | "now">,
  rows: readonly repo.PresignRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await deps.db.runAll(rows.map(({ id }) => repo.endUpload(id, "aborted", deps.now())));
  await abortParts(deps, rows);
}

export type OpenUpload = Pick<repo.PresignRow, "objectKey" | "uploadId">;

/** Removes from storage the parts that were put for uploads. */
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

/**
 * Removes those of the objects that no file stands for. They are given up first: a post that is created at the
 * same moment either has its file, or is refused.
 */
export async function removeUnused(
  { db, media, now }: Pick<Deps, "db" | "media" | "now">,
  objectKeys: readonly string[],
): Promise<void> {
  if (objectKeys.length === 0) return;
  const [unused] = await db.run([repo.giveUpUnused(objectKeys, now())]);
  if (unused.length > 0) await media.delete(unused);
}
