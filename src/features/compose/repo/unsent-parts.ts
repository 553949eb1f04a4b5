import { sql } from "drizzle-orm";
import type { Query } from "../../../db/client.ts";
import { allOf } from "../../../db/conditions.ts";
import type { Claim } from "../../limits/content-rules.ts";
import { areUnclaimed } from "../../limits/repo/compared.ts";
import type { Part } from "../../posts/parts.ts";
import { changeUpload, isPublishedAndFree, type RowChanges } from "../../posts/repo/write.ts";
import type { UploadRow } from "../../posts/table.ts";

interface Expected {
  before: readonly Part[];
  claims: readonly Claim[];
  now: Date;
}

/** The higher fence ends a retry that read the old texts. */
export const changeParts = (
  row: UploadRow,
  set: RowChanges,
  { before, claims, now }: Expected,
): Query<number> =>
  changeUpload(
    row,
    { ...set, fence: sql`u.fence + 1` },
    allOf([
      isPublishedAndFree(row.id, now),
      sql`u.parts IS ${JSON.stringify(before)}`,
      areUnclaimed(claims),
    ]),
  );
