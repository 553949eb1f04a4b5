import { addSeconds } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { changeUpload, type RowChanges } from "../posts/repo/update.ts";
import { LEASE_SECONDS } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";

/** Somebody else has taken the job since; whatever we were about to write is dropped. */
export class LostLease extends Error {}

/**
 * Writes where the job stands, under its fence.
 *
 * @param unread what only the database works out
 * @throws LostLease
 */
export async function save(
  deps: Deps,
  upload: UploadRow,
  set: Partial<UploadRow>,
  alongside: Query<unknown>[] = [],
  unread: RowChanges = {},
): Promise<UploadRow> {
  const [changed] = await deps.db.runAll([
    changeUpload(upload, { ...set, ...unread }),
    ...alongside,
  ]);
  if (changed !== 1) throw new LostLease();
  return { ...upload, ...set };
}

/** The lease from now on, for any write while the job is in our hands. */
export const renewedLease = (now: Date) => ({ leaseUntil: addSeconds(now, LEASE_SECONDS) });

/**
 * Extends the lease while a step lasts, and returns its end. A run that has taken the job since keeps it.
 *
 * @throws LostLease
 */
export async function renewLease(deps: Deps, upload: UploadRow): Promise<Date> {
  const renewed = renewedLease(deps.now());
  await save(deps, upload, renewed);
  return renewed.leaseUntil;
}
