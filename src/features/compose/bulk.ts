import { AppError, type FieldError, invalidFields } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import { isDraft } from "../../core/upload-status.ts";
import type { Ctx } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { Block } from "../blocks/rules.ts";
import { postWarnings, withWarnings } from "../content/as-published.ts";
import { periodOf } from "../credits/rules.ts";
import type { Done, Looked } from "../idempotency/once.ts";
import type { StoredAnswer } from "../idempotency/repo.ts";
import { createPreparer } from "../limits/content-rules.ts";
import { jobIdOf } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { batchErrors, ownPost } from "./batch.ts";
import { readBlocks } from "./blocks.ts";
import { composePost, type NewRow } from "./compose.ts";
import { takeOnce, unknownAccount } from "./create.ts";
import { type Findings, lookUp } from "./lookup.ts";
import { type CheckedFiles, checkMedia, readPresigned } from "./media.ts";
import { type NewPost, writtenTexts } from "./new-post.ts";

export interface Accepted {
  accountId: string;
  platform: Platform;
  scheduledFor: string | null;
  warnings?: string[];
}

type BulkResult =
  | (Accepted & { success: true; uploadId: number; jobId: string })
  | { accountId: string; success: false; error: string };

interface BulkOutcome {
  results: BulkResult[];
  isHeld: boolean;
  /** True when every account was refused, and not for a reason that passes by itself. */
  isHopeless: boolean;
}

/** The message counts the accepted posts and ends with `note`. */
export function tally(results: readonly { success: boolean }[], note: string | null) {
  const taken = results.filter(({ success }) => success).length;
  const message = `${taken} of ${results.length} accounts have the post.${note ? ` ${note}` : ""}`;
  return { taken, message };
}

export interface Refusal {
  /** Null for what is wrong for every account. */
  accountId: string | null;
  platform: Platform | null;
  error: string;
  /** Where single fields are to blame. */
  fields: FieldError[];
}

type Composed =
  | { accountId: string; platform: Platform; row: NewRow; warnings: string[] }
  | (Refusal & { accountId: string; isPassing: boolean });

/** The stored answer to a call with an idempotency key, without post ids, which are consecutive. */
type Remembered = ((Accepted & { isHeld?: true }) | { accountId: string; error: string })[];

async function composeAll(
  ctx: Ctx,
  post: NewPost,
  files: CheckedFiles,
  findings: Findings,
  blocks: readonly Block[],
): Promise<Composed[]> {
  const composed: Composed[] = [];
  const prepare = createPreparer();
  const seen = new Set<Platform>();
  for (const accountId of new Set(post.accountIds)) {
    const facts = findings.facts.find(({ account }) => account.id === accountId);
    const platform = facts?.account.platform ?? null;
    try {
      if (!facts) throw unknownAccount(accountId);
      const { onePerBatch } = connectorOf(facts.account.platform);
      if (onePerBatch && seen.has(facts.account.platform)) {
        throw new AppError(null, onePerBatch.refusal);
      }
      seen.add(facts.account.platform);
      const recent = findings.recent.filter((other) => other.accountId === accountId);
      const own = ownPost(ctx, post, files, facts.account);
      const month = periodOf(own.scheduledFor ?? ctx.now());
      const taken = rowsOf(composed).filter(
        ({ status, sortAt }) => isDraft(status) || periodOf(sortAt) === month,
      ).length;
      const row = await composePost(ctx, own, { facts, recent, taken, blocks, prepare });
      const warnings = await postWarnings(ctx.config, row, writtenTexts(own));
      composed.push({ accountId, platform: facts.account.platform, row, warnings });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { isPassing } = error;
      composed.push({ accountId, platform, ...toRefusal(error), isPassing });
    }
  }
  return composed;
}

function toRefusal({ message, extras }: AppError): Pick<Refusal, "error" | "fields"> {
  const fields = (extras.errors ?? []) as FieldError[];
  if (fields.length < 2) return { error: message, fields };
  const error = fields.map((one) => one.message.replace(/[^.!?]$/, "$&.")).join(" ");
  return { error, fields };
}

const refusalsAmong = (composed: readonly Composed[]): Refusal[] =>
  composed.flatMap((one) => {
    if (!("error" in one)) return [];
    const { accountId, platform, error, fields } = one;
    return [{ accountId, platform, error, fields }];
  });

const ofWhole = (errors: readonly FieldError[]): Refusal[] =>
  errors.map((one) => ({ accountId: null, platform: null, error: one.message, fields: [one] }));

/** Carries the refusals of `createPosts` with `isWhole`. */
export const refusalsOfError = ({ extras, message }: AppError): Refusal[] =>
  (extras.refusals as Refusal[] | undefined) ??
  (extras.errors
    ? ofWhole(extras.errors as FieldError[])
    : [{ accountId: null, platform: null, error: message, fields: [] }]);

/**
 * @param isWhole a refused account stops the others; otherwise they get the post
 * @throws AppError 400 for errors of the whole batch; IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_PROGRESS, QUEUE_BUSY
 */
export function createPosts(
  ctx: Ctx,
  post: NewPost,
  looked?: Looked<Findings>,
  { isWhole = false } = {},
): Promise<Done<BulkOutcome>> {
  return takeOnce(ctx, post, looked, {
    compose: async (findings, files, blocks) => {
      const errors = batchErrors(post, files.media, findings, ctx.now());
      if (errors.length > 0) throw invalidFields(errors);
      const composed = await composeAll(ctx, post, files, findings, blocks);
      const refusals = isWhole ? refusalsAmong(composed) : [];
      if (refusals.length > 0) {
        const message = "An account does not take the post, and nothing was published.";
        throw new AppError(null, message, { extras: { refusals } });
      }
      const answer = toRemembered(composed);
      const isHopeless = composed.every((one) => "error" in one && !one.isPassing);
      const toResult = ([first]: readonly UploadRow[]) => ({
        ...toOutcome(answer, first?.id ?? 0),
        isHopeless,
      });
      return { rows: rowsOf(composed), plan: findings.facts[0]?.plan, answer, toResult };
    },
    replay: ({ answer, firstUploadId }: StoredAnswer) =>
      toOutcome(answer as Remembered, firstUploadId ?? 0),
  });
}

const rowsOf = (composed: readonly Composed[]): NewRow[] =>
  composed.flatMap((one) => ("row" in one ? [one.row] : []));

const toRemembered = (composed: readonly Composed[]): Remembered =>
  composed.map((one) =>
    "row" in one
      ? {
          accountId: one.accountId,
          platform: one.platform,
          scheduledFor: one.row.scheduledFor?.toISOString() ?? null,
          ...(one.row.status === "pending_approval" ? { isHeld: true as const } : {}),
          ...withWarnings(one.warnings),
        }
      : { accountId: one.accountId, error: one.error },
  );

function toResults(answer: Remembered, firstId: number): BulkResult[] {
  let next = firstId;
  return answer.map((one) => {
    if ("error" in one) return { accountId: one.accountId, success: false, error: one.error };
    const uploadId = next++;
    const { accountId, platform, scheduledFor } = one;
    const jobId = jobIdOf(uploadId, 1);
    const rest = { uploadId, jobId, scheduledFor, ...withWarnings(one.warnings) };
    return { accountId, platform, success: true, ...rest };
  });
}

const toOutcome = (answer: Remembered, firstId: number): BulkOutcome => ({
  results: toResults(answer, firstId),
  isHeld: answer.some((one) => "isHeld" in one),
  // An answer without posts is not stored.
  isHopeless: false,
});

interface Validation {
  errors: Refusal[];
  targets: Accepted[];
  isHeld: boolean;
}

export async function validatePosts(
  ctx: Ctx,
  post: NewPost,
  looked?: Looked<Findings>,
): Promise<Validation> {
  const { findings } = looked ?? (await lookUp(ctx, post));
  const presigned = await readPresigned(ctx, post);
  const media = checkMedia(ctx, post.media, findings.files, presigned);
  const whole = batchErrors(post, media, findings, ctx.now());
  if (whole.length > 0) return { errors: ofWhole(whole), targets: [], isHeld: false };
  const blocks = await readBlocks(ctx, post);
  let composed = await composeAll(ctx, post, { media, presigned }, findings, blocks);
  // Drafts are counted only when needed.
  if (rowsOf(composed).some(({ status }) => isDraft(status))) {
    const again = await lookUp(ctx, post, { countsDrafts: true });
    composed = await composeAll(ctx, post, { media, presigned }, again.findings, blocks);
  }
  return {
    errors: refusalsAmong(composed),
    targets: composed.flatMap((one) => {
      if ("error" in one) return [];
      const { accountId, platform, row } = one;
      const scheduledFor = row.scheduledFor?.toISOString() ?? null;
      return [{ accountId, platform, scheduledFor, ...withWarnings(one.warnings) }];
    }),
    isHeld: rowsOf(composed).some(({ status }) => status === "pending_approval"),
  };
}
