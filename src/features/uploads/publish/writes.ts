import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Failure, LOOK_FIRST, toFailureObject } from "../../../core/failures.ts";
import { addSeconds } from "../../../core/time.ts";
import { orm, type Query, sqlWrite } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import type { Bookmark, PublishedPost } from "../../../platforms/connector.ts";
import { countFailure, forgetFailures } from "../../accounts/repo.ts";
import { refundAttempt, refundable } from "../../credits/repo.ts";
import { emitIfChanged } from "../../events/emit.ts";
import { isWithinLookAhead, LEASE_SECONDS, type Stage, type UploadStatus } from "../rules.ts";
import { type UploadRow, uploads } from "../table.ts";
import { wake } from "./wake.ts";

/** Somebody else has taken the job since; whatever we were about to write is dropped. */
export class LostLease extends Error {}

const sameFence = ({ id, fence }: UploadRow) => and(eq(uploads.id, id), eq(uploads.fence, fence));

/** Credits over all attempts, as the database adds them up. */
type Credits = Partial<Record<"creditsSpent" | "creditsRefunded", SQL>>;

const fenced = (upload: UploadRow, set: Partial<UploadRow>, credits: Credits): Query<number> =>
  sqlWrite(
    orm
      .update(uploads)
      .set({ ...set, ...credits })
      .where(and(sameFence(upload), eq(uploads.status, upload.status))),
  );

/**
 * Writes where the job stands, under its fence.
 *
 * @throws LostLease
 */
export async function save(
  deps: Deps,
  upload: UploadRow,
  set: Partial<UploadRow>,
  alongside: Query<unknown>[] = [],
  credits: Credits = {},
): Promise<UploadRow> {
  const [changed] = await deps.db.runAll<unknown>([fenced(upload, set, credits), ...alongside]);
  if (changed !== 1) throw new LostLease();
  return { ...upload, ...set };
}

/** For what else is written while the job is in our hands. */
export const renewedLease = (now: Date) => ({ leaseUntil: addSeconds(now, LEASE_SECONDS) });

/**
 * Keeps the job while a step lasts; until when. Whoever took the job since keeps it.
 *
 * @throws LostLease
 */
export async function renewLease(deps: Deps, upload: UploadRow): Promise<Date> {
  const renewed = renewedLease(deps.now());
  await save(deps, upload, renewed);
  return renewed.leaseUntil;
}

/** A step is done: its bookmark is stored before the next one, which begins with all its back-offs. */
export function saveProgress(deps: Deps, upload: UploadRow, bookmark: Bookmark) {
  const now = deps.now();
  return save(deps, upload, { bookmark, progressedAt: now, backoffs: 0, ...renewedLease(now) });
}

/** Says that the call which cannot be undone is about to be made, and how many of them that makes. */
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
  if (wokenAt) await wake(deps, upload.id, at);
}

/** This invocation has spent its budget; the next message goes on from the stored bookmark. */
export async function handOver(deps: Deps, upload: UploadRow): Promise<void> {
  const now = deps.now();
  await save(deps, upload, { leaseUntil: null, wokenAt: now, stage: upload.stage });
  await wake(deps, upload.id, now);
}

/** The post is out: outcome and event in one batch. `hadFailures`: of its account, to be forgotten. */
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
    statusGroup: "completed",
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
  const alongside = hadFailures ? [event, forgetFailures(upload.accountId)] : [event];
  await save(deps, upload, set, alongside);
  deps.log({ event: "upload.completed", uploadId: upload.id, platform: upload.platform });
}

const NOTHING_GIVEN = { credits: {}, refund: [] };

/** What a post on X gets back with the write that gives its job `status`, by which the attempt is over. */
function givingBack(deps: Deps, upload: UploadRow, status: UploadStatus) {
  const given = refundable(upload);
  return {
    credits: {
      creditsSpent: sql`coalesce(${uploads.creditsSpent}, 0)`,
      creditsRefunded: sql`coalesce(${uploads.creditsRefunded}, 0) + ${given}`,
    },
    refund: refundAttempt(deps.now(), upload, status),
  };
}

/**
 * The attempt is over: outcome and event in one batch. Its place under the daily cap and its credits are
 * given back, unless the post may be out there all the same.
 */
export async function fail(
  deps: Deps,
  upload: UploadRow,
  failure: Failure,
  alongside: Query<number>[] = [],
): Promise<void> {
  const mayBePublished = failure.code === "platform_processing_timeout";
  const errorMessage = mayBePublished
    ? `${failure.message.replace(/[^.!?]$/, "$&.")} ${LOOK_FIRST}`
    : failure.message;
  const set: Partial<UploadRow> = {
    status: "failed",
    statusGroup: "failed",
    dueAt: null,
    leaseUntil: null,
    failedAt: deps.now(),
    failureCode: failure.code,
    errorMessage,
    ...(mayBePublished ? {} : { countedAt: null }),
  };
  const event = emitIfChanged(deps, {
    team: upload.teamId,
    name: "upload.failed",
    data: {
      uploadId: upload.id,
      platform: upload.platform,
      accountId: upload.accountId,
      status: "failed",
      errorMessage,
      failure: toFailureObject(failure.code),
    },
  });
  const gives = upload.platform === "x" && !mayBePublished;
  const { credits, refund } = gives ? givingBack(deps, upload, "failed") : NOTHING_GIVEN;
  const all = [event, ...refund, countFailure(upload.accountId), ...alongside];
  await save(deps, upload, set, all, credits);
  deps.log({
    event: "upload.failed",
    uploadId: upload.id,
    platform: upload.platform,
    code: failure.code,
  });
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
    restarts: upload.restarts,
    errorMessage: message,
  });
}

/**
 * The content is not what was approved: back to the people who decide. What was paid on X is given back,
 * and what is approved then is another attempt, which pays anew.
 */
export async function holdForApproval(deps: Deps, upload: UploadRow): Promise<void> {
  const set: Partial<UploadRow> = {
    status: "pending_approval",
    statusGroup: "pending_approval",
    dueAt: null,
    leaseUntil: null,
    countedAt: null,
    approvedHash: null,
  };
  if (upload.creditsSpent === null) {
    await save(deps, upload, set);
    return;
  }
  const { credits, refund } = givingBack(deps, upload, "pending_approval");
  await save(deps, upload, { ...set, attempt: upload.attempt + 1 }, refund, credits);
}
