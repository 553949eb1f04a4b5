import type { SQL } from "drizzle-orm";
import type { Query } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { emitIfChanged } from "../../events/repo.ts";
import type { UploadRow } from "../table.ts";

/** Announces a planned post, if the statement just before it in the batch stored or moved it. */
export const emitScheduled = (
  deps: Pick<Deps, "newEventId" | "now">,
  { teamId, platform, accountId }: Pick<UploadRow, "teamId" | "platform" | "accountId">,
  uploadId: number | SQL,
  scheduledFor: Date,
): Query<number> =>
  emitIfChanged(deps, {
    team: teamId,
    name: "upload.scheduled",
    data: { uploadId, platform, accountId, scheduledFor: scheduledFor.toISOString() },
  });
