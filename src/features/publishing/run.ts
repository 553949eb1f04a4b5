import type { SharedBudget } from "../../core/budget.ts";
import { type Failure, PublishFailure } from "../../core/failures.ts";
import { addSeconds } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Credentials } from "../../platforms/login.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { countedDeps } from "../../queue/counted-deps.ts";
import { wakePost } from "../../queue/wake.ts";
import { contentHash } from "../content/version.ts";
import { NoCredentials } from "../logins/platform-access.ts";
import { usableLogin } from "../logins/usable-login.ts";
import type { UploadRow } from "../posts/table.ts";
import { claimUpload } from "./claim.ts";
import { endAttempt } from "./end-attempt.ts";
import { createJob, nextToFetch, nextToHash, requireReadable } from "./job.ts";
import { MAX_CRASHES, publishGate } from "./rules.ts";
import { LostLease } from "./save.ts";
import {
  awaitLogin,
  type Claim,
  lookUpRestored,
  type Next,
  over,
  prepare,
  reconcile,
  repeatLater,
  settle,
} from "./steps.ts";
import { BROKE_OFF, claimFailure, reconcileAt, timeoutOrFailure } from "./verdicts.ts";
import { fail, handOver, holdForApproval, park } from "./writes.ts";

/** Wait while another run refreshes the login. */
const LOGIN_BUSY_SECONDS = 2;

const CLAIM_CALLS = 2;
/** Subrequests reserved for one step: X sends four segments of a file in a step. */
const STEP_CALLS = 12;
const DOWNLOAD_CALLS = 32;

const callsOf = ({ stage, media, backedUpAt }: UploadRow): number =>
  stage === "preparing" && backedUpAt === null && nextToFetch(media) >= 0
    ? DOWNLOAD_CALLS
    : STEP_CALLS;

/** Skips a job that is not due or that another run has. */
export async function publishUpload(
  deps: Deps,
  uploadId: number,
  budget: SharedBudget,
): Promise<void> {
  try {
    const first = await budget.within(CLAIM_CALLS, (spend) =>
      begin(countedDeps(deps, spend), uploadId),
    );
    if (first !== null && first !== "over" && "waiting" in first) {
      const { downloadHeldFiles } = await import("./held-download.ts");
      return await downloadHeldFiles(deps, first.waiting, budget);
    }
    let next: Next | null = first;
    if (next === null) await wakePost(deps, uploadId, deps.now());
    while (next !== null && next !== "over") {
      const claim: Claim = next;
      next = await budget.within(callsOf(claim.upload), (spend) =>
        takeStep(countedDeps(deps, spend), claim),
      );
      if (next === null) await handOver(deps, claim.upload);
    }
  } catch (error) {
    if (!(error instanceof LostLease)) throw error;
    deps.log({ event: "publish.lost_lease", uploadId });
  }
}

/** `waiting`: a post whose files are downloaded before its approval. */
async function begin(deps: Deps, uploadId: number): Promise<Next | { waiting: UploadRow }> {
  const outcome = await claimUpload(deps, uploadId);
  if (outcome.kind === "idle") return "over";
  if (outcome.kind === "held") return { waiting: outcome.claim.upload };
  const { upload, account, media } = outcome.claim;
  if (outcome.kind !== "claimed") return over(fail(deps, upload, claimFailure(outcome)));
  const hash = upload.approvedHash === null ? null : await contentHash(upload);
  const gate = publishGate(upload, account, hash, deps.config);
  // A post that may already be on the platform cannot be held for approval.
  const isUnsent = upload.stage === "preparing" && upload.part === 0 && upload.backedUpAt === null;
  if (gate.kind === "held" && isUnsent) {
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

async function takeStep(deps: Deps, claim: Claim): Promise<Next> {
  const { upload } = claim;
  try {
    const isLookedUp = upload.stage === "preparing" && upload.backedUpAt !== null;
    if (upload.stage === "preparing" && !isLookedUp) {
      if (nextToFetch(upload.media) >= 0) return await fetchMedia(deps, claim);
      requireReadable(claim.media);
      if (isContentWanted(claim)) return await readContent(deps, claim);
      const { repeatRule, paidPosts } = claim.connector;
      if (repeatRule || paidPosts) {
        const { passGate } = await import("./gate.ts");
        const gate = await passGate(deps, claim.connector, upload);
        if (gate.kind === "shut") return await over(fail(deps, upload, gate.failure));
        claim = { ...claim, upload: gate.upload };
      }
    }
    if (upload.stage === "submitting") {
      const restsUntil = reconcileAt(upload, claim.connector.timing);
      if (restsUntil > deps.now()) return over(park(deps, upload, restsUntil));
    }
    const login = await logIn(deps, claim);
    if (login === "over") return login;
    const job = createJob(deps, claim.connector, claim, login);
    if (isLookedUp) return await lookUpRestored(deps, claim, job);
    if (upload.stage === "preparing") return await prepare(deps, claim, job);
    if (upload.stage === "submitting") return await reconcile(deps, claim, job);
    return await settle(deps, claim, job);
  } catch (error) {
    if (error instanceof PublishFailure) {
      return endAttempt(deps, claim, error.failure);
    }
    throw error;
  }
}

async function fetchMedia(deps: Deps, claim: Claim): Promise<Next> {
  const { fetchNextMedia } = await import("./fetch-media.ts");
  const download = await fetchNextMedia(deps, claim.upload, claim.media);
  if (download.kind === "fetched") return { ...claim, ...download };
  return repeatLater(deps, claim, download.failure);
}

/** After this many crashes, a post goes out without a hash of its content. */
const MAX_READING_CRASHES = 2;

const isContentWanted = ({ upload, media }: Claim): boolean =>
  upload.bookmark === null &&
  upload.crashes <= MAX_READING_CRASHES &&
  nextToHash(upload.media, media) >= 0;

async function readContent(deps: Deps, claim: Claim): Promise<Next> {
  const { hashNextContent } = await import("./content-sha256.ts");
  return { ...claim, ...(await hashNextContent(deps, claim.upload, claim.media)) };
}

async function logIn(deps: Deps, claim: Claim): Promise<Credentials | "over"> {
  const { upload, account, connector, staleToken } = claim;
  try {
    const login = await usableLogin(deps, connector, account, staleToken);
    if (login.kind === "ready") return login.credentials;
    if (login.kind === "busy") {
      const at = addSeconds(deps.now(), LOGIN_BUSY_SECONDS);
      return over(park(deps, upload, at, { submits: upload.submits }));
    }
    if (!login.final) return awaitLogin(deps, claim, login);
    const failure: Failure = { code: "account_disconnected", message: login.message };
    return over(fail(deps, upload, timeoutOrFailure(upload, failure)));
  } catch (error) {
    if (!(error instanceof NoCredentials)) throw error;
    return endAttempt(deps, claim, { code: "account_disconnected", message: error.message });
  }
}
