import { notFound } from "../../core/errors.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { type CreditDrift, creditBalance, creditDrifts } from "./repo/balances.ts";
import { COSTS, totalOf } from "./rules.ts";
import type { Credits } from "./schema.ts";

/** The team's credits, what posts cost, and what can be bought. */
export async function readCredits(ctx: Ctx): Promise<Credits> {
  const [[balance]] = await ctx.read("posts:read", [creditBalance(ctx, ctx.team)]);
  if (!balance) throw notFound("Team");
  return {
    balance: { ...balance, total: totalOf(balance) },
    costs: { ...COSTS },
    packs: ctx.config.plans.packs.map(({ name, credits, price }) => ({ name, credits, price })),
  };
}

/** Teams that one statement compares. */
const TEAMS_PER_PAGE = 100;

interface DriftPage {
  drifts: CreditDrift[];
  /** The team to go on after; null at the end. */
  next: number | null;
}

/** The teams, of the next page after that one, whose ledger does not add up to their balance. */
export async function creditDrift(
  deps: Pick<Deps, "db">,
  afterTeam = 0,
  limit = TEAMS_PER_PAGE,
): Promise<DriftPage> {
  const [teams] = await deps.db.run([creditDrifts(afterTeam, limit)]);
  const last = teams.length === limit ? teams.at(-1) : undefined;
  return {
    drifts: teams.filter(({ periods, purchased }) => periods !== 0 || purchased !== 0),
    next: last?.teamId ?? null,
  };
}

/** A page of the nightly check. It reports a drift and repairs nothing: a person has to know why. */
export async function checkCredits(deps: Deps, cursor: string | null): Promise<string | null> {
  const { drifts, next } = await creditDrift(deps, Number(cursor ?? 0));
  for (const drift of drifts) deps.log({ event: "credits.drift", ...drift });
  return next === null ? null : String(next);
}
