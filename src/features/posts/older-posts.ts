import { notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import type { OlderFilter } from "./lifecycle-schema.ts";
import { fillPage } from "./page-size.ts";
import { olderById, olderByIds, olderPage } from "./repo/older.ts";
import type { OlderRecord } from "./table.ts";

/**
 * One page, most recent first, as the older operations show posts.
 *
 * @throws AppError 400 where the answer would be too large
 */
export async function listOlderPosts(ctx: Ctx, filter: OlderFilter): Promise<OlderRecord[]> {
  const [rows] = await ctx.read("posts:read", [olderPage(ctx.team, filter)]);
  const { perPage: limit, page } = filter;
  return fillPage(rows, { parameter: "perPage", limit, page }, async (ids) => {
    const [found] = await ctx.db.run([olderByIds(ctx.team, ids)]);
    return new Map(found.map((post) => [post.id, post]));
  });
}

/** @throws AppError NOT_FOUND */
export async function getOlderPost(ctx: Ctx, id: number): Promise<OlderRecord> {
  const [[post]] = await ctx.read("posts:read", [olderById(ctx.team, id)]);
  if (!post) throw notFound("Post");
  return post;
}
