import { AppError, notFound } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import { STATUS_WORDS, type UploadStatus } from "../../core/upload-status.ts";
import type { Query } from "../../db/client.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { wakePostOnTime, wakePosts } from "../../queue/wake.ts";
import { activityLineBy, type Doer, doerOf } from "../activity/repo.ts";
import { refuseMissing } from "../archive/read.ts";
import { knownId } from "../auth/repo/people.ts";
import { requireOneOf } from "../auth/rules.ts";
import { changedParts, inWords, type VersionPart, versionOf } from "../content/version.ts";
import { type Claim, createPreparer } from "../limits/content-rules.ts";
import { changeUnchanged } from "../posts/repo/write.ts";
import type { UploadRow } from "../posts/table.ts";
import {
  approval,
  changeRequest,
  type Decision,
  type DecisionContext,
  type Reviewer,
  type StatusChange,
  submission,
} from "./decisions.ts";
import { type DecisionFacts, decisionFacts, postsToDecide } from "./repo.ts";

export { MAX_COMMENT_CHARACTERS, type Reviewer } from "./decisions.ts";

export interface Work {
  deps: Deps;
  teamId: number;
  /** Null where another line tells of the decisions. */
  by: Doer | null;
}

export interface Decided {
  uploadId: number;
  status: UploadStatus;
  scheduledFor: Date | null;
  version: string;
}

export type Verdict = Decided | { uploadId: number; refusal: AppError };

export interface Shown {
  id: number;
  seen?: string;
}

/** Source: spec, "Review link lifetime". */
export const MAX_DECIDED_AT_ONCE = 50;

/**
 * Schedules an approved post, or publishes it now.
 *
 * @throws AppError NOT_FOUND, ARCHIVED, NOT_REVIEWABLE, POST_CHANGED, VERSION_REQUIRED, ACCOUNT_INACTIVE, DAILY_LIMIT,
 * PLAN_LIMIT, QUEUE_FULL, QUEUE_BUSY, 400 with every refused field, 400 with violations
 */
export const approveUpload = (
  work: Work,
  id: number,
  reviewer: Reviewer,
  seen?: string,
): Promise<Decided> => decideOne(work, { id, seen }, approval(reviewer));

/** In the order of the posts. */
export const approveUploads = (
  work: Work,
  posts: readonly Shown[],
  reviewer: Reviewer,
): Promise<Verdict[]> => decideAll(work, posts, approval(reviewer));

/** @throws AppError NOT_FOUND, ARCHIVED, NOT_REVIEWABLE, POST_CHANGED, VERSION_REQUIRED, 400 for a blank or too long comment */
export async function requestChanges(
  work: Work,
  id: number,
  reviewer: Reviewer,
  comment: string,
  seen?: string,
): Promise<Decided> {
  return decideOne(work, { id, seen }, changeRequest(reviewer, comment));
}

/**
 * A post that awaits approval stays as it is.
 *
 * @throws AppError NOT_FOUND, NOT_REVIEWABLE, ACCOUNT_INACTIVE for a removed account, 400 with every refused field, 400
 * with violations
 */
export const submitUploads = (work: Work, ids: readonly number[]): Promise<Verdict[]> =>
  decideAll(
    work,
    ids.map((id) => ({ id })),
    submission,
  );

export const submitOwnUpload = (ctx: Ctx, id: number, seen?: string): Promise<Decided> =>
  decideOwn(ctx, "posts:write", { id, seen }, decisionFacts, () => submission);

/** @throws AppError FORBIDDEN for a member, and what `approveUpload` throws */
export const approveOwnUpload = (ctx: Ctx, id: number, seen?: string): Promise<Decided> =>
  decideOwn(ctx, "posts:publish", { id, seen }, decisionFacts, () => approval(ownReviewer(ctx)));

/** @throws AppError FORBIDDEN for a member, and what `requestChanges` throws */
export const requestOwnChanges = (
  ctx: Ctx,
  id: number,
  comment: string,
  seen?: string,
): Promise<Decided> =>
  decideOwn(ctx, "posts:publish", { id, seen }, postsToDecide, () =>
    changeRequest(ownReviewer(ctx), comment),
  );

const workOf = (ctx: Ctx): Work => ({
  deps: ctx,
  teamId: ctx.actor.teamId,
  by: doerOf(ctx.actor),
});

function ownReviewer({ actor }: Ctx): Reviewer {
  const message = "Only the owner and admins approve posts and request changes.";
  requireOneOf(actor, ["OWNER", "ADMIN"], message);
  return { by: "team", userId: actor.userId };
}

async function decideOwn(
  ctx: Ctx,
  scope: Scope,
  post: Shown,
  toRead: ToRead,
  decision: () => Decision,
): Promise<Decided> {
  const { queries, read } = toRead(ctx, ctx.team, [post.id]);
  const facts = read(await ctx.read(scope, queries));
  const wanted = decision();
  if (facts.posts.length === 0) throw await refuseMissing(ctx, post.id, notFound("Upload"));
  return only(await decideFound(workOf(ctx), [post], wanted, facts));
}

const decideOne = async (work: Work, post: Shown, decision: Decision): Promise<Decided> =>
  only(await decideAll(work, [post], decision));

/** @throws AppError the post's refusal */
function only([verdict]: Verdict[]): Decided {
  if (!verdict) throw notFound("Upload");
  if ("refusal" in verdict) throw verdict.refusal;
  return verdict;
}

async function decideAll(
  work: Work,
  posts: readonly Shown[],
  decision: Decision,
): Promise<Verdict[]> {
  const once = [...new Map(posts.map((post) => [post.id, post])).values()];
  if (once.length === 0) return [];
  return decideFound(work, once, decision, await look(work, once));
}

type ToRead = typeof decisionFacts;

async function look(
  { deps, teamId }: Work,
  posts: readonly Shown[],
  claims: readonly Claim[] = [],
): Promise<DecisionFacts> {
  const ids = posts.map(({ id }) => id);
  const { queries, read } = decisionFacts(deps, knownId(teamId), ids, claims);
  return read(await deps.db.runAll(queries));
}

interface Moving {
  post: Shown;
  upload: UploadRow;
  move: StatusChange;
  version: string;
}

type Chosen = Moving | { post: Shown; verdict: Verdict };

async function decideFound(
  work: Work,
  posts: readonly Shown[],
  decision: Decision,
  facts: DecisionFacts,
): Promise<Verdict[]> {
  const chosen = await choose(work, posts, decision, facts);
  const moving = chosen.flatMap((one) => ("move" in one ? [one] : []));
  const moved = await write(work, moving);
  await wakeAll(
    work,
    moving.filter(({ post }) => moved.has(post.id)),
  );
  const lost = moving.filter(({ post }) => !moved.has(post.id));
  const reasons = await reasonsOf(work, lost, decision);
  return chosen.map((one) => {
    if ("verdict" in one) return one.verdict;
    const { post, upload, move, version } = one;
    return reasons.get(post.id) ?? toDecided(upload, version, move.set.status);
  });
}

const toDecided = (
  { id, status, scheduledFor }: UploadRow,
  version: string,
  newStatus = status,
): Decided => ({ uploadId: id, status: newStatus, scheduledFor, version });

async function choose(
  { deps }: Work,
  posts: readonly Shown[],
  decision: Decision,
  facts: DecisionFacts,
): Promise<Chosen[]> {
  const context: DecisionContext = { deps, facts, credits: 0, prepare: createPreparer() };
  const byId = new Map(facts.posts.map((one) => [one.upload.id, one]));
  const chosen: Chosen[] = [];
  for (const post of posts) {
    try {
      const match = byId.get(post.id);
      if (!match) throw notFound("Upload");
      const { upload } = match;
      const isDone = decision.isDone?.(upload) ?? false;
      if (!isDone) requireOpen(upload, decision);
      const version = await versionOf(upload);
      requireSeen(upload, version, post, decision);
      if (isDone) chosen.push({ post, verdict: toDecided(upload, version) });
      else chosen.push({ post, upload, version, move: await decision.decide(context, match) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      chosen.push({ post, verdict: { uploadId: post.id, refusal: error } });
    }
  }
  return chosen;
}

/** @throws AppError NOT_REVIEWABLE */
function requireOpen({ status }: UploadRow, { from, refusal }: Decision): void {
  if (from.includes(status)) return;
  throw new AppError("NOT_REVIEWABLE", `The post is ${STATUS_WORDS[status]}. ${refusal}`);
}

/**
 * An edited post needs the version that the reviewer saw.
 *
 * @throws AppError POST_CHANGED, VERSION_REQUIRED, with the parts that changed
 */
function requireSeen(
  { editedFields }: UploadRow,
  version: string,
  { seen }: Shown,
  { isOfReading }: Decision,
): void {
  if (seen === version) return;
  if (seen !== undefined) {
    const changed = changedParts(seen, version);
    const what = changed.length > 0 ? ` (${inWords(changed)})` : "";
    const message = `The post has changed since it was shown${what}. Read it again.`;
    throw changedPost("POST_CHANGED", message, changed);
  }
  if (!isOfReading || !editedFields) return;
  const message = `The post was edited after it was submitted (${inWords(editedFields)}), by somebody who may not approve it. Read it again, then decide with its version.`;
  throw changedPost("VERSION_REQUIRED", message, editedFields);
}

const changedPost = (
  code: "POST_CHANGED" | "VERSION_REQUIRED",
  message: string,
  changed: readonly VersionPart[],
): AppError => new AppError(code, message, { extras: { changed } });

/** Returns the ids of posts that had not changed since the read. */
async function write({ deps, teamId, by }: Work, moving: readonly Moving[]): Promise<Set<number>> {
  const [first] = moving;
  if (!first) return new Set();
  const subject = moving.length === 1 ? first.post.id : null;
  const line = by && activityLineBy(deps, teamId, by, first.move.action, subject);
  const batches = moving.map(({ upload, move }): Query<number>[] => [
    changeUnchanged(upload, move.set, move.condition),
    ...(move.event ? [move.event] : []),
    ...(line ? [line] : []),
  ]);
  const changed = await deps.db.runAll(batches.flat());
  const moved = new Set<number>();
  let at = 0;
  for (const [i, { post }] of moving.entries()) {
    if (changed[at] === 1) moved.add(post.id);
    at += batches[i]?.length ?? 0;
  }
  return moved;
}

async function wakeAll({ deps }: Work, moved: readonly Moving[]): Promise<void> {
  const now = deps.now();
  const due: number[] = [];
  for (const { post, move } of moved) {
    if (!move.wakeAt) continue;
    if (move.wakeAt <= now) due.push(post.id);
    else await wakePostOnTime(deps, post.id, move.wakeAt);
  }
  if (due.length > 0) await wakePosts(deps, due, now);
}

async function reasonsOf(
  work: Work,
  lost: readonly Moving[],
  decision: Decision,
): Promise<Map<number, Verdict>> {
  if (lost.length === 0) return new Map();
  const posts = lost.map(({ post }) => post);
  const claims = lost.flatMap(({ move }) => move.claims ?? []);
  const again = await choose(work, posts, decision, await look(work, posts, claims));
  return new Map(
    again.map((one) => {
      const { id } = one.post;
      const isGone =
        "verdict" in one && "refusal" in one.verdict && one.verdict.refusal.status === 404;
      if ("verdict" in one && !isGone) return [id, one.verdict];
      const message = isGone
        ? "The post has just been removed."
        : "The post has just changed. Read it again.";
      return [id, { uploadId: id, refusal: new AppError("POST_CHANGED", message) }];
    }),
  );
}
