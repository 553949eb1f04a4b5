import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { keepThumbnail, retentionOf } from "../media/files.ts";
import { type FileId, fileAfter } from "../media/repo.ts";
import { teamOfPresigned } from "../presign/address.ts";
import { removeUnused } from "../presign/clean-up.ts";
import {
  dropFiles,
  dropUses,
  type Expiry,
  markGone,
  type SpentUse,
  spentUses,
} from "./repo/spent-files.ts";

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
 * Removes files and their uses in one transaction, so that a retried post has all its files or none. Objects that a
 * crash leaves are removed by `removeUnusedObjects`.
 *
 * @param cursor team and hash of the next file, such as `7 9f86d0…`
 */
export async function expireFiles(deps: Deps, cursor: string | null): Promise<string | null> {
  const now = deps.now().getTime();
  const expiry = { now, retention: retentionOf(deps), takesKept: false };
  const from = readKey(cursor);
  const [spent, [after]] = await deps.db.run([
    spentUses(from, expiry, FILES, USES),
    fileAfter(from, FILES),
  ]);
  const { page, next } = cutPage(spent, after ?? null);
  if (page.length > 0) await remove(deps, page, expiry);
  return next;
}

/** Answers the number of removed files. */
async function remove(
  deps: Deps,
  page: readonly SpentUse[],
  expiry: Expiry,
  line: Query<number> | null = null,
): Promise<number> {
  const pictured = await keepThumbnails(deps, page);
  const ended = page.map((use) => ({ ...use, hasThumbnail: pictured.has(keyOf(use)) }));
  const [, , unused] = await deps.db.run([
    markGone(ended, expiry),
    dropUses(page, expiry),
    dropFiles(page, expiry),
    ...(line ? [line] : []),
  ]);
  const [presigned, own] = split(unused);
  if (own.length > 0) await deps.media.delete(own);
  await removeUnused(deps, presigned);
  return unused.length;
}

/** Published posts need no file any more that a person removes. */
export const removalOf = (deps: Deps): Expiry => ({
  now: deps.now().getTime(),
  retention: { ...retentionOf(deps), completedMs: 0 },
  takesKept: true,
});

/** Removes a file at once, kept or not. False when something needs it. */
export async function removeFile(deps: Deps, file: FileId, line: Query<number>): Promise<boolean> {
  const expiry = removalOf(deps);
  for (;;) {
    const [spent] = await deps.db.run([spentUses(file, expiry, 1, USES)]);
    const uses = spent.filter((use) => keyOf(use) === keyOf(file));
    if (uses.length === 0) return false;
    if ((await remove(deps, uses, expiry, line)) > 0) return true;
    if (uses.length < USES) return false;
  }
}

/** Presigned objects, unlike others, may belong to several files. */
function split(objectKeys: readonly string[]): [presigned: string[], own: string[]] {
  const isPresigned = (key: string) => teamOfPresigned(key) !== null;
  return [objectKeys.filter(isPresigned), objectKeys.filter((key) => !isPresigned(key))];
}

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
  // The last file may have more uses, so the next page begins with it again.
  const last = spent.length === USES ? spent.at(-1) : after;
  return { page: spent, next: last ? keyOf(last) : null };
}

async function keepThumbnails(deps: Deps, page: readonly SpentUse[]): Promise<Set<string>> {
  const images = new Map(page.filter((use) => use.showsThumbnail).map((use) => [keyOf(use), use]));
  const entries = [...images];
  const pictured = new Set<string>();
  for (let i = 0; i < entries.length; i += AT_ONCE) {
    await Promise.all(
      entries.slice(i, i + AT_ONCE).map(async ([key, image]) => {
        if (await keepThumbnail(deps, image)) pictured.add(key);
      }),
    );
  }
  return pictured;
}
