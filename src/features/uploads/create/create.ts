import { AppError, type FieldError, invalidFields } from "../../../core/errors.ts";
import type { Ctx } from "../../../deps.ts";
import { type Done, type Looked, once, type Steps } from "../../idempotency/once.ts";
import type { StoredAnswer } from "../../idempotency/repo.ts";
import { uploadById } from "../repo/read.ts";
import type { UploadRecord } from "../table.ts";
import { composePost } from "./compose.ts";
import { createPreparer } from "./content-rules.ts";
import { type Known, lookUp } from "./lookup.ts";
import { checkMedia, refusalsOf } from "./media.ts";
import { canonicalPost, type NewPost } from "./new-post.ts";
import { readPresigned } from "./presigned.ts";
import { discardFiles, storePosts } from "./store-posts.ts";

/** The stored answer to a named call: the post as it began. */
type Begun = Pick<UploadRecord, "status"> & { scheduledFor: string | null };

/**
 * Creates one post for one account and queues it.
 *
 * @param looked facts that the caller has read with `lookUp` already
 * @throws AppError 400 with every refused field, NOT_FOUND, and what `composePost` and `once` throw; then
 * nothing is stored
 */
export function createPost(
  ctx: Ctx,
  post: NewPost,
  looked?: Looked<Known>,
): Promise<Done<UploadRecord>> {
  return takeOnce(ctx, post, looked, {
    make: async ({ facts: [facts], recent, files }, first) => {
      const presigned = await readPresigned(ctx, post);
      const media = checkMedia(ctx, post.media, files, presigned);
      const accountId = requireOneAccount(post, refusalsOf(media));
      if (!facts) throw unknownAccount(accountId);
      const own = { ...post, media, refused: post.refused.fields };
      const situation = { facts, recent, taken: 0, prepare: createPreparer() };
      const row = await composePost(ctx, own, situation);
      const { status, scheduledFor } = row;
      const answer: Begun = { status, scheduledFor: scheduledFor?.toISOString() ?? null };
      const posts = { rows: [row], media: post.media, presigned, plan: facts.plan };
      const [upload = null] = (await storePosts(ctx, posts, first, answer)) ?? [];
      return upload;
    },
    replay: (stored) => replayPost(ctx, stored),
  });
}

/**
 * Creates posts once for calls of the same name. Files that came with a refused or repeated call are
 * deleted; after a broken write, `storePosts` deletes those that were not stored.
 */
export async function takeOnce<R>(
  ctx: Ctx,
  post: NewPost,
  looked: Looked<Known> | undefined,
  steps: Omit<Steps<Known, R>, "look">,
): Promise<Done<R>> {
  try {
    const done = await once(ctx, post.call, () => canonicalPost(post), {
      ...steps,
      look: async (losses) =>
        (losses === 0 && looked) || lookUp(ctx, post, { countsDrafts: losses > 0 }),
    });
    if (done.isReplayed) ctx.defer(discardFiles(ctx, post.media));
    return done;
  } catch (error) {
    if (error instanceof AppError) ctx.defer(discardFiles(ctx, post.media));
    throw error;
  }
}

/** @throws AppError 400 where no account was named, or several */
function requireOneAccount({ accountIds }: NewPost, errors: readonly FieldError[]): string {
  const [id, ...others] = accountIds;
  if (id !== undefined && others.length === 0) return id;
  const field = "accountId";
  const message =
    id === undefined
      ? "accountId: is required; send the id of a connected account"
      : "accountId: send one account; for more, use POST /upload/bulk.";
  throw invalidFields([{ field, message }, ...errors]);
}

export const unknownAccount = (id: string): AppError =>
  new AppError("NOT_FOUND", `Account ${id.slice(0, 100)} not found. GET /accounts lists yours.`);

/** Repeats the first answer: the post as it began, whatever its state now. */
async function replayPost(
  ctx: Ctx,
  { answer, firstUploadId }: StoredAnswer,
): Promise<UploadRecord> {
  const [[found]] = await ctx.db.run([uploadById(ctx.team, firstUploadId ?? 0)]);
  if (!found) throw new AppError("NOT_FOUND", "The post that this call created has been deleted.");
  const { status, scheduledFor } = answer as Begun;
  const begun = { status, scheduledFor: scheduledFor === null ? null : new Date(scheduledFor) };
  return { ...found.upload, ...begun, attempt: 1 };
}
