import { AppError } from "../../../core/errors.ts";
import type { Plan } from "../../../core/plans.ts";
import type { Ctx } from "../../../deps.ts";
import { type NamedCall, requireSameCall } from "../../idempotency/repo.ts";
import { uploadById } from "../repo/read.ts";
import type { UploadRecord } from "../table.ts";
import { composePost, type NewRow } from "./compose.ts";
import { createPreparer } from "./content-rules.ts";
import {
  accountIn,
  discardFiles,
  fingerprintOf,
  type ReceivedPost,
  receivePost,
  requireOneAccount,
  takeIn,
} from "./intake.ts";
import { storePosts } from "./store-posts.ts";

/** A post that was taken in. `isReplayed`: by an earlier call of the same name. */
export interface Taken {
  upload: UploadRecord;
  isReplayed: boolean;
}

/** What is remembered of a call: the post as it began. */
type Begun = Pick<UploadRecord, "status"> & { scheduledFor: string | null };

/**
 * Takes in one post for one account and queues it.
 *
 * @throws AppError 400 with every refused field, NOT_FOUND, and what `composePost` throws; then nothing
 * is stored. IDEMPOTENCY_MISMATCH
 */
export async function createUpload(
  ctx: Ctx,
  request: Request,
  call: NamedCall | null,
): Promise<Taken> {
  const intake = { accountsIn: accountIn, storesFiles: true, call };
  const received = await receivePost(ctx, request, intake);
  const { media } = received;
  const fingerprint = await fingerprintOf(received);
  return takeIn(ctx, received, intake, async ({ stored, ...latest }) => {
    if (stored) {
      const answered = requireSameCall(stored, fingerprint);
      ctx.defer(discardFiles(ctx, media));
      return replay(ctx, answered);
    }
    const { row, plan } = await composeOne(ctx, latest);
    const answer: Begun = {
      status: row.status,
      scheduledFor: row.scheduledFor?.toISOString() ?? null,
    };
    const remembered = call && { call, fingerprint, answer };
    const [upload] = (await storePosts(ctx, { rows: [row], media, plan }, remembered)) ?? [];
    return upload ? { upload, isReplayed: false } : null;
  });
}

async function composeOne(
  ctx: Ctx,
  received: Omit<ReceivedPost, "stored">,
): Promise<{ row: NewRow; plan: Plan }> {
  const { fields, errors, facts, ...rest } = received;
  const accountId = requireOneAccount(fields, errors);
  const [account] = facts;
  if (!account) {
    throw new AppError(
      "NOT_FOUND",
      `Account ${accountId.slice(0, 100)} not found. GET /accounts lists yours.`,
    );
  }
  const prepare = createPreparer();
  const submission = { ...rest, facts: account, fields, fileErrors: errors, taken: 0, prepare };
  return { row: await composePost(ctx, submission), plan: account.plan };
}

/** The first answer once more: the post as it began, whatever has become of it. */
async function replay(
  ctx: Ctx,
  { answer, firstUploadId }: { answer: unknown; firstUploadId: number | null },
): Promise<Taken> {
  const [[found]] = await ctx.db.run([uploadById(ctx.team, firstUploadId ?? 0)]);
  if (!found) throw new AppError("NOT_FOUND", "The post of this call has been deleted.");
  const { status, scheduledFor } = answer as Begun;
  const begun = { status, scheduledFor: scheduledFor === null ? null : new Date(scheduledFor) };
  return { upload: { ...found.upload, ...begun, attempt: 1 }, isReplayed: true };
}
