import { sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { emitIfChanged } from "../events/repo.ts";
import { changeFacts, isHeld, isPublishedAndFree, type Lease } from "../posts/repo/write.ts";
import type { RemovedPost, UploadRow } from "../posts/table.ts";

export const claimRemoval = ({ id }: UploadRow, now: Date, until: Date): Query<number> =>
  sqlWrite(
    changeFacts(
      {
        unpublishStartedAt: sql`coalesce(u.unpublish_started_at, ${now.getTime()})`,
        unpublishLeaseUntil: until,
      },
      isPublishedAndFree(id, now),
    ),
  );

export const keepProgress = (lease: Lease, removals: RemovedPost[], until: Date): Query<number> =>
  sqlWrite(changeFacts({ removals, unpublishLeaseUntil: until }, isHeld(lease)));

export const releaseRemoval = (lease: Lease, isOpen: boolean): Query<number> =>
  sqlWrite(
    changeFacts(
      {
        unpublishLeaseUntil: null,
        ...(isOpen
          ? {}
          : { unpublishStartedAt: sql`iif(u.removals IS NULL, NULL, u.unpublish_started_at)` }),
      },
      isHeld(lease),
    ),
  );

export function finishRemoval(
  deps: Pick<Deps, "newEventId" | "now">,
  { teamId, platform, accountId, metadata }: UploadRow,
  lease: Lease,
  removals: RemovedPost[],
): Query<number>[] {
  const now = deps.now();
  return [
    sqlWrite(
      changeFacts({ removals, unpublishedAt: now, unpublishLeaseUntil: null }, isHeld(lease)),
    ),
    emitIfChanged(deps, {
      team: teamId,
      name: "upload.unpublished",
      data: {
        uploadId: lease.id,
        platform,
        accountId,
        unpublishedAt: now.toISOString(),
        metadata: metadata ?? { videoId: "", shareUrl: null },
      },
    }),
  ];
}
