import { addSeconds } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { changeUpload, type RowChanges } from "../posts/repo/write.ts";
import type { UploadRow } from "../posts/table.ts";
import { LEASE_SECONDS } from "./rules.ts";

/** Thrown when another run has taken the job. Nothing was written. */
export class LostLease extends Error {}

/**
 * @param unread columns that the database computes
 * @throws LostLease when another run has the job
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

export const renewedLease = (now: Date) => ({ leaseUntil: addSeconds(now, LEASE_SECONDS) });

/** @throws LostLease */
export async function renewLease(deps: Deps, upload: UploadRow): Promise<Date> {
  const renewed = renewedLease(deps.now());
  await save(deps, upload, renewed);
  return renewed.leaseUntil;
}
