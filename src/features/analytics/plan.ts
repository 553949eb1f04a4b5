import { AppError } from "../../core/errors.ts";
import type { PlanName } from "../../core/plans.ts";
import type { Deps } from "../../deps.ts";

/** @param plan of a team; null is the instance's own */
export function hasAnalytics({ config }: Pick<Deps, "config">, plan: PlanName | null): boolean {
  const { plans, defaultPlan } = config;
  return plans.plans[plan ?? defaultPlan].analytics;
}

/** @throws AppError FORBIDDEN */
export function requireAnalytics(deps: Pick<Deps, "config">, plan: PlanName | null | undefined) {
  if (hasAnalytics(deps, plan ?? null)) return;
  throw new AppError("FORBIDDEN", "The team's plan has no analytics. Change the plan to see them.");
}
