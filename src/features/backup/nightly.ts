import type { Deps } from "../../deps.ts";
import { removeExpired } from "./clean-up.ts";
import { beginCopy, copyNext, type Notes, type Place } from "./copy.ts";
import * as repo from "./repo/backups.ts";
import { pageSize } from "./rules.ts";
import { storeOf } from "./store.ts";

/** Subrequests of the largest page on the free plan. Larger pages run only where 10,000 are allowed. */
export const BACKUP_CALLS = 36;

/**
 * Copies the next slices of the database to the storage. After the last, it writes the manifest and removes backups
 * that are no longer kept.
 *
 * @param cursor the place as JSON
 * @throws Error when the storage or the database fails; the next tick repeats the page
 */
export async function backUp(deps: Deps, cursor: string | null): Promise<string | null> {
  const { backup, subrequestsPerInvocation } = deps.config;
  if (!backup.isOn) return null;
  let place = cursor === null ? null : (JSON.parse(cursor) as Place);
  try {
    const size = pageSize(subrequestsPerInvocation);
    const page = { source: deps, store: storeOf(deps), size, notes: notesIn(deps) };
    place ??= await beginCopy(page);
    if (place.step === "expire") {
      const isMoreLeft = await removeExpired(deps, page.store, place.id, size);
      return isMoreLeft ? JSON.stringify(place) : null;
    }
    const { id, rows, bytes } = place;
    const next = await copyNext(page, place);
    if (next.step === "expire") {
      const finishedAt = deps.now();
      await deps.db.run([repo.finishBackup({ id, finishedAt }), repo.forgetSlices({ id })]);
      deps.log({ event: "backup.finished", backup: id, rows, bytes });
    }
    return JSON.stringify(next);
  } catch (error) {
    if (place) await deps.db.run([repo.noteError({ id: place.id, error: messageOf(error) })]);
    throw error;
  }
}

const MAX_ERROR_CHARACTERS = 300;

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_CHARACTERS);

const notesIn = ({ db }: Pick<Deps, "db">): Notes => ({
  begin: async (id, startedAt) => {
    await db.run([repo.beginBackup({ id, startedAt })]);
  },
  add: async ({ id, rows, bytes }, slices) => {
    await db.runAll([
      repo.noteProgress({ id, rows, bytes, error: null }),
      ...(slices.length > 0 ? [repo.insertSlices(slices)] : []),
    ]);
  },
  slicesOf: async (id) => {
    const [slices] = await db.run([repo.slicesOf({ id })]);
    return slices;
  },
});
