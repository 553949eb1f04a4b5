import type { Failure } from "../../core/failures.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { wakePost } from "../../queue/wake.ts";
import { countFailure } from "../accounts/repo.ts";
import { downloadDue } from "../content/files.ts";
import { creditRefund, failAttempt } from "../ending/repo.ts";
import { NO_APPROVAL } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { postLine } from "./log.ts";
import { LostLease, save } from "./save.ts";

/** @throws LostLease */
export async function fail(
  deps: Deps,
  upload: UploadRow,
  failure: Failure,
  alongside: Query<number>[] = [],
): Promise<void> {
  if (upload.part > 0) {
    const { failPart } = await import("./fail-part.ts");
    return failPart(deps, upload, failure, alongside);
  }
  const [changed] = await deps.db.runAll([
    ...failAttempt(deps, upload, failure),
    countFailure({ id: upload.accountId }),
    ...alongside,
  ]);
  if (changed !== 1) throw new LostLease();
  deps.log(postLine("upload.failed", upload, { code: failure.code }));
}

/** Returns a post with unapproved content to approval and refunds its X credits. */
export async function holdForApproval(deps: Deps, upload: UploadRow): Promise<void> {
  const set: Partial<UploadRow> = {
    status: "pending_approval",
    ...downloadDue(upload, deps.now()),
    leaseUntil: null,
    countedAt: null,
    ...NO_APPROVAL,
  };
  if (upload.creditsSpent === null) {
    await save(deps, upload, set);
  } else {
    const { changes, refund } = creditRefund(deps.now(), upload, "pending_approval");
    await save(deps, upload, { ...set, attempt: upload.attempt + 1 }, refund, changes);
  }
  if (set.wokenAt) await wakePost(deps, upload.id, set.wokenAt);
}
