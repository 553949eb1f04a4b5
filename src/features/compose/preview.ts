import { AppError } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import type { AccountRow } from "../accounts/table.ts";
import type { MediaRow } from "../media/repo.ts";
import type { UploadRow } from "../posts/table.ts";
import { ownPost } from "./batch.ts";
import { readBlocks } from "./blocks.ts";
import { type Refusal, validatePosts } from "./bulk.ts";
import { assemblePost } from "./compose.ts";
import { lookUp } from "./lookup.ts";
import { checkMedia, readPresigned } from "./media.ts";
import type { NewPost } from "./new-post.ts";

export type PreviewedPost = Pick<
  UploadRow,
  "platform" | "title" | "description" | "settings" | "media" | "parts"
> & { account: AccountRow; files: MediaRow[] };

interface Preview {
  posts: PreviewedPost[];
  refusals: Refusal[];
}

/** What each account would publish, and why it would be refused. Stores nothing. */
export async function previewPosts(ctx: Ctx, post: NewPost): Promise<Preview> {
  const looked = await lookUp(ctx, post);
  const { facts, files } = looked.findings;
  const presigned = await readPresigned(ctx, post);
  const media = checkMedia(ctx, post.media, files, presigned);
  const blocks = await readBlocks(ctx, post);
  const posts: PreviewedPost[] = [];
  for (const accountId of post.accountIds) {
    const account = facts.find((one) => one.account.id === accountId)?.account;
    if (!account) continue;
    try {
      const own = ownPost(ctx, post, { media, presigned }, account);
      const now = ctx.now();
      const at = own.scheduledFor ?? now;
      const { post: whole, refs, parts } = await assemblePost(account, own, { now, at, blocks });
      const { title, description, settings } = whole;
      const { platform } = account;
      posts.push({ account, platform, title, description, settings, media: refs, parts, files });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  const { errors: refusals } = await validatePosts(ctx, post, looked);
  return { posts, refusals };
}
