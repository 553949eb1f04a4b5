import { type Failure, PublishFailure } from "../../core/failures.ts";
import { addSeconds, secondsBetween } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type {
  Bookmark,
  Connector,
  Prepared,
  PublishJob,
  Reconciled,
  Refused,
  Settled,
  Submitted,
  Waiting,
} from "../../platforms/connector.ts";
import type { AccountRow } from "../accounts/table.ts";
import { pullRefusal } from "../compose/verified-pull.ts";
import type { MediaRow } from "../media/repo.ts";
import {
  CAP_WINDOW_MS,
  loginBackoff,
  MAX_RESTARTS,
  nextBackoff,
  resubmitWait,
} from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { endAttempt } from "./end-attempt.ts";
import { endingBy } from "./job.ts";
import { sentBytesOf } from "./progress.ts";
import { otherPostsShownAs } from "./repo/jobs.ts";
import { isOverdue, neverFinished, reconcileAt, unavailable } from "./verdicts.ts";
import { backOff, complete, enterSubmit, fail, park, saveProgress } from "./writes.ts";

/** A look-up or poll that had no answer is repeated after this. */
const ASK_AGAIN_SECONDS = 30;

/** The job in our hands. `upload` is always the row as we last wrote it. */
export interface Held {
  upload: UploadRow;
  account: AccountRow;
  media: MediaRow[];
  connector: Connector;
  /** The access token the platform refused in this run; a second refusal is final. */
  staleToken: string | null;
}

/** The result of a step: the job as it goes on in this run, or the end of it for now. */
export type Next = Held | "over";

export const over = async (writing: Promise<unknown>): Promise<"over"> => {
  await writing;
  return "over";
};

/** Retries the step after the next back-off, since doing it again is safe; fails the post when none is left. */
export async function repeatLater(
  deps: Deps,
  held: Held,
  failure: Failure,
  bookmark: Bookmark | null = held.upload.bookmark,
): Promise<"over"> {
  const { upload } = held;
  if (upload.stage !== "preparing") return askAgain(deps, held, failure.message);
  // Steps begin with all their back-offs; how often the last call was made is never forgotten.
  const wait = nextBackoff(Math.max(upload.backoffs, upload.submits - 1));
  if (wait === null) return over(fail(deps, upload, failure));
  const afterSeconds = Math.max(wait, failure.retryAfterSeconds ?? 0);
  return over(backOff(deps, upload, afterSeconds, failure.message, bookmark));
}

/** Waits for the account's login, which could not be renewed for now. Takes none of the platform's back-offs. */
export async function awaitLogin(deps: Deps, held: Held, message: string): Promise<"over"> {
  const { upload } = held;
  if (upload.stage !== "preparing") return askAgain(deps, held, message);
  const now = deps.now();
  const wait = loginBackoff(upload.backoffs, secondsBetween(upload.progressedAt ?? now, now));
  if (wait === null) return over(fail(deps, upload, unavailable(message)));
  const uncounted = { ...upload, backoffs: Math.max(0, upload.backoffs - 1) };
  return over(backOff(deps, uncounted, wait, message, upload.bookmark));
}

/** A poll or look-up without an answer: again in a while, until there was no progress for too long. */
async function askAgain(deps: Deps, held: Held, message: string): Promise<"over"> {
  const { upload } = held;
  if (isOverdue(upload, deps.now())) return over(fail(deps, upload, neverFinished(message)));
  return over(park(deps, upload, addSeconds(deps.now(), ASK_AGAIN_SECONDS)));
}

export async function prepare(deps: Deps, held: Held, job: PublishJob): Promise<Next> {
  const { upload, connector } = held;
  if (upload.bookmark === null) {
    const [problem] = await connector.check(job.post, { now: deps.now() });
    if (problem) throw new PublishFailure({ code: "media_invalid", message: problem.message });
    const unfetched = pullRefusal(deps, held.account, job.post);
    if (unfetched) throw new PublishFailure({ code: "media_unreachable", message: unfetched });
  }
  const step = await answerOf<Prepared>(connector.prepare(job, upload.bookmark));
  if (step.kind === "no_answer") return repeatLater(deps, held, unavailable(step.message));
  switch (step.kind) {
    case "next":
      return { ...held, upload: await saveProgress(deps, upload, await reachedBy(held, step)) };
    case "ready":
      return submit(deps, held, job, step.bookmark);
    case "waiting":
      return wait(deps, held, step);
    case "failed":
      return refused(deps, held, step);
    case "token_expired":
      return refreshed(deps, held, job);
  }
}

const reachedBy = async (
  { connector, upload, media }: Held,
  { bookmark }: { bookmark: Bookmark },
) => ({
  bookmark,
  sentBytes: await sentBytesOf(connector, upload, media, bookmark),
});

/**
 * The one call that cannot be undone. It is entered once per intent, never again blindly, and four times
 * at most.
 */
async function submit(deps: Deps, held: Held, job: PublishJob, bookmark: Bookmark): Promise<Next> {
  if (resubmitWait(held.upload.submits) === null) {
    const message = held.upload.errorMessage ?? "The platform did not take the post.";
    return over(fail(deps, held.upload, unavailable(message)));
  }
  const entered: Held = { ...held, upload: await enterSubmit(deps, held.upload, bookmark) };
  const { timing } = held.connector;
  const callEnd = addSeconds(entered.upload.submittedAt ?? new Date(0), timing.callSeconds);
  const call = held.connector.submit(endingBy(job, callEnd), bookmark);
  const step = await answerOf<Submitted>(call);
  switch (step.kind) {
    case "published":
      return over(complete(deps, entered.upload, step, held.account.failureCount > 0));
    case "waiting":
      return wait(deps, { ...entered, upload: { ...entered.upload, stage: "settling" } }, step);
    case "failed":
      return refused(deps, nothingCreated(entered), step);
    case "token_expired":
      return refreshed(deps, neverEntered(entered), job);
    case "unknown":
    case "no_answer":
      return over(
        park(deps, entered.upload, reconcileAt(entered.upload, held.connector.timing), {
          errorMessage: step.message,
        }),
      );
  }
}

/** The platform refused in so many words: the intent led to nothing, and may be repeated. */
const nothingCreated = (held: Held): Held => ({
  ...held,
  upload: { ...held.upload, stage: "preparing" },
});

/** The platform looked at the login and no further: the call does not count among the four. */
function neverEntered(held: Held): Held {
  const { upload } = nothingCreated(held);
  return { ...held, upload: { ...upload, submits: upload.submits - 1 } };
}

export async function reconcile(deps: Deps, held: Held, job: PublishJob): Promise<Next> {
  const { upload, connector } = held;
  const bookmark = upload.bookmark ?? {};
  const found = await answerOf<Reconciled>(connector.reconcile(job, bookmark));
  deps.log({ event: "publish.reconciled", uploadId: upload.id, found: found.kind });
  switch (found.kind) {
    case "published":
      if (await isTaken(deps, upload, found.platformPostId)) {
        const message =
          "The platform shows a post like this one, but it belongs to another upload of the account.";
        return over(fail(deps, upload, neverFinished(message)));
      }
      return over(complete(deps, upload, found, held.account.failureCount > 0));
    case "waiting":
      return wait(deps, { ...held, upload: { ...upload, stage: "settling" } }, found);
    case "token_expired":
      return refreshed(deps, held, job);
    case "unknowable":
      return over(fail(deps, upload, neverFinished(found.message)));
    case "no_answer":
      return askAgain(deps, held, found.message);
    case "absent": {
      const wait = resubmitWait(upload.submits);
      const message = upload.errorMessage ?? "The platform did not answer.";
      if (wait === null || isOverdue(upload, deps.now())) {
        return over(fail(deps, upload, unavailable(message)));
      }
      // After a wait, the platform is asked once more before the next call.
      const at = addSeconds(upload.submittedAt ?? new Date(0), wait);
      if (at > deps.now()) return over(park(deps, upload, at));
      return submit(deps, held, job, bookmark);
    }
  }
}

/** Returns true when the post that was found at the platform is known as another of ours. */
async function isTaken(
  deps: Deps,
  { id, accountId }: UploadRow,
  platformPostId: string,
): Promise<boolean> {
  const since = new Date(deps.now().getTime() - CAP_WINDOW_MS);
  const [others] = await deps.db.run([otherPostsShownAs({ id, accountId, platformPostId, since })]);
  return others.length > 0;
}

export async function settle(deps: Deps, held: Held, job: PublishJob): Promise<Next> {
  const { upload, connector } = held;
  if (!connector.settle) throw new Error(`${connector.platform} has nothing to settle.`);
  const step = await answerOf<Settled>(connector.settle(job, upload.bookmark ?? {}));
  switch (step.kind) {
    case "published":
      return over(complete(deps, upload, step, held.account.failureCount > 0));
    case "waiting":
      return wait(deps, held, step);
    case "failed":
      return step.transient
        ? askAgain(deps, held, step.failure.message)
        : endAttempt(deps, held, step.failure, true);
    case "token_expired":
      return refreshed(deps, held, job);
    case "no_answer":
      return askAgain(deps, held, step.message);
  }
}

interface NoAnswer {
  kind: "no_answer";
  message: string;
}

/** A step's result; a broken connection or a timeout is no answer. A final failure is thrown on. */
async function answerOf<Step>(step: Promise<Step>): Promise<Step | NoAnswer> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof PublishFailure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "no_answer", message: `The platform did not answer: ${reason}`.slice(0, 500) };
  }
}

function wait(deps: Deps, held: Held, { bookmark, checkAfterSeconds }: Waiting): Promise<"over"> {
  const { upload } = held;
  const hasMoved = JSON.stringify(bookmark) !== JSON.stringify(upload.bookmark);
  if (!hasMoved && isOverdue(upload, deps.now())) {
    const message = "The platform did not finish processing in time; the post may still appear.";
    return over(fail(deps, upload, neverFinished(message)));
  }
  const at = addSeconds(deps.now(), checkAfterSeconds);
  const { stage } = upload;
  const progress = hasMoved ? { progressedAt: deps.now() } : {};
  return over(park(deps, upload, at, { stage, bookmark, ...progress }));
}

function refused(deps: Deps, held: Held, step: Refused): Promise<"over"> {
  const { upload } = held;
  if (!step.transient) return endAttempt(deps, held, step.failure);
  if (!step.restart) return repeatLater(deps, held, step.failure);
  // Every new beginning makes progress, so it is not the back-offs that would end this.
  if (upload.restarts >= MAX_RESTARTS) return over(fail(deps, upload, step.failure));
  const restarted = { ...held, upload: { ...upload, restarts: upload.restarts + 1 } };
  return repeatLater(deps, restarted, step.failure, null);
}

/** The next step begins with a refresh; a token refused again right after one is a lost login. */
async function refreshed(deps: Deps, held: Held, job: PublishJob): Promise<Next> {
  if (held.staleToken === null) return { ...held, staleToken: job.accessToken };
  const failure: Failure = {
    code: "account_disconnected",
    message: "The platform refuses the account's login. Reconnect the account.",
  };
  return endAttempt(deps, held, failure);
}
