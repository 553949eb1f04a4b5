import type { SQL } from "drizzle-orm";
import { formatCount } from "../../core/counts.ts";
import { AppError, invalidFields } from "../../core/errors.ts";
import { BROKEN_TEXT, isBrokenText, isLongerThan } from "../../core/text.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { asJudged, judge } from "../compose/judge.ts";
import { allOf } from "../compose/repo/insert.ts";
import { periodOf } from "../credits/rules.ts";
import { emitIfChanged } from "../events/repo.ts";
import { type PreparedText, textOf, toRecentPost } from "../limits/content-rules.ts";
import {
  capViolation,
  requireActive,
  requireConnected,
  requireCredits,
  requireRoom,
} from "../limits/quotas.ts";
import { areUnclaimed } from "../limits/repo/compared.ts";
import type { AccountFacts } from "../limits/repo/facts.ts";
import { hasQuota } from "../limits/repo/room.ts";
import { type Claim, claimOf, withFiles } from "../limits/same-post.ts";
import { contentHash } from "../posts/content-hash.ts";
import { downloadAnew, isDownloadOver, requireStored } from "../posts/files.ts";
import type { RowChanges } from "../posts/repo/update.ts";
import { isWithinLookAhead, type UploadStatus } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { versionOf } from "../posts/version.ts";
import type { DecisionFacts, FoundPost } from "./repo.ts";

/** The one who decides on a post: an owner or admin of the team, or the client who holds a review link. */
export type Reviewer = { by: "team"; userId: number } | { by: "client" };

/** The user who decides, and gets no notice of it; null for a client. */
const deciderOf = (reviewer: Reviewer): number | null =>
  reviewer.by === "team" ? reviewer.userId : null;

/** The grounds on which a call decides. Each post that it lets out takes its place from those after it. */
export interface Desk {
  deps: Deps;
  facts: DecisionFacts;
  /** Credits that the posts before will cost on X. */
  credits: number;
  prepare(text: string): Promise<PreparedText>;
}

/** The effect of a decision on a post. */
export interface Move {
  /** Without a status, the post stays where it is. */
  set: RowChanges;
  /** Must hold for the write. */
  condition?: SQL;
  /** Claims of the post, which the condition covers. */
  claims?: readonly Claim[];
  /** Told in the same batch. */
  event?: Query<number>;
  /** When the post is to be woken; null: not by this call. */
  wakeAt: Date | null;
}

export interface Decision {
  /** Statuses of the posts that it can be made on. */
  from: readonly UploadStatus[];
  /** Tells of those. */
  refusal: string;
  /** True for a post with which nothing is left to do. */
  isDone?(upload: UploadRow): boolean;
  /** True where a post that was edited since its submission is decided on by its version alone. */
  isOfReading: boolean;
  /** @throws AppError for a post that is refused */
  decide(desk: Desk, post: FoundPost): Promise<Move>;
}

/** Judges a stored post as a new one is judged. @throws AppError what `judge` throws */
async function requireGood(
  { deps, facts: { recent } }: Desk,
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

const factsOf = ({ facts }: Desk, { accountId }: UploadRow): AccountFacts =>
  requireConnected(facts.accounts.find(({ account }) => account.id === accountId));

/** When the post is planned for; null when it would go out now. */
const plannedFor = ({ scheduledFor }: UploadRow, now: Date): Date | null =>
  scheduledFor !== null && scheduledFor > now ? scheduledFor : null;

export const submission: Decision = {
  from: ["draft", "pending_approval"],
  refusal: "Only a draft can be submitted.",
  isDone: (upload) => upload.status === "pending_approval" && !isDownloadOver(upload),
  isOfReading: false,
  async decide(desk, post) {
    const { upload } = post;
    const facts = factsOf(desk, upload);
    const now = desk.deps.now();
    const at = plannedFor(upload, now) ?? now;
    const text = await desk.prepare(textOf(upload));
    await requireGood(desk, post, facts, { status: "pending_approval", at, text });
    const download = isDownloadOver(upload) ? downloadAnew(upload, now) : {};
    const wakeAt = download.wokenAt ?? null;
    // A post that is submitted already stays as it is, but for files that could not be downloaded.
    if (upload.status === "pending_approval") return { set: download, wakeAt };
    return { set: { status: "pending_approval", editedFields: null, ...download }, wakeAt };
  },
};

/** A job that begins anew: what an earlier try left was made of other content, or long ago. */
const AFRESH = {
  ...{ backoffs: 0, crashes: 0, restarts: 0, submits: 0 },
  ...{ bookmark: null, sentBytes: null, progressedAt: null, errorMessage: null },
} as const;

/** Source: spec, "Upload status": a client decides on what was put up for approval, and on no draft. */
const approvableBy = ({ by }: Reviewer): readonly UploadStatus[] =>
  by === "client" ? ["pending_approval"] : ["draft", "pending_approval"];

/** A post that nobody may publish waits for approval; approved, it is planned for its date or goes out now. */
export const approval = (reviewer: Reviewer): Decision => ({
  from: approvableBy(reviewer),
  refusal: "Only a draft, or a post that awaits approval, can be approved.",
  isOfReading: true,
  async decide(desk, post) {
    const { deps } = desk;
    const { upload } = post;
    requireStored(upload);
    const facts = factsOf(desk, upload);
    requireActive(deps, facts);
    const now = deps.now();
    const planned = plannedFor(upload, now);
    const status = planned ? "scheduled" : "pending";
    const at = planned ?? now;
    const text = await desk.prepare(textOf(upload));
    await requireGood(desk, post, facts, { status, at, text });
    requireUncapped(deps, facts, at);
    requireRoom(facts, at);
    desk.credits += await requireCredits(facts, upload, at, now, desk.credits);
    takePlace(desk, upload, { at, isNow: planned === null, text });
    const wokenAt = isWithinLookAhead(at, now) ? at : null;
    const { id: uploadId, teamId, platform } = upload;
    const textDigest = await withFiles(text.digest, upload.media);
    const claims = [claimOf({ ...upload, status, textDigest }, at, uploadId) ?? []].flat();
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
        // It counts for the month in which it goes out, and is compared with others around that time.
        ...(planned ? {} : { sortAt: now }),
      },
      condition: allOf([hasQuota(teamId, facts.plan, at), areUnclaimed(claims)]),
      claims,
      event: emitIfChanged(deps, {
        team: teamId,
        by: deciderOf(reviewer),
        name: "upload.approved",
        data: {
          uploadId,
          platform,
          reviewedBy: reviewer.by,
          version: await versionOf(upload),
          scheduledFor: planned?.toISOString() ?? null,
        },
      }),
      wakeAt: wokenAt,
    };
  },
});

/**
 * Requires room under the daily cap, unless some of the account's posts will have left it by then.
 *
 * @throws AppError DAILY_LIMIT
 */
function requireUncapped(deps: Deps, facts: AccountFacts, at: Date): void {
  if (facts.resetAt && at >= facts.resetAt) return;
  const violation = capViolation(deps, facts);
  if (violation) throw new AppError("DAILY_LIMIT", violation.message);
}

/** Takes the place of a post from those that the same call decides on after it. */
function takePlace(
  { facts }: Desk,
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

/** Characters of a comment. Spec is silent: enough for any note, and an event stays small. */
export const MAX_COMMENT_CHARACTERS = 2_000;

/** @throws AppError 400 for a comment that is blank, too long or broken */
function readComment(given: string): string {
  // A browser sends the lines of a form apart by CRLF.
  const comment = given.replaceAll("\r\n", "\n").trim();
  const refuse = (message: string) =>
    invalidFields([{ field: "comment", message: `comment: ${message}.` }]);
  if (comment === "") throw refuse("say what is to be changed");
  if (isLongerThan(comment, MAX_COMMENT_CHARACTERS)) {
    throw refuse(`must have at most ${formatCount(MAX_COMMENT_CHARACTERS)} characters`);
  }
  if (isBrokenText(comment)) throw refuse(BROKEN_TEXT);
  return comment;
}

/** @throws AppError 400 for a comment that is blank, too long or broken */
export function changeRequest(reviewer: Reviewer, given: string): Decision {
  const comment = readComment(given);
  return {
    from: ["pending_approval"],
    refusal: "Changes can only be requested of a post that awaits approval.",
    isOfReading: true,
    async decide({ deps }, { upload }) {
      const { id: uploadId, teamId, platform } = upload;
      return {
        set: { status: "draft", editedFields: null, approverId: null, reviewComment: comment },
        event: emitIfChanged(deps, {
          team: teamId,
          by: deciderOf(reviewer),
          name: "upload.changes_requested",
          data: {
            uploadId,
            platform,
            reviewedBy: reviewer.by,
            version: await versionOf(upload),
            comment,
          },
        }),
        wakeAt: null,
      };
    },
  };
}
