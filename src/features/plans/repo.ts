import { type SQL, sql } from "drizzle-orm";
import type { PlanName } from "../../core/plans.ts";
import { type Query, sqlWrite } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { EventName } from "../events/catalogue.ts";
import { emit, emitForEach } from "../events/repo.ts";

type SubscriptionEvent = Extract<EventName, `subscription.${string}`>;

/**
 * Setting the current plan again emits no event; only its end may change.
 *
 * @param plan null for the instance's default
 * @param until null for no end
 */
export function setTeamPlan(
  deps: Pick<Deps, "newEventId" | "now">,
  { teamId, plan, until = null }: { teamId: number; plan: PlanName | null; until?: Date | null },
): Query<number>[] {
  const data = { plan, previousPlan: sql`(SELECT plan FROM teams WHERE id = ${teamId})` };
  const emitWhere = (name: SubscriptionEvent, current: SQL) => {
    const condition = sql`EXISTS (SELECT 1 FROM teams WHERE id = ${teamId} AND ${current})`;
    return emit(deps, { team: teamId, name, data }, condition);
  };
  const events =
    plan === null
      ? [emitWhere("subscription.cancelled", sql`plan IS NOT NULL`)]
      : [
          emitWhere("subscription.created", sql`plan IS NULL`),
          emitWhere("subscription.updated", sql`plan <> ${plan}`),
        ];
  return [
    ...events,
    sqlWrite(sql`UPDATE teams SET plan = ${plan}, plan_until = ${until?.getTime() ?? null},
        updated_at = ${deps.now().getTime()}
      WHERE id = ${teamId} AND (plan IS NOT ${plan} OR plan_until IS NOT ${until?.getTime() ?? null})`),
  ];
}

export const setLegacyDomains = (teamId: number, isOn: boolean): Query<number> =>
  sqlWrite(sql`UPDATE teams SET has_legacy_domains = ${Number(isOn)} WHERE id = ${teamId}`);

/** Ends expired plans, each with an event. */
export function endPlans(deps: Pick<Deps, "now">): Query<number>[] {
  const isOver = sql`plan_until <= ${deps.now().getTime()}`;
  const event = {
    team: sql`id`,
    name: "subscription.expired",
    data: { plan: null, previousPlan: sql`plan` },
  } as const;
  return [
    emitForEach(deps, event, sql`FROM teams WHERE ${isOver} AND plan IS NOT NULL`),
    sqlWrite(sql`UPDATE teams SET plan = NULL, plan_until = NULL,
      updated_at = ${deps.now().getTime()} WHERE ${isOver}`),
  ];
}
