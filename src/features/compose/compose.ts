import type { FieldError } from "../../core/errors.ts";
import { nullIfBlank } from "../../core/text.ts";
import { groupOf, isDraft } from "../../core/upload-status.ts";
import type { Ctx } from "../../deps.ts";
import type { Connector, PostMedia } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { Block } from "../blocks/rules.ts";
import { UNKNOWN_FILE, withOwnMentions } from "../content/as-published.ts";
import { downloadDue } from "../content/files.ts";
import { type PreparedText, type RecentPost, textOf, withFiles } from "../limits/content-rules.ts";
import {
  type AccountFacts,
  capViolation,
  requireActive,
  requireCredits,
  requireDraftRoom,
  requireRoom,
} from "../limits/rules.ts";
import { countPosts, wholeText } from "../posts/parts.ts";
import { initialStatus, isWithinLookAhead } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { describeFiles, withoutCommon } from "./alt-texts.ts";
import { fillBlocks } from "./blocks.ts";
import { fieldErrors, judge, partsOf, targetOf } from "./judge.ts";
import { type CheckedMedia, isThumbnail, refusalsOf } from "./media.ts";
import { type NewPost, namesParts, type RawSettings } from "./new-post.ts";

export type NewRow = Omit<UploadRow, "id">;

export interface OwnPost
  extends Pick<
    NewPost,
    "title" | "description" | "settings" | "scheduledFor" | "status" | "origin"
  > {
  media: readonly CheckedMedia[];
  refused: readonly FieldError[];
  dateField?: string;
}

interface Situation {
  facts: AccountFacts;
  recent: readonly RecentPost[];
  taken: number;
  /** X credits that other posts of the same call cost. */
  spoken?: number;
  /** The team's blocks; none are read for a post that names none. */
  blocks: readonly Block[];
  prepare(text: string): Promise<PreparedText>;
}

/** Applies what the platform reads from the fields, without judging it. */
export async function assemblePost(
  account: AccountFacts["account"],
  written: Omit<OwnPost, "origin" | "scheduledFor" | "dateField">,
  { now, at, blocks }: { now: Date; at: Date; blocks: readonly Block[] },
) {
  const connector = connectorOf(account.platform);
  const { filled: sent, errors: blockErrors, isHeld } = fillBlocks(written, blocks, account);
  const own = {
    ...sent,
    title: withOwnMentions(connector.mentions, sent.title),
    description: withOwnMentions(connector.mentions, sent.description),
  };
  const described = describeFiles(own.media, own.settings, account.platform);
  const read = readSettings(connector, described.settings);
  const whole = {
    raw: own.settings,
    texts: own,
    media: described.media,
    settings: read.settings,
  };
  const target = targetOf(account, now, at);
  const follows = namesParts(own.settings) ? await partsOf(connector, whole, target) : null;
  const media = follows?.media ?? described.media;
  const { refs, ...files } = toFiles(described.isOwn ? withoutCommon(media) : media);
  const { title: rawTitle, description: rawDescription } = follows?.texts ?? own;
  const [title, description] = [nullIfBlank(rawTitle), nullIfBlank(rawDescription)];
  const post = { title, description, ...files, settings: read.settings };
  const parts = follows && follows.parts.length > 0 ? follows.parts : null;
  return {
    own,
    described,
    follows,
    refs,
    post,
    parts,
    settingErrors: [...blockErrors, ...read.errors],
    isHeld,
  };
}

/**
 * Judges a new post and checks the account's limits.
 *
 * @throws AppError ACCOUNT_INACTIVE, PLAN_LIMIT, QUEUE_FULL, QUEUE_BUSY, and what `judge` throws
 */
export async function composePost(
  ctx: Ctx,
  { scheduledFor, dateField: field = "schedule_date", origin, ...sent }: OwnPost,
  { facts, recent, taken, spoken = 0, blocks, prepare }: Situation,
): Promise<NewRow> {
  const { account } = facts;
  requireActive(ctx, facts);
  const now = ctx.now();
  const at = scheduledFor ?? now;
  const { own, described, follows, refs, post, parts, settingErrors, isHeld } = await assemblePost(
    account,
    sent,
    { now, at, blocks },
  );
  const usual = initialStatus(sent.status, scheduledFor, ctx.actor);
  const status = isHeld && usual !== "draft" ? "pending_approval" : usual;
  const posts = countPosts(parts);
  const text = await prepare(wholeText({ parts }, textOf(post)));
  const texts = {
    ...described.settings,
    alt_text: described.texts,
    title: own.title,
    description: own.description,
  };
  const date = { field, at: scheduledFor };
  const errors = [
    ...refusalsOf(own.media),
    ...described.errors,
    ...fieldErrors({ texts, refused: own.refused, date }, now),
    ...settingErrors,
    ...(follows?.errors ?? []),
  ];
  const { platform } = account;
  const subject = { platform, account, post, refs, status, at, text, errors };
  const cap = status === "pending" ? capViolation(ctx, facts, posts) : null;
  const { blocklist, bannedHashtags } = facts;
  await judge(ctx, subject, { blocklist, bannedHashtags, recent, cap });
  if (isDraft(status)) {
    requireDraftRoom(facts, taken);
  } else {
    requireRoom(facts, at, taken);
    await requireCredits(facts, { ...post, parts }, at, now, spoken);
  }
  const dueAt = isDraft(status)
    ? downloadDue({ platform, settings: post.settings, media: refs }, now).dueAt
    : status === "pending"
      ? now
      : scheduledFor;
  return {
    ...EMPTY_JOB,
    teamId: account.teamId,
    accountId: account.id,
    platform,
    createdBy: ctx.actor.userId,
    status,
    statusGroup: groupOf(status),
    title: post.title,
    description: post.description,
    textDigest: await withFiles(text.digest, refs),
    settings: post.settings,
    parts,
    posts,
    media: refs,
    fileSize: post.media.reduce((total, { sizeBytes }) => total + (sizeBytes ?? 0), 0),
    origin,
    scheduledFor,
    sortAt: at,
    createdAt: now,
    dueAt,
    wokenAt: dueAt && isWithinLookAhead(dueAt, now) ? dueAt : null,
  };
}

const EMPTY_JOB = {
  attempt: 1,
  backoffs: 0,
  stage: "preparing",
  bookmark: null,
  fence: 0,
  leaseUntil: null,
  crashes: 0,
  progressedAt: null,
  submittedAt: null,
  countedAt: null,
  uploadedAt: null,
  unpublishStartedAt: null,
  unpublishLeaseUntil: null,
  removals: null,
  unpublishedAt: null,
  correction: null,
  backedUpAt: null,
  failedAt: null,
  failureCode: null,
  errorMessage: null,
  metadata: null,
  approvedHash: null,
  approvedBy: null,
  approverId: null,
  editedFields: null,
  reviewComment: null,
  deletedAt: null,
  creditsSpent: null,
  creditsRefunded: null,
  restarts: 0,
  submits: 0,
  sentBytes: null,
  part: 0,
  sourceKey: null,
} as const;

/** Leaves out invalid values, so that the rest can still be judged. */
function readSettings(
  { settings }: Connector,
  raw: RawSettings,
): { settings: Record<string, unknown>; errors: FieldError[] } {
  const { errors } = settings.read(raw);
  const wrong = new Set(errors.map(({ field }) => field));
  const readable = Object.entries(raw).filter(([name]) => !wrong.has(name));
  const { values } = settings.read(Object.fromEntries(readable));
  return { settings: values as Record<string, unknown>, errors };
}

const isOfPost = (item: CheckedMedia): boolean =>
  !isThumbnail(item) && !("ref" in item && item.ref.role === "part");

function toFiles(all: readonly CheckedMedia[]) {
  const good = all.filter((item) => "ref" in item);
  const media: PostMedia[] = [
    ...good.filter(isOfPost).map((item) => item.media),
    // The placeholder for a refused file prevents a misleading error about a missing file.
    ...all
      .filter((item) => "refusal" in item && !isThumbnail(item))
      .map(() => ({ ...UNKNOWN_FILE, kind: "image" as const })),
  ];
  const thumbnail = good.findLast(isThumbnail)?.media ?? null;
  return { media, thumbnail, refs: good.map(({ ref }) => ref) };
}
