import { AppError, type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import type { Block } from "../blocks/rules.ts";
import { postWarnings, withWarnings } from "../content/as-published.ts";
import { type Done, type Looked, once, type Steps } from "../idempotency/once.ts";
import type { StoredAnswer } from "../idempotency/repo.ts";
import { type Claim, createPreparer } from "../limits/content-rules.ts";
import { uploadById } from "../posts/repo/read.ts";
import type { UploadRecord, UploadRow } from "../posts/table.ts";
import { readBlocks } from "./blocks.ts";
import { composePost } from "./compose.ts";
import { type Findings, lookUp } from "./lookup.ts";
import { type CheckedFiles, checkMedia, discardFiles, readPresigned, refusalsOf } from "./media.ts";
import { canonicalPost, marksAlone, type NewPost, writtenTexts } from "./new-post.ts";
import { claimsOf, type StoredPosts, storePosts } from "./store-posts.ts";

/** The stored answer to a call with an idempotency key. */
type FirstState = Pick<UploadRecord, "status"> & {
  scheduledFor: string | null;
  warnings?: string[];
};

export type CreatedPost = UploadRecord & { warnings: readonly string[] };

/**
 * After an error, nothing is stored.
 *
 * @throws AppError 400 with every refused field, NOT_FOUND, and what `composePost` and `once` throw
 */
export function createPost(
  ctx: Ctx,
  post: NewPost,
  looked?: Looked<Findings>,
): Promise<Done<CreatedPost>> {
  return takeOnce<CreatedPost>(ctx, post, looked, {
    compose: async ({ facts: [facts], recent }, { media }, blocks) => {
      const accountId = requireOneAccount(post, refusalsOf(media));
      if (!facts) throw unknownAccount(accountId);
      const refused = [...post.refused.fields, ...marksAlone(post.settings)];
      const own = { ...post, media, refused };
      const situation = { facts, recent, taken: 0, blocks, prepare: createPreparer() };
      const row = await composePost(ctx, own, situation);
      const { status, scheduledFor } = row;
      const warnings = await postWarnings(ctx.config, row, writtenTexts(post));
      const answer: FirstState = {
        status,
        scheduledFor: scheduledFor?.toISOString() ?? null,
        ...withWarnings(warnings),
      };
      const toResult = ([upload]: readonly UploadRow[]) =>
        upload ? { ...upload, warnings } : null;
      return { rows: [row], plan: facts.plan, answer, toResult };
    },
    replay: (stored) => replayPost(ctx, stored),
  });
}

interface Composition<R> extends Pick<StoredPosts, "rows" | "plan"> {
  answer: unknown;
  toResult(created: readonly UploadRow[]): R | null;
}

interface CreateSteps<R> extends Pick<Steps<Findings, R>, "replay"> {
  compose(
    findings: Findings,
    files: CheckedFiles,
    blocks: readonly Block[],
  ): Promise<Composition<R>>;
}

/** Deletes files that came with a refused or repeated call. */
export async function takeOnce<R>(
  ctx: Ctx,
  post: NewPost,
  looked: Looked<Findings> | undefined,
  { compose, replay }: CreateSteps<R>,
): Promise<Done<R>> {
  let claims: Claim[] = [];
  try {
    const done = await once<Findings, R>(ctx, post.call, () => canonicalPost(post), {
      look: async (losses) =>
        (losses === 0 && looked) || lookUp(ctx, post, { countsDrafts: losses > 0, claims }),
      make: async (findings, first) => {
        const presigned = await readPresigned(ctx, post);
        const media = checkMedia(ctx, post.media, findings.files, presigned);
        const blocks = await readBlocks(ctx, post);
        const { answer, toResult, ...posts } = await compose(
          findings,
          { media, presigned },
          blocks,
        );
        claims = claimsOf(posts.rows);
        const stored = { ...posts, media: post.media, presigned };
        const created = await storePosts(ctx, stored, first, answer);
        return created && toResult(created);
      },
      replay,
    });
    if (done.isReplayed) ctx.defer(discardFiles(ctx, post.media));
    return done;
  } catch (error) {
    if (error instanceof AppError) ctx.defer(discardFiles(ctx, post.media));
    throw error;
  }
}

/** @throws AppError 400 unless the post names exactly one account */
function requireOneAccount({ accountIds }: NewPost, errors: readonly FieldError[]): string {
  const [id, ...others] = accountIds;
  if (id !== undefined && others.length === 0) return id;
  const message =
    id === undefined
      ? "is required; send the id of a connected account"
      : "send one account; for more, use POST /upload/bulk.";
  throw invalidFields([fieldError("accountId", message), ...errors]);
}

export const unknownAccount = (id: string): AppError =>
  new AppError("NOT_FOUND", `Account ${id.slice(0, 100)} not found. GET /accounts lists yours.`);

/** Returns the post's first state, whatever its state is now. */
async function replayPost(ctx: Ctx, { answer, firstUploadId }: StoredAnswer): Promise<CreatedPost> {
  const [[created]] = await ctx.db.run([uploadById(ctx.team, firstUploadId ?? 0)]);
  if (!created)
    throw new AppError("NOT_FOUND", "The post that this call created has been deleted.");
  const { status, scheduledFor, warnings = [] } = answer as FirstState;
  const firstState = {
    status,
    scheduledFor: scheduledFor === null ? null : new Date(scheduledFor),
  };
  return { ...created.upload, ...firstState, attempt: 1, warnings };
}

/** Waits between reads of the post, in ms; 60 s together. */
const LOOKS_MS = [
  250, 250, 500, 1_000, 1_000, 2_000, 3_000, 4_000, 6_000, 8_000, 10_000, 12_000, 12_000,
];

/** Returns the post once it is published or failed, or after 60 seconds. */
export async function waitUntilDone(ctx: Ctx, upload: UploadRecord): Promise<UploadRecord> {
  let latest = upload;
  for (const ms of LOOKS_MS) {
    if (latest.status !== "pending" && latest.status !== "processing") break;
    await new Promise((resolve) => setTimeout(resolve, ms));
    const [[current]] = await ctx.db.run([uploadById(ctx.team, upload.id)]);
    latest = current?.upload ?? latest;
  }
  return latest;
}
