import { addSeconds } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Bookmark, PublishedPost } from "../../platforms/connector.ts";
import { lazily } from "../../platforms/kit/lazily.ts";
import { wakePost } from "../../queue/wake.ts";
import { forgetFailures } from "../accounts/repo/failures.ts";
import { emitIfChanged } from "../events/repo.ts";
import { isWithinLookAhead, type Stage } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { renewedLease, save } from "./save.ts";

/** The ends that few posts come to, loaded with the first of them. */
export const { fail, holdForApproval } = lazily(
  () => import("./failing.ts"),
  "fail",
  "holdForApproval",
);

/**
 * A step is done: its bookmark is stored before the next one, which begins with all its back-offs. Runs that broke
 * off before do not count any more: a large file outlives many of them.
 */
export function saveProgress(
  deps: Deps,
  upload: UploadRow,
  reached: Pick<UploadRow, "bookmark" | "sentBytes">,
) {
  const now = deps.now();
  const anew = { backoffs: 0, crashes: 0 };
  return save(deps, upload, { ...reached, ...anew, progressedAt: now, ...renewedLease(now) });
}

/** Notes that the call which cannot be undone is about to be made, and how many of them that makes. */
export function enterSubmit(deps: Deps, upload: UploadRow, bookmark: Bookmark) {
  const now = deps.now();
  return save(deps, upload, {
    stage: "submitting",
    submittedAt: now,
    submits: upload.submits + 1,
    bookmark,
    ...renewedLease(now),
  });
}

/** Lets go of the job until `at`. */
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

/** This invocation has spent its budget; the next message goes on from the stored bookmark. */
export async function handOver(deps: Deps, upload: UploadRow): Promise<void> {
  const now = deps.now();
  await save(deps, upload, { leaseUntil: null, wokenAt: now, stage: upload.stage });
  await wakePost(deps, upload.id, now);
}

/** Ends an attempt as completed, with its event. `hadFailures`: its account has some, to be forgotten. */
export async function complete(
  deps: Deps,
  upload: UploadRow,
  { platformPostId, shareUrl, warnings = [] }: PublishedPost,
  hadFailures: boolean,
): Promise<void> {
  const missed = upload.media.flatMap((item) =>
    item.role === "thumbnail" && "url" in item
      ? [`The thumbnail at ${item.url} was left out.`]
      : [],
  );
  const told = [...missed, ...warnings];
  const metadata = {
    videoId: platformPostId,
    shareUrl,
    ...(told.length > 0 ? { warnings: told } : {}),
  };
  const set = {
    status: "completed",
    dueAt: null,
    leaseUntil: null,
    uploadedAt: deps.now(),
    metadata,
    errorMessage: null,
  } as const;
  const event = emitIfChanged(deps, {
    team: upload.teamId,
    name: "upload.completed",
    data: {
      uploadId: upload.id,
      platform: upload.platform,
      accountId: upload.accountId,
      status: "completed",
      metadata,
    },
  });
  const alongside = hadFailures ? [event, forgetFailures({ id: upload.accountId })] : [event];
  await save(deps, upload, set, alongside);
  deps.log({ event: "upload.completed", uploadId: upload.id, platform: upload.platform });
}

/** Back in the queue after a transient failure before the irreversible call. */
export function backOff(
  deps: Deps,
  upload: UploadRow,
  afterSeconds: number,
  message: string,
  bookmark: Bookmark | null,
): Promise<void> {
  return park(deps, upload, addSeconds(deps.now(), afterSeconds), {
    status: "pending",
    stage: "preparing" satisfies Stage,
    bookmark,
    submittedAt: null,
    countedAt: null,
    backoffs: upload.backoffs + 1,
    submits: upload.submits,
    restarts: upload.restarts,
    errorMessage: message,
  });
}
