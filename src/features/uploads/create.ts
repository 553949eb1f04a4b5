import { AppError } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { type NamedCall, requireSameCall, storedAnswer } from "../idempotency/repo.ts";
import { composePost, type NewRow } from "./compose.ts";
import {
  accountIn,
  discardFiles,
  fingerprintOf,
  type ReceivedPost,
  receivePost,
  requireOneAccount,
} from "./intake.ts";
import { uploadById } from "./repo.ts";
import { storePosts } from "./store-posts.ts";
import type { UploadRecord } from "./table.ts";

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
  const { media, stored } = received;
  const fingerprint = await fingerprintOf(received);
  let row: NewRow;
  try {
    if (stored) {
      ctx.defer(discardFiles(ctx, media));
      return await replay(ctx, requireSameCall(stored, fingerprint));
    }
    row = await composeOne(ctx, received);
  } catch (error) {
    ctx.defer(discardFiles(ctx, media));
    throw error;
  }
  const answer: Begun = {
    status: row.status,
    scheduledFor: row.scheduledFor?.toISOString() ?? null,
  };
  const remembered = call && { call, fingerprint, answer };
  const [upload] = (await storePosts(ctx, [row], media, remembered)) ?? [];
  return upload ? { upload, isReplayed: false } : replayFaster(ctx, call, fingerprint);
}

async function composeOne(ctx: Ctx, received: ReceivedPost): Promise<NewRow> {
  const { fields, errors, facts, ...rest } = received;
  const accountId = requireOneAccount(fields, errors);
  const [account] = facts;
  if (!account) {
    throw new AppError("NOT_FOUND", `Account ${accountId} not found. GET /accounts lists yours.`);
  }
  return composePost(ctx, { ...rest, facts: account, fields, fileErrors: errors, taken: 0 });
}

/** Somebody with the same key was faster: theirs is the answer. */
async function replayFaster(ctx: Ctx, call: NamedCall | null, fingerprint: string): Promise<Taken> {
  const [[stored]] = call ? await ctx.db.run([storedAnswer(ctx.team, call, ctx.now())]) : [[]];
  if (!stored) {
    throw new AppError("IDEMPOTENCY_IN_PROGRESS", "The same call is being answered. Ask again.");
  }
  return replay(ctx, requireSameCall(stored, fingerprint));
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
