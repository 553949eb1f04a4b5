import { addSeconds } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Bookmark } from "../../platforms/connector.ts";
import { lazily } from "../../platforms/kit/lazily.ts";
import { wakePost } from "../../queue/wake.ts";
import { forgetFailures } from "../accounts/repo.ts";
import { isWithinLookAhead, type Stage } from "../posts/rules.ts";
import type { UploadMetadata, UploadRow } from "../posts/table.ts";
import { completion } from "./completion.ts";
import { postLine } from "./log.ts";
import { renewedLease, save } from "./save.ts";

export const { fail, holdForApproval } = lazily(
  () => import("./failing.ts"),
  "fail",
  "holdForApproval",
);

/** Resets back-offs and crashes, because a large file takes many runs. */
export function saveProgress(
  deps: Deps,
  upload: UploadRow,
  reached: Pick<UploadRow, "bookmark" | "sentBytes">,
) {
  const now = deps.now();
  const anew = { backoffs: 0, crashes: 0 };
  return save(deps, upload, { ...reached, ...anew, progressedAt: now, ...renewedLease(now) });
}

/**
 * Stores that the post is about to be created, before the irreversible call. Repeats a write whose answer was lost: if
 * it was stored, it counts a call that was never made.
 */
export function enterSubmit(deps: Deps, upload: UploadRow, bookmark: Bookmark): Promise<UploadRow> {
  const now = deps.now();
  const write = () =>
    save(deps, upload, {
      stage: "submitting",
      submittedAt: now,
      submits: upload.submits + 1,
      bookmark,
      ...renewedLease(now),
    });
  return write().catch((error: Error) => {
    if (!error.message.startsWith("D1_ERROR")) throw error;
    return write();
  });
}

export async function park(
  deps: Deps,
  upload: UploadRow,
  at: Date,
  set: Partial<UploadRow> = {},
): Promise<void> {
  const wokenAt = isWithinLookAhead(at, deps.now()) ? at : null;
  const { stage } = upload;
  await save(deps, upload, { leaseUntil: null, dueAt: at, wokenAt, stage, ...set });
  if (wokenAt) await wakePost(deps, upload.id, at);
}

/** Ends the run when its subrequests are used up; the next message continues. */
export async function handOver(deps: Deps, upload: UploadRow): Promise<void> {
  const now = deps.now();
  await save(deps, upload, { leaseUntil: null, wokenAt: now, stage: upload.stage });
  await wakePost(deps, upload.id, now);
}

/** @param hadFailures the account has failures to reset */
export async function complete(
  deps: Deps,
  upload: UploadRow,
  { metadata, ...also }: Partial<UploadRow> & { metadata: UploadMetadata },
  hadFailures: boolean,
): Promise<void> {
  const { set, event } = completion(deps, upload, metadata);
  const alongside = hadFailures ? [event, forgetFailures({ id: upload.accountId })] : [event];
  await save(deps, upload, { ...set, ...also }, alongside);
  deps.log(postLine("upload.completed", upload));
}

export function backOff(
  deps: Deps,
  upload: UploadRow,
  afterSeconds: number,
  message: string,
  bookmark: Bookmark | null,
): Promise<void> {
  return park(deps, upload, addSeconds(deps.now(), afterSeconds), {
    // A post that is out, with parts to follow, can be neither cancelled nor failed.
    ...(upload.part === 0 ? { status: "pending" as const } : {}),
    stage: "preparing" satisfies Stage,
    bookmark,
    submittedAt: null,
    ...(upload.part === 0 ? { countedAt: null } : {}),
    backoffs: upload.backoffs + 1,
    submits: upload.submits,
    restarts: upload.restarts,
    errorMessage: message,
  });
}
