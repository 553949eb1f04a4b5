import { notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { olderById, olderPage } from "./lifecycle-repo.ts";
import type { OlderFilter } from "./lifecycle-schema.ts";
import type { OlderRecord } from "./table.ts";

/** One page, most recent first, as the older operations show posts. */
export async function listOlderPosts(ctx: Ctx, filter: OlderFilter): Promise<OlderRecord[]> {
  const [page] = await ctx.read("posts:read", [olderPage(ctx.team, filter)]);
  return page;
}

/** @throws AppError NOT_FOUND */
export async function getOlderPost(ctx: Ctx, id: number): Promise<OlderRecord> {
  const [[post]] = await ctx.read("posts:read", [olderById(ctx.team, id)]);
  if (!post) throw notFound("Post");
  return post;
}
