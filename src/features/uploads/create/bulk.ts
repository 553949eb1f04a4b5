import { AppError, type FieldError } from "../../../core/errors.ts";
import type { Platform } from "../../../core/platforms.ts";
import type { Ctx } from "../../../deps.ts";
import { type NamedCall, requireSameCall, type StoredAnswer } from "../../idempotency/repo.ts";
import { isDraft, jobIdOf } from "../rules.ts";
import { accountsIn, batchErrors, formFor, requireBatch } from "./bulk-form.ts";
import { composePost, type NewRow } from "./compose.ts";
import { createPreparer } from "./content-rules.ts";
import {
  discardFiles,
  fingerprintOf,
  lookAgain,
  type ReceivedPost,
  receivePost,
  takeIn,
} from "./intake.ts";
import { storePosts } from "./store-posts.ts";

/** What became of one account of a batch. */
export type BulkResult =
  | {
      accountId: string;
      platform: Platform;
      success: true;
      uploadId: number;
      jobId: string;
      scheduledFor: string | null;
    }
  | { accountId: string; success: false; error: string };

export interface BulkOutcome {
  results: BulkResult[];
  /** The posts are held for approval. */
  isHeld: boolean;
  isReplayed: boolean;
}

/** A post that one account of a batch can take, or why it cannot. */
type Drafted =
  | { accountId: string; platform: Platform; row: NewRow }
  | { accountId: string; platform: Platform | null; error: string };

/** As it is remembered: without ids, which follow each other. */
type Remembered = (
  | { accountId: string; platform: Platform; scheduledFor: string | null; isHeld?: true }
  | { accountId: string; error: string }
)[];

/** A post for each account, in the order of the batch. */
async function draftPosts(ctx: Ctx, received: ReceivedPost): Promise<Drafted[]> {
  const drafted: Drafted[] = [];
  const prepare = createPreparer();
  let hasX = false;
  let taken = 0;
  for (const accountId of accountsIn(received.fields) ?? []) {
    const facts = received.facts.find(({ account }) => account.id === accountId);
    const platform = facts?.account.platform ?? null;
    try {
      if (!facts) {
        throw new AppError(
          "NOT_FOUND",
          `Account ${accountId.slice(0, 100)} not found. GET /accounts lists yours.`,
        );
      }
      // Source: spec, "Bulk upload".
      if (facts.account.platform === "x" && hasX) {
        throw new AppError(null, "A batch takes one X account; send the others on their own.");
      }
      hasX ||= facts.account.platform === "x";
      const recent = received.recent.filter((post) => post.accountId === accountId);
      const row = await composePost(ctx, {
        facts,
        ...formFor(ctx, received, facts.account),
        fileErrors: received.errors,
        origin: received.origin,
        recent,
        taken,
        prepare,
      });
      taken++;
      drafted.push({ accountId, platform: facts.account.platform, row });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      drafted.push({ accountId, platform, error: inFull(error) });
    }
  }
  return drafted;
}

/** An account has one line for all that is wrong with its post. */
function inFull({ message, extras }: AppError): string {
  const errors = (extras.errors ?? []) as FieldError[];
  if (errors.length < 2) return message;
  return errors.map((error) => error.message.replace(/[^.!?]$/, "$&.")).join(" ");
}

/**
 * Takes in one post for many accounts, its files stored once. One account that cannot have it stops no
 * other.
 *
 * @throws AppError 400 for what is wrong with the batch as a whole; IDEMPOTENCY_MISMATCH
 */
export async function createBatch(
  ctx: Ctx,
  request: Request,
  call: NamedCall | null,
): Promise<BulkOutcome> {
  const intake = { accountsIn, storesFiles: true, call };
  const received = await receivePost(ctx, request, intake);
  const { media } = received;
  const fingerprint = await fingerprintOf(received);
  return takeIn(ctx, received, intake, async (latest) => {
    if (latest.stored) {
      const answered = requireSameCall(latest.stored, fingerprint);
      ctx.defer(discardFiles(ctx, media));
      return replay(answered);
    }
    requireBatch(latest, ctx.now());
    const drafted = await draftPosts(ctx, latest);
    const answer = toRemembered(drafted);
    const rows = rowsOf(drafted);
    const [facts] = latest.facts;
    if (rows.length === 0 || !facts) {
      ctx.defer(discardFiles(ctx, media));
      return toOutcome(answer, 0, false);
    }
    const posts = { rows, media, plan: facts.plan };
    const created = await storePosts(ctx, posts, call && { call, fingerprint, answer });
    const [first] = created ?? [];
    return first ? toOutcome(answer, first.id, false) : null;
  });
}

const rowsOf = (drafted: readonly Drafted[]): NewRow[] =>
  drafted.flatMap((draft) => ("row" in draft ? [draft.row] : []));

const toRemembered = (drafted: readonly Drafted[]): Remembered =>
  drafted.map((draft) =>
    "row" in draft
      ? {
          accountId: draft.accountId,
          platform: draft.platform,
          scheduledFor: draft.row.scheduledFor?.toISOString() ?? null,
          ...(draft.row.status === "pending_approval" ? { isHeld: true as const } : {}),
        }
      : { accountId: draft.accountId, error: draft.error },
  );

function toResults(answer: Remembered, firstId: number): BulkResult[] {
  let next = firstId;
  return answer.map((one) => {
    if ("error" in one) return { accountId: one.accountId, success: false, error: one.error };
    const uploadId = next++;
    const { accountId, platform, scheduledFor } = one;
    const jobId = jobIdOf(uploadId, 1);
    return { accountId, platform, success: true, uploadId, jobId, scheduledFor };
  });
}

const toOutcome = (answer: Remembered, firstId: number, isReplayed: boolean): BulkOutcome => ({
  results: toResults(answer, firstId),
  isHeld: answer.some((one) => "isHeld" in one),
  isReplayed,
});

const replay = ({ answer, firstUploadId }: StoredAnswer): BulkOutcome =>
  toOutcome(answer as Remembered, firstUploadId ?? 0, true);

/** What a batch would be told, without being taken in. */
export interface Validation {
  errors: { accountId: string | null; platform: Platform | null; error: string }[];
  targets: { accountId: string; platform: Platform; scheduledFor: string | null }[];
}

/** The checks of `createBatch`, by the same code; nothing is stored, nothing goes out. */
export async function validateBatch(ctx: Ctx, request: Request): Promise<Validation> {
  const intake = { accountsIn, storesFiles: false, call: null };
  const received = await receivePost(ctx, request, intake);
  const whole = batchErrors(received, ctx.now());
  if (whole.length > 0) {
    const errors = whole.map(({ message }) => ({
      accountId: null,
      platform: null,
      error: message,
    }));
    return { errors, targets: [] };
  }
  let drafted = await draftPosts(ctx, received);
  // How many drafts there are is counted only for those who want to have one more.
  if (rowsOf(drafted).some(({ status }) => isDraft(status))) {
    drafted = await draftPosts(ctx, await lookAgain(ctx, received, intake));
  }
  return {
    errors: drafted.flatMap((draft) =>
      "error" in draft
        ? [{ accountId: draft.accountId, platform: draft.platform, error: draft.error }]
        : [],
    ),
    targets: drafted.flatMap((draft) =>
      "row" in draft
        ? [
            {
              accountId: draft.accountId,
              platform: draft.platform,
              scheduledFor: draft.row.scheduledFor?.toISOString() ?? null,
            },
          ]
        : [],
    ),
  };
}
