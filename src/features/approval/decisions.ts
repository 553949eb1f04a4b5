import type { SQL } from "drizzle-orm";
import { formatCount } from "../../core/counts.ts";
import { AppError, invalidFields } from "../../core/errors.ts";
import { BROKEN_TEXT, isBrokenText, isLongerThan } from "../../core/text.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import type { Query } from "../../db/client.ts";
import { allOf } from "../../db/conditions.ts";
import type { Deps } from "../../deps.ts";
import type { Action } from "../activity/actions.ts";
import { asJudged, judge } from "../compose/judge.ts";
import { downloadAnew, isDownloadOver, requireStored } from "../content/files.ts";
import { contentHash, versionOf } from "../content/version.ts";
import { periodOf } from "../credits/rules.ts";
import { emitIfChanged } from "../events/repo.ts";
import {
  type Claim,
  claimOf,
  type PreparedText,
  textOf,
  toRecentPost,
  withFiles,
} from "../limits/content-rules.ts";
import { areUnclaimed } from "../limits/repo/compared.ts";
import { hasQuota } from "../limits/repo/room.ts";
import {
  type AccountFacts,
  capViolation,
  requireActive,
  requireConnected,
  requireCredits,
  requireRoom,
} from "../limits/rules.ts";
import type { RowChanges } from "../posts/repo/write.ts";
import { isWithinLookAhead } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import type { DecisionFacts, FoundPost } from "./repo.ts";

/** `client`: the holder of a review link. */
export type Reviewer = { by: "team"; userId: number } | { by: "client" };

const deciderOf = (reviewer: Reviewer): number | null =>
  reviewer.by === "team" ? reviewer.userId : null;

const eventOf = async (reviewer: Reviewer, upload: UploadRow) => ({
  team: upload.teamId,
  by: deciderOf(reviewer),
  data: {
    uploadId: upload.id,
    platform: upload.platform,
    reviewedBy: reviewer.by,
    version: await versionOf(upload),
  },
});

/** `facts` include posts that the same call approved before. */
export interface DecisionContext {
  deps: Deps;
  facts: DecisionFacts;
  /** X credits for earlier posts of the same call. */
  credits: number;
  prepare(text: string): Promise<PreparedText>;
}

export interface StatusChange {
  /** Keeps the post's status unless it contains one. */
  set: RowChanges;
  condition?: SQL;
  claims?: readonly Claim[];
  event?: Query<number>;
  action: Action;
  /** When a message wakes the job; null for no message. */
  wakeAt: Date | null;
}

export interface Decision {
  from: readonly UploadStatus[];
  refusal: string;
  isDone?(upload: UploadRow): boolean;
  isOfReading: boolean;
  /** @throws AppError for a refused post */
  decide(context: DecisionContext, post: FoundPost): Promise<StatusChange>;
}

/** @throws AppError 400 with refused fields or violations */
async function requireGood(
  { deps, facts: { recent } }: DecisionContext,
  { upload, files }: FoundPost,
  { account, blocklist, bannedHashtags }: AccountFacts,
  { status, at, text }: { status: UploadStatus; at: Date; text: PreparedText },
): Promise<void> {
  const { platform, accountId, media } = upload;
  const post = asJudged(upload, files);
  const others = recent.filter((other) => other.accountId === accountId);
  await judge(
    deps,
    { platform, account, post, refs: media, status, at, text, errors: [] },
    { blocklist, bannedHashtags, recent: others, cap: null },
  );
}

const factsOf = ({ facts }: DecisionContext, { accountId }: UploadRow): AccountFacts =>
  requireConnected(facts.accounts.find(({ account }) => account.id === accountId));

const plannedFor = ({ scheduledFor }: UploadRow, now: Date): Date | null =>
  scheduledFor !== null && scheduledFor > now ? scheduledFor : null;

export const submission: Decision = {
  from: ["draft", "pending_approval"],
  refusal: "Only a draft can be submitted.",
  isDone: (upload) => upload.status === "pending_approval" && !isDownloadOver(upload),
  isOfReading: false,
  async decide(context, post) {
    const { upload } = post;
    const facts = factsOf(context, upload);
    const now = context.deps.now();
    const at = plannedFor(upload, now) ?? now;
    const text = await context.prepare(textOf(upload));
    await requireGood(context, post, facts, { status: "pending_approval", at, text });
    const download = isDownloadOver(upload) ? downloadAnew(upload, now) : {};
    const wakeAt = download.wokenAt ?? null;
    // A post that was already submitted changes only by a new download.
    if (upload.status === "pending_approval")
      return { set: download, action: "upload.submitted", wakeAt };
    return {
      set: { status: "pending_approval", editedFields: null, ...download },
      action: "upload.submitted",
      wakeAt,
    };
  },
};

/** Discards an earlier attempt, which may have published other content. */
const AFRESH = {
  backoffs: 0,
  crashes: 0,
  restarts: 0,
  submits: 0,
  bookmark: null,
  sentBytes: null,
  progressedAt: null,
  errorMessage: null,
} as const;

/** Source: spec, "Upload status": clients decide on submitted posts, not on drafts. */
const approvableBy = ({ by }: Reviewer): readonly UploadStatus[] =>
  by === "client" ? ["pending_approval"] : ["draft", "pending_approval"];

export const approval = (reviewer: Reviewer): Decision => ({
  from: approvableBy(reviewer),
  refusal: "Only a draft, or a post that awaits approval, can be approved.",
  isOfReading: true,
  async decide(context, post) {
    const { deps } = context;
    const { upload } = post;
    requireStored(upload);
    const facts = factsOf(context, upload);
    requireActive(deps, facts);
    const now = deps.now();
    const planned = plannedFor(upload, now);
    const status = planned ? "scheduled" : "pending";
    const at = planned ?? now;
    const text = await context.prepare(textOf(upload));
    await requireGood(context, post, facts, { status, at, text });
    requireUncapped(deps, facts, { at, posts: upload.posts });
    requireRoom(facts, at);
    context.credits += await requireCredits(facts, upload, at, now, context.credits);
    takePlace(context, upload, { at, isNow: planned === null, text });
    const wokenAt = isWithinLookAhead(at, now) ? at : null;
    const textDigest = await withFiles(text.digest, upload.media);
    const claims = [claimOf({ ...upload, status, textDigest }, at, upload.id) ?? []].flat();
    const { data, ...event } = await eventOf(reviewer, upload);
    return {
      set: {
        ...AFRESH,
        status,
        dueAt: at,
        wokenAt,
        approvedHash: await contentHash(upload),
        approvedBy: reviewer.by,
        approverId: deciderOf(reviewer),
        editedFields: null,
        reviewComment: null,
        textDigest,
        // A post that goes out now counts for this month and is compared with posts around now.
        ...(planned ? {} : { sortAt: now }),
      },
      condition: allOf([hasQuota(upload.teamId, facts.plan, at), areUnclaimed(claims)]),
      claims,
      event: emitIfChanged(deps, {
        ...event,
        name: "upload.approved",
        data: { ...data, scheduledFor: planned?.toISOString() ?? null },
      }),
      action: "upload.approved",
      wakeAt: wokenAt,
    };
  },
});

/**
 * A daily cap that has room again by `at` does not count.
 *
 * @throws AppError DAILY_LIMIT
 */
function requireUncapped(
  deps: Deps,
  facts: AccountFacts,
  { at, posts }: { at: Date; posts: number },
): void {
  if (facts.resetAt && at >= facts.resetAt) return;
  const violation = capViolation(deps, facts, posts);
  if (violation) throw new AppError("DAILY_LIMIT", violation.message);
}

/** Counts an approved post for later posts of the same call. */
function takePlace(
  { facts }: DecisionContext,
  { id, accountId, media }: UploadRow,
  { at, isNow, text }: { at: Date; isNow: boolean; text: PreparedText },
): void {
  const month = periodOf(at);
  for (const one of facts.accounts) {
    one.postsByMonth[month] = (one.postsByMonth[month] ?? 0) + 1;
    if (!isNow) continue;
    one.teamInProgress++;
    if (one.account.id !== accountId) continue;
    one.inProgress++;
    one.used++;
  }
  facts.recent.push(toRecentPost({ text, media, at }, { id, accountId }));
}

/** Spec is silent: enough for any note, and events stay small. */
export const MAX_COMMENT_CHARACTERS = 2_000;

/** @throws AppError 400 for a blank, too long or malformed comment */
function readComment(text: string): string {
  // Browsers end a form field's lines with CRLF.
  const comment = text.replaceAll("\r\n", "\n").trim();
  const refuse = (message: string) =>
    invalidFields([{ field: "comment", message: `comment: ${message}.` }]);
  if (comment === "") throw refuse("say what is to be changed");
  if (isLongerThan(comment, MAX_COMMENT_CHARACTERS)) {
    throw refuse(`must have at most ${formatCount(MAX_COMMENT_CHARACTERS)} characters`);
  }
  if (isBrokenText(comment)) throw refuse(BROKEN_TEXT);
  return comment;
}

/** @throws AppError 400 for a blank, too long or malformed comment */
export function changeRequest(reviewer: Reviewer, text: string): Decision {
  const comment = readComment(text);
  return {
    from: ["pending_approval"],
    refusal: "Changes can only be requested of a post that awaits approval.",
    isOfReading: true,
    async decide({ deps }, { upload }) {
      const { data, ...event } = await eventOf(reviewer, upload);
      return {
        set: { status: "draft", editedFields: null, approverId: null, reviewComment: comment },
        event: emitIfChanged(deps, {
          ...event,
          name: "upload.changes_requested",
          data: { ...data, comment },
        }),
        action: "upload.changes_requested",
        wakeAt: null,
      };
    },
  };
}
