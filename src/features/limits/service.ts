import { notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { dayOfAccount } from "./repo/facts.ts";
import { CAP_WINDOW_MS, dailyCapOf, dailyCaps } from "./rules.ts";

/**
 * Source: spec, "Daily posting caps".
 *
 * @throws AppError NOT_FOUND
 */
export async function getLimits(ctx: Ctx, accountId: string) {
  const now = ctx.now();
  const since = new Date(now.getTime() - CAP_WINDOW_MS);
  const highestCap = Math.max(...Object.values(dailyCaps(ctx)));
  const [[day]] = await ctx.read("posts:read", [
    dayOfAccount(ctx.team, accountId, since, highestCap),
  ]);
  if (!day) throw notFound("Account");
  const limit = dailyCapOf(ctx, day.platform);
  return {
    remaining: Math.max(0, limit - day.used),
    limit,
    resetAt: day.oldestAt ? new Date(day.oldestAt.getTime() + CAP_WINDOW_MS) : now,
  };
}
