import { DEFAULT_PLANS, PLAN_NAMES, type Plan, type PlanName, type Plans } from "./plans.ts";
import {
  boolean,
  listOf,
  notEmpty,
  orNull,
  type Read,
  recordOf,
  someOf,
  strictObjectOf,
  text,
  wholeNumber,
} from "./readers.ts";

const max = orNull(wholeNumber(0));

const planOverride = someOf({
  monthlyPosts: max,
  members: max,
  presignBytes: max,
  keptBytes: max,
  analytics: boolean,
  customDomains: boolean,
  xCredits: wholeNumber(0),
  platforms: listOf(text),
});

/** Contains only values that differ from the defaults. */
export const plansOverride = someOf({
  plans: someOf(
    Object.fromEntries(PLAN_NAMES.map((name) => [name, planOverride])) as Record<
      PlanName,
      typeof planOverride
    >,
  ),
  packs: listOf(strictObjectOf({ name: notEmpty, credits: wholeNumber(1), price: text })),
  dailyCaps: recordOf(wholeNumber(1)),
});

export function readPlans(override: Read<typeof plansOverride> = {}): Plans {
  const names = PLAN_NAMES.map((name) => {
    const plan: Plan = { ...DEFAULT_PLANS.plans[name], ...override.plans?.[name] };
    return [name, plan] as const;
  });
  return {
    plans: Object.fromEntries(names) as Record<PlanName, Plan>,
    packs: override.packs ?? DEFAULT_PLANS.packs,
    dailyCaps: override.dailyCaps ?? DEFAULT_PLANS.dailyCaps,
  };
}
