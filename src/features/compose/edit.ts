import type { SQL } from "drizzle-orm";
import { AppError, notFound } from "../../core/errors.ts";
import { nullIfBlank } from "../../core/text.ts";
import { isDraft, STATUS_WORDS } from "../../core/upload-status.ts";
import { allOf } from "../../db/conditions.ts";
import type { Ctx } from "../../deps.ts";
import type { PartKind } from "../../platforms/part-kinds.ts";
import { wakePostOnTime } from "../../queue/wake.ts";
import { activityLine } from "../activity/repo.ts";
import { refuseMissing } from "../archive/read.ts";
import { mayUse } from "../auth/rules.ts";
import { downloadDue } from "../content/files.ts";
import { contentHash } from "../content/version.ts";
import { periodOf } from "../credits/rules.ts";
import { refundFollowed, refundNote } from "../ending/repo.ts";
import {
  type Claim,
  claimOf,
  duplicateOf,
  type PreparedText,
  prepareText,
  textOf,
  withFiles,
} from "../limits/content-rules.ts";
import { areUnclaimed, claimHolders, postsAround } from "../limits/repo/compared.ts";
import { accountFacts, wordRulesOf } from "../limits/repo/facts.ts";
import { hasQuota } from "../limits/repo/room.ts";
import { requireQuota } from "../limits/rules.ts";
import type { MediaRow } from "../media/repo.ts";
import { positionToRetry, wholeText } from "../posts/parts.ts";
import { filesOfOwnUpload, ownUpload } from "../posts/repo/read.ts";
import { changeUnchanged, emitScheduled } from "../posts/repo/write.ts";
import { isWithinLookAhead, mayApprove } from "../posts/rules.ts";
import type { EditedField, UploadRow } from "../posts/table.ts";
import { describeAnew, editErrors, sentAltTexts } from "./alt-texts.ts";
import { fillEdit } from "./blocks.ts";
import type { EditedParts, editParts } from "./edit-parts.ts";
import { editedTexts } from "./edited-texts.ts";
import {
  asJudged,
  fieldErrors,
  type HouseRules,
  judge,
  limitsOfAccount,
  refuseViolations,
} from "./judge.ts";
import type { UploadEdit } from "./schema.ts";

type EditedValues = Pick<
  UploadRow,
  "title" | "description" | "scheduledFor" | "parts" | "posts" | "media"
>;

/**
 * An edit by an owner or admin approves the new content, but a client who approved the old content sees the post again.
 * When the edit names a text block that was saved by somebody whose posts need approval, the post needs approval too.
 *
 * @throws AppError NOT_FOUND, ARCHIVED, USE_APPROVAL_ACTIONS, UPLOAD_LOCKED, PLAN_LIMIT, 400 with every refused field, 400 with
 * violations
 */
export async function editUpload(ctx: Ctx, id: number, written: UploadEdit): Promise<UploadRow> {
  const { edit, isHeld } = await fillEdit(ctx, id, written);
  const [[row], files, [words], recent] = await ctx.read("posts:write", [
    ownUpload(ctx.team, id),
    filesOfOwnUpload(ctx.team, id),
    wordRulesOf(ctx.team),
    postsAround(ctx.team, id, ctx.now(), { at: edit.scheduledFor }),
  ]);
  if (!row) throw await refuseMissing(ctx, id, notFound("Upload"));
  if (!mayUse(ctx.actor, row.accountId)) throw notFound("Upload");
  if (edit.status !== undefined && edit.status !== row.status) {
    const message = `The post is ${STATUS_WORDS[row.status]}, and an edit cannot change that. Use submit, approve, request-changes, retry or DELETE.`;
    throw new AppError("USE_APPROVAL_ACTIONS", message);
  }
  const blocklist = words?.blocklist ?? [];
  const bannedHashtags = words?.bannedHashtags?.[row.platform] ?? null;
  const namesParts = edit.thread !== undefined || edit.first_comment !== undefined;
  if (namesParts && positionToRetry(row) !== null) {
    if (isHeld) throw heldBlock();
    const { editUnsentParts } = await import("./unsent-parts.ts");
    return editUnsentParts(ctx, row, edit, { files, rules: { blocklist, bannedHashtags } });
  }
  if (row.status === "completed") {
    if (isHeld) throw heldBlock();
    const { correctUpload } = await import("./correct.ts");
    return correctUpload(ctx, row, edit, { files, rules: { blocklist, bannedHashtags } });
  }
  const sent = {
    ...editedTexts(row, edit),
    scheduledFor: edit.scheduledFor ?? row.scheduledFor,
    media: describeAnew(row, edit),
  };
  requireUnlocked(row, edit);
  const anew = await editedParts(ctx, row, edit, sent, files);
  const { title, description } = anew?.texts ?? sent;
  const { parts, posts, media } = anew ?? { ...row, media: sent.media };
  const values: EditedValues = {
    ...sent,
    title: nullIfBlank(title),
    description: nullIfBlank(description),
    parts,
    posts,
    media,
  };
  const hasNewParts = partsOf(values) !== partsOf(row);
  const hasNewText =
    hasNewParts || values.title !== row.title || values.description !== row.description;
  const hasNewDate = values.scheduledFor?.getTime() !== row.scheduledFor?.getTime();
  const hasNewAltTexts = altTextsOf(values) !== altTextsOf(row);
  const hasNewContent = hasNewText || hasNewAltTexts;
  const text = hasNewText ? await prepareText(wholeText(values, textOf(values))) : null;
  const others = recent.filter((other) => other.id !== id);
  const rules = { blocklist, bannedHashtags, recent: others, cap: anew?.cap ?? null };
  const changed = { text, hasNewParts, hasNewDate, hasNewAltTexts };
  await requireGood(ctx, row, values, { edit, anew, files, rules, ...changed });
  const approves = !hasNewContent || (row.approvedBy !== "client" && !isHeld);
  const isApproving = mayApprove(ctx.actor) && approves;
  const place = isApproving ? await requirePlace(ctx, row, values) : null;
  if (!hasNewContent && !hasNewDate) return row;

  const set = await changesOf(ctx, row, values, { ...changed, isApproving });
  const claims = claimsOf({ ...row, ...set });
  const plannedAnew =
    row.status === "pending" && set.status === "scheduled" ? values.scheduledFor : null;
  const endsAttempt = set.attempt !== undefined;
  const refund = endsAttempt ? refundNote(row) : {};
  const [count] = await ctx.db.runAll([
    changeUnchanged(
      row,
      { ...set, ...refund },
      allOf([...(place ? [place] : []), areUnclaimed(claims)]),
    ),
    activityLine(ctx, "upload.edited", id),
    ...(plannedAnew ? [emitScheduled(ctx, row, id, plannedAnew)] : []),
    ...(endsAttempt ? refundFollowed(ctx.now(), row) : []),
  ]);
  if (count !== 1) {
    // Another call may have taken the quota's last place or the post's claim; then the refusal says so.
    if (isApproving) await requirePlace(ctx, row, values);
    await requireUnclaimed(ctx, row, claims);
    throw locked("The post has just changed, or is being published. Read it again.");
  }
  if (set.wokenAt) await wakePostOnTime(ctx, id, set.wokenAt);
  return { ...row, ...set };
}

/** What goes out at once cannot wait for approval. */
const heldBlock = () =>
  new AppError(
    null,
    "A text block of this edit was saved by somebody whose posts need approval. Save the block yourself first, or write its text.",
  );

async function editedParts(...call: Parameters<typeof editParts>): Promise<EditedParts | null> {
  const [, , { thread, thread_marks, first_comment }] = call;
  const isMeant = [thread, thread_marks, first_comment].some((field) => field !== undefined);
  return isMeant ? (await import("./edit-parts.ts")).editParts(...call) : null;
}

const partsOf = ({ parts, media }: Pick<UploadRow, "parts" | "media">, kind?: PartKind): string =>
  JSON.stringify([
    (parts ?? []).flatMap((part) =>
      kind === undefined || part.kind === kind ? [[part.kind, part.text, part.media]] : [],
    ),
    kind === "comment" ? [] : media.map(({ role = null }) => role),
  ]);

const locked = (message: string) => new AppError("UPLOAD_LOCKED", message);

/** @throws AppError UPLOAD_LOCKED */
function requireUnlocked(
  { status, scheduledFor }: UploadRow,
  { scheduledFor: at }: UploadEdit,
): void {
  if (status === "processing") throw locked("The post is being published and cannot be edited.");
  // Spec is silent: a retry goes out at once, so a failed post takes no new date.
  if (status === "failed" && at && at.getTime() !== scheduledFor?.getTime()) {
    throw locked(
      "The date of a failed post cannot be edited. Retry the post, or create a new one.",
    );
  }
}

/**
 * Requires quota when a waiting post moves to another month. Returns the same condition as SQL for the write; null when
 * no quota is needed.
 *
 * @throws AppError PLAN_LIMIT
 */
async function requirePlace(
  ctx: Ctx,
  row: UploadRow,
  { scheduledFor }: EditedValues,
): Promise<SQL | null> {
  if (row.status !== "scheduled" && row.status !== "pending") return null;
  if (!scheduledFor || periodOf(scheduledFor) === periodOf(row.sortAt)) return null;
  const [[facts]] = await ctx.db.run([accountFacts(ctx, ctx.team, [row.accountId])]);
  if (!facts) return null;
  requireQuota(facts, scheduledFor);
  return hasQuota(ctx.team, facts.plan, scheduledFor);
}

const claimsOf = (row: UploadRow): Claim[] =>
  row.status === "scheduled" || row.status === "pending"
    ? [claimOf(row, row.sortAt, row.id) ?? []].flat()
    : [];

/** @throws AppError 400 with the violation when another post has the same text and files */
async function requireUnclaimed(ctx: Ctx, { platform }: UploadRow, claims: Claim[]): Promise<void> {
  if (claims.length === 0) return;
  const [[holder]] = await ctx.db.run([claimHolders(claims)]);
  if (holder) refuseViolations([duplicateOf(platform, holder)]);
}

const altTextsOf = ({ media }: Pick<UploadRow, "media">): string =>
  JSON.stringify(media.map(({ altText = null }) => altText));

interface Judging {
  edit: UploadEdit;
  anew: EditedParts | null;
  files: readonly MediaRow[];
  rules: HouseRules;
  text: PreparedText | null;
  hasNewDate: boolean;
  hasNewAltTexts: boolean;
}

/**
 * Judges the changed parts only.
 *
 * @throws AppError 400 with refused fields or violations
 */
async function requireGood(
  ctx: Ctx,
  row: UploadRow,
  { title, description, scheduledFor, media }: EditedValues,
  { edit, anew, files, rules, text, hasNewDate, hasNewAltTexts }: Judging,
): Promise<void> {
  const now = ctx.now();
  const subject = {
    platform: row.platform,
    status: row.status,
    text,
    isDescribedAnew: hasNewAltTexts,
    refs: media,
    at: scheduledFor ?? now,
    account: null,
    serverLimits: await limitsOfAccount(ctx, row),
    post: asJudged({ ...row, title, description, media }, files),
    errors: [
      ...fieldErrors(
        {
          texts: {
            ...(text ? { title, description } : {}),
            ...anew?.raw,
            alt_text: sentAltTexts(edit),
          },
          date: { field: "scheduledFor", at: hasNewDate ? scheduledFor : null },
        },
        now,
      ),
      ...editErrors(edit, row.media),
      ...(anew?.errors ?? []),
    ],
  };
  await judge(ctx, subject, rules);
}

async function changesOf(
  ctx: Ctx,
  row: UploadRow,
  values: EditedValues,
  changed: Pick<Judging, "text" | "hasNewDate" | "hasNewAltTexts"> & {
    hasNewParts: boolean;
    isApproving: boolean;
  },
): Promise<Partial<UploadRow>> {
  const { text, hasNewParts, hasNewDate, hasNewAltTexts, isApproving } = changed;
  const isWaiting = row.status === "scheduled" || row.status === "pending";
  const { parts, posts, media, ...texts } = values;
  const content = {
    ...(text || hasNewAltTexts ? await approvalOf(ctx, row, values, isApproving) : {}),
    ...(text ? { textDigest: await withFiles(text.digest, media) } : {}),
    ...(hasNewParts || hasNewAltTexts ? { media } : {}),
    ...(hasNewParts ? { parts, posts } : {}),
  };
  const date = hasNewDate && values.scheduledFor ? { sortAt: values.scheduledFor } : {};
  // Refunds the credits; the next attempt pays the new price.
  const isPaid = (row.creditsSpent ?? 0) > (row.creditsRefunded ?? 0);
  const anew = isWaiting && isPaid ? { attempt: row.attempt + 1 } : {};
  const editedFields = isDraft(row.status) && !isApproving ? editedOf(row, values) : null;
  const set: Partial<UploadRow> = { ...texts, ...content, ...date, ...anew, editedFields };
  // Prepared work and errors may concern the old content.
  const afresh = { backoffs: 0, submits: 0, bookmark: null, errorMessage: null };
  if (isWaiting && !isApproving) {
    // The approver stays recorded, so that the author alone cannot delete the post.
    const unapproved = {
      status: "pending_approval",
      approvedHash: null,
      approvedBy: null,
    } as const;
    return { ...set, ...afresh, ...unapproved, ...downloadDue(row, ctx.now()) };
  }
  if (isWaiting && hasNewDate && values.scheduledFor) {
    const at = values.scheduledFor;
    const wokenAt = isWithinLookAhead(at, ctx.now()) ? at : null;
    return { ...set, ...afresh, status: "scheduled", dueAt: at, wokenAt };
  }
  return row.status === "pending" ? { ...set, bookmark: null } : set;
}

function editedOf(row: UploadRow, values: EditedValues): EditedField[] {
  const isEdited: Record<EditedField, boolean> = {
    title: values.title !== row.title,
    description: values.description !== row.description,
    files: altTextsOf(values) !== altTextsOf(row),
    scheduledFor: values.scheduledFor?.getTime() !== row.scheduledFor?.getTime(),
    thread: partsOf(values, "post") !== partsOf(row, "post"),
    first_comment: partsOf(values, "comment") !== partsOf(row, "comment"),
  };
  const fields = Object.keys(isEdited) as EditedField[];
  return fields.filter((field) => isEdited[field] || row.editedFields?.includes(field));
}

/**
 * An approver's edit approves the new content. When another person edits a failed post that was never approved, the
 * hash of the old content is kept, so that a retry needs approval.
 */
async function approvalOf(
  { actor }: Ctx,
  row: UploadRow,
  values: EditedValues,
  isApproving: boolean,
): Promise<Pick<UploadRow, "approvedHash"> & Partial<UploadRow>> {
  const { approvedHash } = row;
  if (isApproving && approvedHash) {
    const approver = { approvedBy: "team", approverId: actor.userId } as const;
    return { approvedHash: await contentHash({ ...row, ...values }), ...approver };
  }
  if (isApproving || row.status !== "failed") return { approvedHash };
  return { approvedHash: approvedHash ?? (await contentHash(row)) };
}
