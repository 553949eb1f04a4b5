import type { Ctx } from "../../deps.ts";
import { hasTag, toOverview } from "./overview.ts";
import * as repo from "./repo/read.ts";
import { requireAnalytics, requireOwn } from "./rules/access.ts";
import { joinThreads } from "./rules/threads.ts";
import type { AccountAnalytics, Overview, OverviewQuery } from "./schema.ts";

/** @throws AppError FORBIDDEN by the plan */
export async function getOverview(
  ctx: Ctx,
  { tags, timezone, source }: OverviewQuery,
): Promise<Overview> {
  const [[plan], accounts] = await ctx.read("analytics:read", [
    repo.planOf(ctx.team),
    repo.measuredAccounts({ team: ctx.team }),
  ]);
  requireAnalytics(ctx, plan);
  const asked = { now: ctx.now().getTime(), timezone, source };
  return toOverview(
    ctx,
    accounts.filter((account) => hasTag(account, tags)),
    asked,
  );
}

/** @throws AppError FORBIDDEN by the plan or for another team's account; NOT_FOUND */
export async function getAccountAnalytics(
  ctx: Ctx,
  id: string,
  { timezone, source }: Omit<OverviewQuery, "tags">,
): Promise<AccountAnalytics> {
  const [[plan], [found], [posts]] = await ctx.read("analytics:read", [
    repo.planOf(ctx.team),
    repo.findMeasured({ team: ctx.team, id }),
    repo.postsOf({ team: ctx.team, id }),
  ]);
  requireAnalytics(ctx, plan);
  const account = requireOwn(found);
  const asked = { now: ctx.now().getTime(), timezone, source };
  return {
    ...toOverview(ctx, [account], { ...asked, posts: posts && joinThreads(posts) }),
    tags: account.tags,
  };
}
