import { AppError, type FieldError, invalidFields, toFieldErrors } from "../../../core/errors.ts";
import { refusedHashtags } from "../../../core/hashtags.ts";
import { coversScope } from "../../../core/scopes.ts";
import { BROKEN_TEXT, isBrokenText } from "../../../core/text.ts";
import type { Ctx } from "../../../deps.ts";
import type { Capabilities, Connector, Post, PostMedia } from "../../../platforms/connector.ts";
import { fieldInfos } from "../../../platforms/kit/form-fields.ts";
import { connectorOf } from "../../../platforms/registry.ts";
import { accountRefusal } from "../../accounts/rules.ts";
import { groupOf, initialStatus, isDraft, isWithinLookAhead, scheduleRefusal } from "../rules.ts";
import { postFieldsSchema } from "../schema.ts";
import type { MediaRef, UploadRow } from "../table.ts";
import {
  type AccountFacts,
  capViolation,
  requireCredits,
  requireDraftRoom,
  requireRoom,
  type Violation,
} from "./admission.ts";
import { contentViolations, type PreparedText, type RecentPost, textOf } from "./content-rules.ts";
import type { ReceivedMedia } from "./intake.ts";
import { boundErrors } from "./text-bounds.ts";
import { pullRefusal } from "./verified-pull.ts";

export type NewRow = Omit<UploadRow, "id">;

/** One post for one account, as the caller sent it. */
export interface Submission {
  facts: AccountFacts;
  fields: Map<string, string[]>;
  media: readonly ReceivedMedia[];
  /** What was wrong with files, to be told together with the fields. */
  fileErrors: readonly FieldError[];
  /** The address of ours under which it came in. */
  origin: string;
  /** Posts of the account that it must not repeat. */
  recent: readonly RecentPost[];
  /** Posts that the same call has taken already. */
  taken: number;
  /** Makes texts ready to be compared: one for all posts of the call. */
  prepare(text: string): Promise<PreparedText>;
}

/**
 * The row of a post that can be taken.
 *
 * @throws AppError 400 with every refused field; ACCOUNT_INACTIVE, PLAN_LIMIT, QUEUE_FULL, QUEUE_BUSY;
 * 429 or 400 with violations
 */
export async function composePost(ctx: Ctx, submission: Submission): Promise<NewRow> {
  const { facts, fields, media } = submission;
  const { account } = facts;
  requireActive(ctx, facts);
  const connector = connectorOf(account.platform);
  const now = ctx.now();
  const errors = [...submission.fileErrors, ...sharedErrors(fields, now)];
  const common = readCommon(fields);
  const scheduledFor = common.data?.schedule_date ?? null;
  const own = ownFields(fields);
  const settings = connector.settings.safeParse(own);
  if (!settings.success) errors.push(...toFieldErrors(settings.error));

  const post = toPost(
    submission,
    settings.data ?? readableSettings(connector, own, settings.error?.issues ?? []),
  );
  const plan = { platformAccountId: account.platformAccountId, at: scheduledFor ?? now };
  const unfetched = pullRefusal(ctx, account, post);
  errors.push(
    ...(await connector.check(post, plan)),
    ...(unfetched ? [{ field: "photo", message: unfetched }] : []),
    ...hashtagErrors(post, connector.capabilities),
  );
  if (!common.success || !settings.success || errors.length > 0) throw invalidFields(errors);

  const mayPublish = coversScope(ctx.actor.scopes, "posts:publish");
  const status = initialStatus(common.data.status ?? null, scheduledFor, mayPublish);
  const refs = media.map(toMediaRef);
  const text = await submission.prepare(textOf(post));
  if (status !== "draft") {
    const at = scheduledFor ?? now;
    refuseViolations([
      ...(status === "pending" ? [capViolation(ctx, facts)] : []),
      ...contentViolations(
        { platform: account.platform, blocklist: facts.blocklist, text, media: refs, at },
        submission.recent,
      ),
    ]);
    if (status !== "pending_approval") {
      requireRoom(facts, at, submission.taken);
      await requireCredits(facts, post, at, now);
    }
  }
  if (isDraft(status)) requireDraftRoom(facts, submission.taken);
  const dueAt = status === "pending" ? now : status === "scheduled" ? scheduledFor : null;
  return {
    ...EMPTY_JOB,
    teamId: account.teamId,
    accountId: account.id,
    platform: account.platform,
    createdBy: ctx.actor.userId,
    status,
    statusGroup: groupOf(status),
    title: post.title,
    description: post.description,
    textDigest: text.digest,
    settings: settings.data as Record<string, unknown>,
    media: refs,
    fileSize: post.media.reduce((total, { sizeBytes }) => total + (sizeBytes ?? 0), 0),
    origin: submission.origin,
    scheduledFor,
    sortAt: scheduledFor ?? now,
    createdAt: now,
    dueAt,
    wokenAt: dueAt && isWithinLookAhead(dueAt, now) ? dueAt : null,
  };
}

/** A job on which nobody has worked yet. */
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
  failedAt: null,
  failureCode: null,
  errorMessage: null,
  metadata: null,
  approvedHash: null,
  reviewComment: null,
  deletedAt: null,
  creditsSpent: null,
  creditsRefunded: null,
  restarts: 0,
  submits: 0,
} as const;

/** @throws AppError ACCOUNT_INACTIVE */
function requireActive({ config }: Ctx, { account }: AccountFacts): void {
  const refusal = accountRefusal(account, config);
  if (refusal) throw new AppError("ACCOUNT_INACTIVE", refusal);
}

/** @throws AppError 429 for a cap, else 400 */
function refuseViolations(found: readonly (Violation | null)[]): void {
  const violations = found.filter((one) => one !== null);
  const [first] = violations;
  if (!first) return;
  const isCap = violations.some(({ type }) => type === "hard_cap");
  throw new AppError(null, first.message, {
    status: isCap ? 429 : 400,
    extras: { message: first.message, violations },
  });
}

const readCommon = (fields: Map<string, string[]>) =>
  postFieldsSchema.safeParse(
    Object.fromEntries([...fields].map(([name, values]) => [name, values.at(-1)])),
  );

/** What is wrong with a form, whichever account it is for. */
export function sharedErrors(fields: Map<string, string[]>, now: Date): FieldError[] {
  const common = readCommon(fields);
  // By itself: another field that is wrong does not keep it from being judged.
  const at = postFieldsSchema.shape.schedule_date.safeParse(fields.get("schedule_date")?.at(-1));
  const refusal = at.data && scheduleRefusal(at.data, now);
  return [
    ...textErrors(fields),
    ...boundErrors(fields),
    ...unknownFieldErrors(fields),
    ...(common.success ? [] : toFieldErrors(common.error)),
    ...(refusal ? [{ field: "schedule_date", message: `schedule_date: ${refusal}.` }] : []),
  ];
}

/** The settings without those that cannot be read: the rest of the post is judged by the others. */
function readableSettings(
  { settings }: Connector,
  own: Record<string, unknown>,
  issues: readonly { path: readonly PropertyKey[] }[],
): unknown {
  const wrong = new Set(issues.map(({ path }) => path[0]));
  return settings.parse(
    Object.fromEntries(Object.entries(own).filter(([name]) => !wrong.has(name))),
  );
}

/** A field given once as a string, a repeated one as the array of its values. */
const ownFields = (fields: Map<string, string[]>) =>
  Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );

/** Blank text is no text. */
const presence = (values: string[] | undefined): string | null => {
  const text = values?.at(-1);
  return text === undefined || text.trim() === "" ? null : text;
};

/** Fields that begin like X's and are none of them. Source: spec, "Platform fields", `x`. */
function unknownFieldErrors(fields: Map<string, string[]>): FieldError[] {
  const known = Object.keys(fieldInfos(connectorOf("x").settings));
  return [...fields.keys()]
    .filter((field) => field.startsWith("x_") && !known.includes(field))
    .map((field) => ({
      field,
      message: `${field}: is no field of X. Its fields: ${known.join(", ")}.`,
    }));
}

export const hashtagErrors = (
  post: Pick<Post, "title" | "description">,
  { bannedHashtags }: Capabilities,
): FieldError[] =>
  (["title", "description"] as const).flatMap((field) =>
    refusedHashtags(post[field] ?? "", bannedHashtags).map((hashtag) => ({
      field,
      message: `${field}: #${hashtag} is not shown there; leave it out.`,
    })),
  );

const textErrors = (fields: Map<string, string[]>): FieldError[] =>
  [...fields]
    .filter(([, values]) => values.some(isBrokenText))
    .map(([field]) => ({ field, message: `${field}: ${BROKEN_TEXT}.` }));

const UNKNOWN_IMAGE: PostMedia = {
  kind: "image",
  mime: null,
  sizeBytes: null,
  width: null,
  height: null,
};

/** A file that is still behind its URL is judged by its field alone; the job checks it again. */
const toPostMedia = (item: ReceivedMedia): PostMedia =>
  "file" in item
    ? item.file
    : { ...UNKNOWN_IMAGE, kind: item.field === "video" ? "video" : "image" };

const isThumbnail = ({ field }: { field: string }): boolean => field === "thumbnail";

function toPost({ fields, media, fileErrors }: Submission, settings: unknown): Post {
  const thumbnail = media.findLast(isThumbnail);
  return {
    title: presence(fields.get("title")),
    description: presence(fields.get("description")),
    media: [
      ...media.filter((item) => !isThumbnail(item)).map(toPostMedia),
      // A refused file is told by itself: that it is missing need not be told too.
      ...fileErrors.filter((error) => !isThumbnail(error)).map(() => UNKNOWN_IMAGE),
    ],
    thumbnail: thumbnail ? toPostMedia(thumbnail) : null,
    settings,
  };
}

const toMediaRef = (item: ReceivedMedia): MediaRef => ({
  ...("file" in item ? { sha256: item.file.sha256, kind: item.file.kind } : { url: item.url }),
  ...(isThumbnail(item) ? { role: "thumbnail" } : {}),
});
