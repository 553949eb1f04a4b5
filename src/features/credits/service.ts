import { notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { creditBalance } from "./repo/balances.ts";
import { COSTS, totalOf } from "./rules.ts";
import type { Credits } from "./schema.ts";

export async function readCredits(ctx: Ctx): Promise<Credits> {
  const [[balance]] = await ctx.read("posts:read", [creditBalance(ctx, ctx.team)]);
  if (!balance) throw notFound("Team");
  return {
    balance: { ...balance, total: totalOf(balance) },
    costs: { ...COSTS },
    packs: ctx.config.plans.packs.map(({ name, credits, price }) => ({ name, credits, price })),
  };
}
