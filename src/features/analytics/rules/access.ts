import { AppError, notFound } from "../../../core/errors.ts";
import type { PlanName } from "../../../core/plans.ts";
import type { Deps } from "../../../deps.ts";

/** @param plan null for the instance's default */
export function hasAnalytics({ config }: Pick<Deps, "config">, plan: PlanName | null): boolean {
  const { plans, defaultPlan } = config;
  return plans.plans[plan ?? defaultPlan].analytics;
}

/** @throws AppError FORBIDDEN by the plan */
export function requireAnalytics(deps: Pick<Deps, "config">, plan: PlanName | null | undefined) {
  if (hasAnalytics(deps, plan ?? null)) return;
  throw new AppError("FORBIDDEN", "The team's plan has no analytics. Change the plan to see them.");
}

/** @throws AppError NOT_FOUND; FORBIDDEN for another team's account. Source: spec, "Errors" */
export function requireOwn<A extends { isOwn: boolean }>(account: A | undefined): A {
  if (!account) throw notFound("Account");
  if (!account.isOwn) throw new AppError("FORBIDDEN", "This account belongs to another team.");
  return account;
}
