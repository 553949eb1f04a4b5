import { type Failure, PublishFailure } from "../../core/failures.ts";
import { asSentence } from "../../core/text.ts";
import { addSeconds, secondsBetween } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type {
  Bookmark,
  Connector,
  Prepared,
  PublishedPost,
  PublishJob,
  Reconciled,
  Refused,
  Settled,
  Submitted,
  Waiting,
} from "../../platforms/connector.ts";
import { stepsOf } from "../../platforms/follow-ups.ts";
import type { LoginRefusal } from "../../platforms/login.ts";
import type { AccountRow } from "../accounts/table.ts";
import { pullRefusal } from "../content/files.ts";
import { CAP_WINDOW_MS } from "../limits/rules.ts";
import { targetOfJob } from "../logins/platform-access.ts";
import type { MediaRow } from "../media/repo.ts";
import { currentPart } from "../posts/parts.ts";
import type { UploadRow } from "../posts/table.ts";
import { metadataOf } from "./completion.ts";
import { endAttempt } from "./end-attempt.ts";
import { endingBy, filesOf } from "./job.ts";
import { postLine } from "./log.ts";
import { otherPostsShownAs } from "./repo/jobs.ts";
import {
  isPartWait,
  LOGIN_PATIENCE_SECONDS,
  loginBackoff,
  MAX_RESTARTS,
  nextBackoff,
  resubmitWait,
} from "./rules.ts";
import { isOverdue, reconcileAt, restoredAbsent, unavailable, undecided } from "./verdicts.ts";
import { backOff, complete, enterSubmit, fail, park, saveProgress } from "./writes.ts";

const ASK_AGAIN_SECONDS = 30;

/** `upload` is the row as this run last wrote it. */
export interface Claim {
  upload: UploadRow;
  account: AccountRow;
  media: MediaRow[];
  connector: Connector;
  /** The access token that the platform refused in this run; a second refusal is final. */
  staleToken: string | null;
}

/** `over`: this run is done with the job. */
export type Next = Claim | "over";

export const over = async (writing: Promise<unknown>): Promise<"over"> => {
  await writing;
  return "over";
};

/** False for posts that may be out already. */
const isToBeSent = ({ stage, backedUpAt }: UploadRow): boolean =>
  stage === "preparing" && backedUpAt === null;

/** The post fails when no back-off is left. */
export async function repeatLater(
  deps: Deps,
  claim: Claim,
  failure: Failure,
  bookmark: Bookmark | null = claim.upload.bookmark,
): Promise<"over"> {
  const { upload } = claim;
  if (!isToBeSent(upload)) return askAgain(deps, claim, failure.message);
  // A new step gets all back-offs again, but calls that create the post stay counted.
  const wait = nextBackoff(Math.max(upload.backoffs, upload.submits - 1));
  if (wait === null) return over(fail(deps, upload, failure));
  const afterSeconds = Math.max(wait, failure.retryAfterSeconds ?? 0);
  await backOff(deps, upload, afterSeconds, failure.message, bookmark);
  deps.log(postLine("upload.backed_off", upload, { code: failure.code, afterSeconds }));
  return "over";
}

/** Retries later, because the login could not be renewed. Uses up no back-off. */
export async function awaitLogin(
  deps: Deps,
  claim: Claim,
  { message, retryAfterSeconds = 0 }: LoginRefusal,
): Promise<"over"> {
  const { upload } = claim;
  const requested = Math.min(retryAfterSeconds, LOGIN_PATIENCE_SECONDS);
  if (!isToBeSent(upload)) return askAgain(deps, claim, message, requested);
  const now = deps.now();
  const wait = loginBackoff(upload.backoffs, secondsBetween(upload.progressedAt ?? now, now));
  if (wait === null) return over(fail(deps, upload, unavailable(message)));
  const uncounted = { ...upload, backoffs: Math.max(0, upload.backoffs - 1) };
  const afterSeconds = Math.max(wait, requested);
  await backOff(deps, uncounted, afterSeconds, message, upload.bookmark);
  deps.log(postLine("upload.awaits_login", upload, { afterSeconds }));
  return "over";
}

/** Asks again later, until there was no progress for too long. */
async function askAgain(
  deps: Deps,
  claim: Claim,
  message: string,
  leastSeconds = 0,
): Promise<"over"> {
  const { upload } = claim;
  if (isOverdue(upload, deps.now())) {
    return over(fail(deps, upload, undecided(upload, withReply(upload, message))));
  }
  const wait = Math.max(ASK_AGAIN_SECONDS, leastSeconds);
  return over(park(deps, upload, addSeconds(deps.now(), wait)));
}

const NO_ANSWER = "The platform did not answer: ";

/** Keeps what the platform answered to the call that made the part. */
function withReply({ part, errorMessage }: UploadRow, message: string): string {
  if (part === 0 || errorMessage === null || errorMessage.startsWith(NO_ANSWER)) return message;
  return `${asSentence(errorMessage)} ${message}`;
}

const stepsFor = ({ connector, upload }: Claim) =>
  stepsOf(connector, currentPart(upload)?.kind ?? null);

async function out(deps: Deps, claim: Claim, post: PublishedPost): Promise<Next> {
  const { upload, account } = claim;
  if (upload.parts === null) {
    const metadata = metadataOf(upload, post);
    return over(complete(deps, upload, { metadata }, account.failureCount > 0));
  }
  const { goOn } = await import("./next-part.ts");
  const next = await goOn(deps, upload, post, account.failureCount > 0);
  return next ? { ...claim, upload: next } : "over";
}

export async function prepare(deps: Deps, claim: Claim, job: PublishJob): Promise<Next> {
  const { upload, connector } = claim;
  if (upload.bookmark === null && upload.part === 0) {
    const [problem] = await connector.check(job.post, targetOfJob(job));
    if (problem) throw new PublishFailure({ code: "media_invalid", message: problem.message });
    const unfetched = pullRefusal(deps, claim.account, job.post);
    if (unfetched) throw new PublishFailure({ code: "media_unreachable", message: unfetched });
  }
  const step = await answerOf<Prepared>(stepsFor(claim).prepare(job, upload.bookmark));
  if (step.kind === "no_answer") return repeatLater(deps, claim, unavailable(step.message));
  switch (step.kind) {
    case "next":
      return { ...claim, upload: await saveProgress(deps, upload, await reachedBy(claim, step)) };
    case "ready":
      return submit(deps, claim, job, step.bookmark);
    case "waiting":
      return wait(deps, claim, step);
    case "failed":
      return refused(deps, claim, step);
    case "token_expired":
      return refreshed(deps, claim, job);
    default:
      return step satisfies never;
  }
}

/** `sentBytes` never decreases within an attempt; it stays where the platform reports none. */
async function reachedBy(
  { connector, upload, media }: Claim,
  { bookmark }: { bookmark: Bookmark },
) {
  if (upload.part > 0) return { bookmark, sentBytes: upload.sentBytes };
  const items = filesOf(
    upload.media.filter(({ role }) => role === undefined),
    media,
  );
  const now = (await connector.sentBytes?.(bookmark, items)) ?? null;
  const before = upload.sentBytes;
  return { bookmark, sentBytes: now === null ? before : Math.max(before ?? 0, now) };
}

/** Makes the irreversible call that creates the post, at most four times. */
async function submit(
  deps: Deps,
  claim: Claim,
  job: PublishJob,
  bookmark: Bookmark,
): Promise<Next> {
  if (resubmitWait(claim.upload.submits) === null) {
    const message = claim.upload.errorMessage ?? "The platform did not take the post.";
    return over(fail(deps, claim.upload, unavailable(message)));
  }
  const entered: Claim = { ...claim, upload: await enterSubmit(deps, claim.upload, bookmark) };
  const { timing } = claim.connector;
  const callEnd = addSeconds(entered.upload.submittedAt ?? new Date(0), timing.callSeconds);
  const call = stepsFor(claim).submit(endingBy(job, callEnd), bookmark);
  const step = await answerOf<Submitted>(call);
  switch (step.kind) {
    case "published":
      return out(deps, entered, step);
    case "waiting":
      return wait(deps, { ...entered, upload: { ...entered.upload, stage: "settling" } }, step);
    case "failed":
      return refused(deps, nothingCreated(entered), step);
    case "token_expired":
      return refreshed(deps, neverEntered(entered), job);
    case "unknown":
    case "no_answer":
      return over(
        park(deps, entered.upload, reconcileAt(entered.upload, claim.connector.timing), {
          errorMessage: step.message,
        }),
      );
    default:
      return step satisfies never;
  }
}

const nothingCreated = (claim: Claim): Claim => ({
  ...claim,
  upload: { ...claim.upload, stage: "preparing" },
});

/** A call with a refused login does not count towards the limit of four calls. */
function neverEntered(claim: Claim): Claim {
  const { upload } = nothingCreated(claim);
  return { ...claim, upload: { ...upload, submits: upload.submits - 1 } };
}

export function reconcile(deps: Deps, claim: Claim, job: PublishJob): Promise<Next> {
  const asking = stepsFor(claim).reconcile(job, claim.upload.bookmark ?? {});
  return judge(deps, claim, job, asking);
}

/** Looks up a restored post. It is never sent, because the bookmark of its backup does not say what happened since. */
export async function lookUpRestored(deps: Deps, claim: Claim, job: PublishJob): Promise<Next> {
  const { upload, connector } = claim;
  const { part, scheduledFor, createdAt, backedUpAt } = upload;
  if (part > 0 || !connector.findPublished) {
    const message = `${connector.name} cannot be asked whether it has this post.`;
    return over(fail(deps, upload, undecided(upload, message)));
  }
  const times = [scheduledFor ?? createdAt, backedUpAt ?? createdAt].map(Number);
  const since = new Date(Math.min(...times));
  return judge(deps, claim, job, connector.findPublished(job, since));
}

async function judge(
  deps: Deps,
  claim: Claim,
  job: PublishJob,
  asking: Promise<Reconciled>,
): Promise<Next> {
  const { upload, connector } = claim;
  const answer = await answerOf<Reconciled>(asking);
  deps.log(postLine("upload.looked_for", upload, { found: answer.kind }));
  switch (answer.kind) {
    case "published":
      if (await isTaken(deps, upload, answer.platformPostId)) {
        const message =
          "The platform shows a post like this one, but it belongs to another upload of the account.";
        return over(fail(deps, upload, undecided(upload, message)));
      }
      return out(deps, claim, answer);
    case "waiting":
      return wait(deps, { ...claim, upload: { ...upload, stage: "settling" } }, answer);
    case "token_expired":
      return refreshed(deps, claim, job);
    case "unknowable":
      return over(fail(deps, upload, undecided(upload, withReply(upload, answer.message))));
    case "no_answer":
      return askAgain(deps, claim, answer.message);
    case "absent": {
      if (upload.backedUpAt !== null)
        return over(fail(deps, upload, restoredAbsent(connector.name)));
      const wait = resubmitWait(upload.submits);
      const message = upload.errorMessage ?? "The platform did not answer.";
      if (wait === null) return over(fail(deps, upload, unavailable(message)));
      // After the wait, the platform is asked again before the next call.
      const at = addSeconds(upload.submittedAt ?? new Date(0), wait);
      if (at > deps.now()) return over(park(deps, upload, at));
      return submit(deps, claim, job, upload.bookmark ?? {});
    }
    default:
      return answer satisfies never;
  }
}

/** True when another post of the account has this id at the platform. */
async function isTaken(
  deps: Deps,
  { id, accountId }: UploadRow,
  platformPostId: string,
): Promise<boolean> {
  const since = new Date(deps.now().getTime() - CAP_WINDOW_MS);
  const [others] = await deps.db.run([otherPostsShownAs({ id, accountId, platformPostId, since })]);
  return others.length > 0;
}

export async function settle(deps: Deps, claim: Claim, job: PublishJob): Promise<Next> {
  const { upload, connector } = claim;
  const steps = stepsFor(claim);
  if (!steps.settle) throw new Error(`${connector.platform} has nothing to settle.`);
  const step = await answerOf<Settled>(steps.settle(job, upload.bookmark ?? {}));
  switch (step.kind) {
    case "published":
      return out(deps, claim, step);
    case "waiting":
      return wait(deps, claim, step);
    case "failed":
      return step.transient
        ? askAgain(deps, claim, step.failure.message)
        : endAttempt(deps, claim, step.failure, true);
    case "token_expired":
      return refreshed(deps, claim, job);
    case "no_answer":
      return askAgain(deps, claim, step.message);
    default:
      return step satisfies never;
  }
}

interface NoAnswer {
  kind: "no_answer";
  message: string;
}

/** Returns `no_answer` for a broken connection or a timeout. Throws final failures. */
async function answerOf<Step>(step: Promise<Step>): Promise<Step | NoAnswer> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof PublishFailure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "no_answer", message: `${NO_ANSWER}${reason}`.slice(0, 500) };
  }
}

function wait(deps: Deps, claim: Claim, { bookmark, checkAfterSeconds }: Waiting): Promise<"over"> {
  const { upload } = claim;
  const hasMoved = JSON.stringify(bookmark) !== JSON.stringify(upload.bookmark);
  if (!hasMoved && isOverdue(upload, deps.now())) {
    const message = "The platform did not finish processing in time; the post may still appear.";
    return over(fail(deps, upload, undecided(upload, message)));
  }
  const at = addSeconds(deps.now(), checkAfterSeconds);
  const { stage } = upload;
  const progress = hasMoved ? { progressedAt: deps.now() } : {};
  return over(park(deps, upload, at, { stage, bookmark, ...progress }));
}

function refused(deps: Deps, claim: Claim, step: Refused): Promise<"over"> {
  const { upload } = claim;
  if (!step.transient && !isPartWait(upload, step.failure)) {
    return endAttempt(deps, claim, step.failure);
  }
  if (!step.restart) return repeatLater(deps, claim, step.failure);
  // Restarts count as progress, so back-offs alone would never end them.
  if (upload.restarts >= MAX_RESTARTS) return over(fail(deps, upload, step.failure));
  const restarted = { ...claim, upload: { ...upload, restarts: upload.restarts + 1 } };
  return repeatLater(deps, restarted, step.failure, null);
}

/** A token refused right after a refresh means a lost login. */
async function refreshed(deps: Deps, claim: Claim, job: PublishJob): Promise<Next> {
  if (claim.staleToken === null) return { ...claim, staleToken: job.accessToken };
  const failure: Failure = {
    code: "account_disconnected",
    message: "The platform refuses the account's login. Reconnect the account.",
  };
  return endAttempt(deps, claim, failure);
}
