import type { Deps } from "../../deps.ts";
import { utf8Bytes } from "./gzip.ts";
import * as repo from "./repo/backups.ts";
import {
  expired,
  FOLDER,
  folderOf,
  INDEX,
  isGivenUp,
  manifestKey,
  type PageSize,
} from "./rules.ts";
import type { BackupStore } from "./store.ts";

/** Backups that this instance did not make are looked at in the storage, some in each page. */
const MAX_LOOKS = 8;

/**
 * Removes some objects of one backup that is no longer kept. The manifest goes first, so that what is left is not
 * taken for a backup.
 *
 * @param current a backup that is kept
 * @returns false when nothing was left to remove
 */
export async function removeExpired(
  deps: Pick<Deps, "db" | "now" | "log">,
  store: BackupStore,
  current: string,
  { deletions }: Pick<PageSize, "deletions">,
): Promise<boolean> {
  const [ids, [known]] = await Promise.all([
    store.listFolders(FOLDER),
    deps.db.run([repo.allBackups({})]),
  ]);
  const finished: string[] = [];
  const unfinished: string[] = [];
  const unseen: string[] = [];
  let looks = 0;
  for (const id of ids.toSorted().reverse()) {
    const row = known.find((one) => one.id === id);
    const isKnown = row !== undefined && row.finishedAt !== null;
    if (!isKnown && ++looks > MAX_LOOKS) unseen.push(id);
    else if (isKnown || (await store.has(manifestKey(id)))) finished.push(id);
    else unfinished.push(id);
  }
  const now = deps.now();
  const givenUp = unfinished.filter((id) => id !== current && isGivenUp(id, now));
  const gone = known.filter((row) => !ids.includes(row.id) && isGivenUp(row.id, now));
  if (gone.length > 0) await deps.db.runAll(gone.map(({ id }) => repo.forgetBackup({ id })));
  const [id] = [...expired(finished).filter((one) => one !== current), ...givenUp];
  if (id === undefined) {
    const listed = [...finished, ...unseen].toSorted().reverse();
    await store.put(INDEX, utf8Bytes(JSON.stringify({ backups: listed })));
    return false;
  }
  if (finished.includes(id)) await store.delete([manifestKey(id)]);
  const keys = await store.listKeys(folderOf(id), deletions);
  if (keys.length > 0) await store.delete(keys);
  if (keys.length === deletions) return true;
  await deps.db.run([repo.forgetSlices({ id }), repo.forgetBackup({ id })]);
  deps.log({ event: "backup.removed", backup: id });
  return true;
}
