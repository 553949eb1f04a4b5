import type { SQL } from "drizzle-orm";
import { AppError, type FieldError, invalidFields, notFound } from "../../../core/errors.ts";
import { coversScope } from "../../../core/scopes.ts";
import { BROKEN_TEXT, isBrokenText } from "../../../core/text.ts";
import type { Actor, Ctx } from "../../../deps.ts";
import type { Post, PostMedia } from "../../../platforms/connector.ts";
import { connectorOf } from "../../../platforms/registry.ts";
import { periodOf } from "../../credits/rules.ts";
import type { MediaRow } from "../../media/repo.ts";
import { accountFacts, requireQuota } from "../create/admission.ts";
import { hashtagErrors } from "../create/compose.ts";
import { contentHash } from "../create/content-hash.ts";
import { contentViolations, prepareText, textOf } from "../create/content-rules.ts";
import { hasQuota } from "../create/room.ts";
import { boundErrors } from "../create/text-bounds.ts";
import type { UploadEdit } from "../lifecycle-schema.ts";
import { wakeOnTime } from "../publish/wake.ts";
import { blocklistOf, changeUnchanged, filesOfOwnUpload, ownUpload } from "../repo/change.ts";
import { refundFollowed } from "../repo/credits.ts";
import { emitScheduled } from "../repo/events.ts";
import { isWithinLookAhead, scheduleRefusal } from "../rules.ts";
import type { MediaRef, UploadRow } from "../table.ts";

/** What an edit may touch, as it is to be. */
type Wanted = Pick<UploadRow, "title" | "description" | "scheduledFor">;

/** Owners and admins who may publish. Source: spec, "Upload status". */
const mayApprove = ({ role, scopes }: Actor): boolean =>
  role !== "MEMBER" && coversScope(scopes, "posts:publish");

/**
 * Changes text or date of a post that nobody is publishing.
 *
 * @throws AppError NOT_FOUND, USE_APPROVAL_ACTIONS, UPLOAD_LOCKED, PLAN_LIMIT, 400 with every refused
 * field, 400 with violations
 */
export async function editUpload(ctx: Ctx, id: number, edit: UploadEdit): Promise<UploadRow> {
  const [[row], files, [blocklist = []]] = await ctx.read("posts:write", [
    ownUpload(ctx.team, id),
    filesOfOwnUpload(ctx.team, id),
    blocklistOf(ctx.team),
  ]);
  if (!row) throw notFound("Upload");
  if (edit.status !== undefined && edit.status !== row.status) {
    const message = `The post is ${row.status}. Its status is changed by submit, approve, request-changes, retry or DELETE.`;
    throw new AppError("USE_APPROVAL_ACTIONS", message);
  }
  const wanted: Wanted = {
    title: edit.title === undefined ? row.title : presence(edit.title),
    description: edit.description === undefined ? row.description : presence(edit.description),
    scheduledFor: edit.scheduledFor ?? row.scheduledFor,
  };
  const hasNewText = wanted.title !== row.title || wanted.description !== row.description;
  const hasNewDate = wanted.scheduledFor?.getTime() !== row.scheduledFor?.getTime();
  requireUnlocked(row, hasNewDate);
  await requireValid(ctx, row, wanted, files, { hasNewText, hasNewDate, blocklist });
  const place = await requirePlace(ctx, row, wanted);
  if (!hasNewText && !hasNewDate) return row;

  const set = await changesOf(ctx, row, wanted, { hasNewText, hasNewDate });
  const plannedAnew =
    row.status === "pending" && set.status === "scheduled" ? wanted.scheduledFor : null;
  const [changed] = await ctx.db.runAll([
    changeUnchanged(row, set, place ?? undefined),
    ...(plannedAnew ? [emitScheduled(ctx, row, id, plannedAnew)] : []),
    ...(set.attempt === undefined ? [] : refundFollowed(ctx.now(), row)),
  ]);
  if (changed !== 1) {
    // Where it was the plan's last place that somebody else took, that is what is told.
    await requirePlace(ctx, row, wanted);
    throw locked("The post has just changed, or is being published. Read it again.");
  }
  if (set.status === "scheduled" && set.wokenAt) await wakeOnTime(ctx, id, set.wokenAt);
  return { ...row, ...set };
}

/** Blank text is no text. */
const presence = (text: string | null): string | null =>
  text === null || text.trim() === "" ? null : text;

const locked = (message: string) => new AppError("UPLOAD_LOCKED", message);

/** @throws AppError UPLOAD_LOCKED */
function requireUnlocked({ status }: UploadRow, hasNewDate: boolean): void {
  if (status === "processing") throw locked("The post is being published and cannot be edited.");
  if (status === "completed") throw locked("The post is published and cannot be edited.");
  // Spec is silent: an attempt that is over has no time to come, and a retry goes out at once.
  if (status === "failed" && hasNewDate) {
    throw locked("The date of a failed post cannot be edited. Retry it, or create it anew.");
  }
}

/**
 * Whether a post that waits can be moved to another month: it counts for the one that it is planned for.
 * One that goes back to approval counts for none. Answers the same as a condition of the write; null where
 * no other place is taken.
 *
 * @throws AppError PLAN_LIMIT
 */
async function requirePlace(
  ctx: Ctx,
  row: UploadRow,
  { scheduledFor }: Wanted,
): Promise<SQL | null> {
  if (row.status !== "scheduled" && row.status !== "pending") return null;
  if (!mayApprove(ctx.actor)) return null;
  if (!scheduledFor || periodOf(scheduledFor) === periodOf(row.sortAt)) return null;
  const [[facts]] = await ctx.db.run([accountFacts(ctx, ctx.team, [row.accountId])]);
  if (!facts) return null;
  requireQuota(facts, scheduledFor);
  return hasQuota(ctx.team, facts.plan, scheduledFor);
}

/** @throws AppError 400 with every refused field, or with violations */
async function requireValid(
  ctx: Ctx,
  row: UploadRow,
  wanted: Wanted,
  files: readonly MediaRow[],
  edit: { hasNewText: boolean; hasNewDate: boolean; blocklist: readonly string[] },
): Promise<void> {
  const errors: FieldError[] = [];
  for (const field of ["title", "description"] as const) {
    if (isBrokenText(wanted[field] ?? "")) {
      errors.push({ field, message: `${field}: ${BROKEN_TEXT}.` });
    }
  }
  const now = ctx.now();
  const { scheduledFor } = wanted;
  const refusal = edit.hasNewDate && scheduledFor && scheduleRefusal(scheduledFor, now);
  if (refusal) errors.push({ field: "scheduledFor", message: `scheduledFor: ${refusal}.` });
  if (edit.hasNewText) {
    const { title, description } = wanted;
    const texts = { title: [title ?? ""], description: [description ?? ""] };
    errors.push(...boundErrors(new Map(Object.entries(texts))));
    errors.push(...(await textProblems(row, wanted, files)));
    errors.push(...hashtagErrors(wanted, connectorOf(row.platform).capabilities));
  }
  if (errors.length > 0) throw invalidFields(errors);
  if (!edit.hasNewText || row.status === "draft") return;
  const { platform, media } = row;
  const text = await prepareText(textOf(wanted));
  const violations = contentViolations(
    { platform, media, text, at: scheduledFor ?? now, blocklist: edit.blocklist },
    [],
  );
  const [first] = violations;
  if (first)
    throw new AppError(null, first.message, { extras: { message: first.message, violations } });
}

const UNKNOWN = { mime: null, sizeBytes: null, width: null, height: null };

/**
 * What the network would refuse in the post with its new text. Of a file that is still behind a URL it
 * is not known what it is: only what is wrong whatever it is counts.
 */
async function textProblems(
  row: UploadRow,
  wanted: Wanted,
  files: readonly MediaRow[],
): Promise<FieldError[]> {
  const check = (kindOfUrls: PostMedia["kind"]) => {
    const toMedia = (item: MediaRef): PostMedia => {
      if (!("sha256" in item)) return { ...UNKNOWN, kind: kindOfUrls };
      const file = files.find(({ sha256 }) => sha256 === item.sha256);
      return file ?? { ...UNKNOWN, kind: item.kind };
    };
    const thumbnail = row.media.findLast(({ role }) => role === "thumbnail");
    const post: Post = {
      title: wanted.title,
      description: wanted.description,
      media: row.media.filter(({ role }) => role === undefined).map(toMedia),
      thumbnail: thumbnail ? toMedia(thumbnail) : null,
      settings: row.settings,
    };
    return connectorOf(row.platform).check(post);
  };
  const asImages = await check("image");
  if (!row.media.some((item) => "url" in item)) return asImages;
  const asVideos = (await check("video")).map(({ message }) => message);
  return asImages.filter(({ message }) => asVideos.includes(message));
}

async function changesOf(
  ctx: Ctx,
  row: UploadRow,
  wanted: Wanted,
  { hasNewText, hasNewDate }: { hasNewText: boolean; hasNewDate: boolean },
): Promise<Partial<UploadRow>> {
  const isTrusted = mayApprove(ctx.actor);
  const isWaiting = row.status === "scheduled" || row.status === "pending";
  const approval = hasNewText
    ? {
        approvedHash: await approvalOf(row, wanted, isTrusted),
        textDigest: (await prepareText(textOf(wanted))).digest,
      }
    : {};
  const date = hasNewDate && wanted.scheduledFor ? { sortAt: wanted.scheduledFor } : {};
  // What was paid is given back: the next attempt pays what the post costs then.
  const isPaid = (row.creditsSpent ?? 0) > (row.creditsRefunded ?? 0);
  const anew = isWaiting && isPaid ? { attempt: row.attempt + 1 } : {};
  const set: Partial<UploadRow> = { ...wanted, ...approval, ...date, ...anew };
  // What was prepared at the platform may hold the old text; an earlier try's words are of the old post.
  const afresh = { backoffs: 0, submits: 0, bookmark: null, errorMessage: null };
  if (isWaiting && !isTrusted) {
    const held = { status: "pending_approval", approvedHash: null } as const;
    return { ...set, ...afresh, ...held, dueAt: null, wokenAt: null };
  }
  if (isWaiting && hasNewDate && wanted.scheduledFor) {
    const at = wanted.scheduledFor;
    const wokenAt = isWithinLookAhead(at, ctx.now()) ? at : null;
    return { ...set, ...afresh, status: "scheduled", dueAt: at, wokenAt };
  }
  return row.status === "pending" ? { ...set, bookmark: null } : set;
}

/**
 * What an approval is bound to after an edit of the content. A failed post that was never approved is
 * bound to what it was when somebody less trusted edits it, so that no retry lets the edit through.
 */
async function approvalOf(
  row: UploadRow,
  wanted: Wanted,
  isTrusted: boolean,
): Promise<string | null> {
  if (isTrusted) return row.approvedHash && contentHash({ ...row, ...wanted });
  return row.status === "failed" ? (row.approvedHash ?? contentHash(row)) : row.approvedHash;
}
