import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { emitIfChanged } from "../../events/repo.ts";
import {
  changeFacts,
  isHeld,
  isPublishedAndFree,
  type Lease,
  type RowChanges,
} from "../../posts/repo/write.ts";
import type { Correction, UploadRow } from "../../posts/table.ts";

export const claimCorrection = (
  row: UploadRow,
  correction: Correction,
  { now, until, condition }: { now: Date; until: Date; condition: SQL },
): Query<number> =>
  sqlWrite(
    changeFacts(
      { correction, unpublishLeaseUntil: until },
      sql`${isPublishedAndFree(row.id, now)} AND u.title IS ${row.title}
        AND u.description IS ${row.description} AND u.approved_hash IS ${row.approvedHash}
        AND ${condition}`,
    ),
  );

export const releaseCorrection = (lease: Lease, isOpen: boolean): Query<number> =>
  sqlWrite(
    changeFacts(
      { unpublishLeaseUntil: null, ...(isOpen ? {} : { correction: null }) },
      isHeld(lease),
    ),
  );

type Texts = Pick<UploadRow, "title" | "description">;

export const finishCorrection = (
  deps: Pick<Deps, "newEventId" | "now">,
  { teamId, platform, accountId, metadata }: UploadRow,
  lease: Lease,
  { title, description, ...set }: Omit<RowChanges, "status"> & Texts,
): Query<number>[] => [
  sqlWrite(
    changeFacts(
      { ...set, title, description, correction: null, unpublishLeaseUntil: null },
      isHeld(lease),
    ),
  ),
  emitIfChanged(deps, {
    team: teamId,
    name: "upload.edited",
    data: {
      uploadId: lease.id,
      platform,
      accountId,
      title,
      description,
      metadata: metadata ?? { videoId: "", shareUrl: null },
    },
  }),
];
