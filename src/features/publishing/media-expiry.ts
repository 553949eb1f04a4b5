import { DAY, HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { dropUnusedFiles, type FileId, fileAfter } from "../media/repo.ts";
import { keepThumbnail } from "../media/thumbnail.ts";
import { teamOfPresigned } from "../presign/address.ts";
import { removeUnused } from "../presign/clean-up.ts";
import {
  dropUses,
  type KeptUntil,
  markGone,
  type SpentUse,
  spentUses,
} from "./repo/spent-files.ts";

/** Source: spec, "Time limits": failed upload media kept. */
const FAILED_KEPT_MS = DAY;

/** Files looked at, uses ended, posts noted and thumbnails made by one page, at most. */
const FILES = 2_000;
const USES = 500;
const POSTS = 2_000;
const THUMBNAILS = 50;
/** Source: Workers, "Limits": simultaneous open connections. */
const AT_ONCE = 6;

const keyOf = ({ teamId, sha256 }: FileId): string => `${teamId} ${sha256}`;

function readKey(key: string | null): FileId {
  const [teamId = "0", sha256 = ""] = key?.split(" ") ?? [];
  return { teamId: Number(teamId), sha256 };
}

/**
 * Removes the files of a page that no upload needs any more. Uses are ended and files without a use
 * removed in one transaction, so a retry finds all files of its post or learns that they are gone;
 * what comes with the same content is stored anew, as another object. Objects go last: a crash before
 * that leaves them to `removeUnusedObjects`.
 *
 * @param cursor team and hash of the next file, as `7 9f86d0…`
 */
export async function expireFiles(deps: Deps, cursor: string | null): Promise<string | null> {
  const now = deps.now().getTime();
  const kept: KeptUntil = {
    now,
    completedSince: now - deps.config.mediaRetentionHours * HOUR,
    failedSince: now - FAILED_KEPT_MS,
  };
  const from = readKey(cursor);
  const [spent, [after]] = await deps.db.run([
    spentUses(from, kept, FILES, USES),
    fileAfter(from, FILES),
  ]);
  const { page, next } = cutPage(spent, after ?? null);
  if (page.length === 0) return next;

  const pictured = await keepThumbnails(deps, page);
  const ended = page.map((use) => ({ ...use, hasThumbnail: pictured.has(keyOf(use)) }));
  const [, , unused] = await deps.db.run([
    markGone(ended, kept),
    dropUses(page, kept),
    dropUnusedFiles(page),
  ]);
  const [presigned, own] = split(unused);
  if (own.length > 0) await deps.media.delete(own);
  await removeUnused(deps, presigned);
  return next;
}

/** Splits the objects into those that others put, which may stand for more than one file, and ours. */
function split(objectKeys: readonly string[]): [presigned: string[], own: string[]] {
  const isPresigned = (key: string) => teamOfPresigned(key) !== null;
  return [objectKeys.filter(isPresigned), objectKeys.filter((key) => !isPresigned(key))];
}

/** Cuts `spent` to what one page may do, and returns the file that the next page begins with. */
function cutPage(
  spent: readonly SpentUse[],
  after: FileId | null,
): { page: readonly SpentUse[]; next: string | null } {
  const pictured = new Set<string>();
  let posts = 0;
  for (const [i, use] of spent.entries()) {
    if (use.showsThumbnail) pictured.add(keyOf(use));
    posts += use.posts;
    const isTooMuch = pictured.size > THUMBNAILS || posts > POSTS;
    if (i > 0 && isTooMuch) return { page: spent.slice(0, i), next: keyOf(use) };
  }
  // The last file may have more uses: the next page begins with it once more.
  const last = spent.length === USES ? spent.at(-1) : after;
  return { page: spent, next: last ? keyOf(last) : null };
}

/** The images of which a thumbnail was kept, among those that a published post shows in lists. */
async function keepThumbnails(deps: Deps, page: readonly SpentUse[]): Promise<Set<string>> {
  const images = new Map(page.filter((use) => use.showsThumbnail).map((use) => [keyOf(use), use]));
  const wanted = [...images];
  const pictured = new Set<string>();
  for (let i = 0; i < wanted.length; i += AT_ONCE) {
    await Promise.all(
      wanted.slice(i, i + AT_ONCE).map(async ([key, image]) => {
        if (await keepThumbnail(deps, image)) pictured.add(key);
      }),
    );
  }
  return pictured;
}
