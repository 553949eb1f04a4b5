import type { SharedBudget } from "../../core/budget.ts";
import { type Failure, PublishFailure } from "../../core/failures.ts";
import { addSeconds } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Credentials } from "../../platforms/login.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { countedDeps } from "../../queue/counted-deps.ts";
import { wakePost } from "../../queue/wake.ts";
import { NoCredentials } from "../accounts/platform-access.ts";
import { usableLogin } from "../accounts/usable-login.ts";
import { contentHash } from "../posts/content-hash.ts";
import { MAX_CRASHES, publishGate } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { claimUpload } from "./claim.ts";
import { endAttempt } from "./end-attempt.ts";
import { createJob, nextToFetch, nextToHash, requireReadable } from "./job.ts";
import { LostLease } from "./save.ts";
import {
  awaitLogin,
  type Held,
  type Next,
  over,
  prepare,
  reconcile,
  repeatLater,
  settle,
} from "./steps.ts";
import { BROKE_OFF, claimFailure, reconcileAt, timeoutOrFailure } from "./verdicts.ts";
import { fail, handOver, holdForApproval, park } from "./writes.ts";

/** While somebody else refreshes the account's login. */
const LOGIN_BUSY_SECONDS = 2;

/** Calls that taking a job makes, and noting its end where it ends at once. */
const CLAIM_CALLS = 2;
/**
 * Calls that any step makes, at most: X's four segments are read and sent, a login is renewed, and the row
 * is written. A file from a URL may come in 24 parts after three redirects.
 */
const STEP_CALLS = 12;
const DOWNLOAD_CALLS = 32;

const callsOf = ({ stage, media }: UploadRow): number =>
  stage === "preparing" && nextToFetch(media) >= 0 ? DOWNLOAD_CALLS : STEP_CALLS;

/**
 * Publishes an upload as far as this invocation's budget goes. A job that is not due, or that somebody
 * else has, is left alone. Whatever happens, the row says where the post stands.
 */
export async function publishUpload(
  deps: Deps,
  uploadId: number,
  budget: SharedBudget,
): Promise<void> {
  const withinBudget = (calls: number, step: (deps: Deps) => Promise<Next>) =>
    budget.within(calls, (spend) => step(countedDeps(deps, spend)));
  try {
    const begun = await budget.within(CLAIM_CALLS, (spend) =>
      begin(countedDeps(deps, spend), uploadId),
    );
    if (begun !== null && begun !== "over" && "waiting" in begun) {
      const { downloadHeldFiles } = await import("./held-download.ts");
      return await downloadHeldFiles(deps, begun.waiting, budget);
    }
    let next: Next | null = begun;
    if (next === null) await wakePost(deps, uploadId, deps.now());
    while (next !== null && next !== "over") {
      const held: Held = next;
      next = await withinBudget(callsOf(held.upload), (counted) => takeStep(counted, held));
      if (next === null) await handOver(deps, held.upload);
    }
  } catch (error) {
    if (!(error instanceof LostLease)) throw error;
    deps.log({ event: "publish.lost_lease", uploadId });
  }
}

/** Takes the job, if it can be taken and its post may go out. `waiting`: a post that waits for its files instead. */
async function begin(deps: Deps, uploadId: number): Promise<Next | { waiting: UploadRow }> {
  const outcome = await claimUpload(deps, uploadId);
  if (outcome.kind === "idle") return "over";
  if (outcome.kind === "held") return { waiting: outcome.claim.upload };
  const { upload, account, media } = outcome.claim;
  if (outcome.kind !== "claimed") return over(fail(deps, upload, claimFailure(outcome)));
  const hash = upload.approvedHash === null ? null : await contentHash(upload);
  const gate = publishGate(upload, account, hash, deps.config);
  // A post that may be out cannot be held back any more: the platform is asked first.
  if (gate.kind === "held" && upload.stage === "preparing") {
    return over(holdForApproval(deps, upload));
  }
  if (gate.kind === "failed")
    return over(fail(deps, upload, timeoutOrFailure(upload, gate.refusal)));
  if (!account) throw new Error("The gate let a post without an account pass.");
  if (upload.crashes >= MAX_CRASHES) {
    return over(fail(deps, upload, timeoutOrFailure(upload, BROKE_OFF)));
  }
  return { upload, account, media, connector: connectorOf(upload.platform), staleToken: null };
}

async function takeStep(deps: Deps, held: Held): Promise<Next> {
  const { upload } = held;
  try {
    if (upload.stage === "preparing") {
      if (nextToFetch(upload.media) >= 0) return await fetchMedia(deps, held);
      requireReadable(held.media);
      if (isContentWanted(held)) return await readContent(deps, held);
      const { repeatRule, paidPosts } = held.connector;
      if (repeatRule || paidPosts) {
        const gate = await visitGate(deps, held);
        if (gate.kind === "shut") return gate.next;
        held = gate.held;
      }
    }
    if (upload.stage === "submitting") {
      const restsUntil = reconcileAt(upload, held.connector.timing);
      if (restsUntil > deps.now()) return over(park(deps, upload, restsUntil));
    }
    const login = await logIn(deps, held);
    if (login === "over") return login;
    const job = createJob(deps, held.connector, held, login);
    if (upload.stage === "preparing") return await prepare(deps, held, job);
    if (upload.stage === "submitting") return await reconcile(deps, held, job);
    return await settle(deps, held, job);
  } catch (error) {
    if (error instanceof PublishFailure) {
      return endAttempt(deps, held, error.failure);
    }
    throw error;
  }
}

async function fetchMedia(deps: Deps, held: Held): Promise<Next> {
  const { fetchNextMedia } = await import("./fetch-media.ts");
  const fetched = await fetchNextMedia(deps, held.upload, held.media);
  if (fetched.kind === "fetched") return { ...held, ...fetched };
  return repeatLater(deps, held, fetched.failure);
}

/** Runs that may break off while they read a file for its content: then the post goes out without that. */
const MAX_READING_CRASHES = 2;

/** Returns true while a post could turn out to be a duplicate by the content of a file that nothing has read. */
const isContentWanted = ({ upload, media }: Held): boolean =>
  upload.bookmark === null &&
  upload.crashes <= MAX_READING_CRASHES &&
  nextToHash(upload.media, media) >= 0;

async function readContent(deps: Deps, held: Held): Promise<Next> {
  const { hashNextContent } = await import("./content-sha256.ts");
  return { ...held, ...(await hashNextContent(deps, held.upload, held.media)) };
}

/** Passes a post on to a platform that is paid, or that takes nothing twice. */
async function visitGate(
  deps: Deps,
  held: Held,
): Promise<{ kind: "open"; held: Held } | { kind: "shut"; next: Next }> {
  const { upload, connector } = held;
  const { passGate } = await import("./gate.ts");
  const gate = await passGate(deps, connector, upload);
  if (gate.kind === "open") return { kind: "open", held: { ...held, upload: gate.upload } };
  return { kind: "shut", next: await over(fail(deps, upload, gate.failure)) };
}

async function logIn(deps: Deps, held: Held): Promise<Credentials | "over"> {
  const { upload, account, connector, staleToken } = held;
  try {
    const login = await usableLogin(deps, connector, account, staleToken);
    if (login.kind === "ready") return login.credentials;
    if (login.kind === "busy") {
      const at = addSeconds(deps.now(), LOGIN_BUSY_SECONDS);
      return over(park(deps, upload, at, { submits: upload.submits }));
    }
    const { message, final } = login;
    if (!final) return awaitLogin(deps, held, message);
    const failure: Failure = { code: "account_disconnected", message };
    return over(fail(deps, upload, timeoutOrFailure(upload, failure)));
  } catch (error) {
    if (!(error instanceof NoCredentials)) throw error;
    return endAttempt(deps, held, { code: "account_disconnected", message: error.message });
  }
}
