import { type SQL, sql } from "drizzle-orm";
import type { PlanName } from "../../core/plans.ts";
import { type Query, sqlWrite } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { EventName } from "../events/catalogue.ts";
import { emit } from "../events/repo.ts";

type SubscriptionEvent = Extract<EventName, `subscription.${string}`>;

/**
 * Puts a team on a plan, null being the instance's own, with the event of what that is: the first plan
 * of a team is `subscription.created`, none any more is `subscription.cancelled`. The plan that the team
 * has already changes nothing.
 */
export function setTeamPlan(
  deps: Pick<Deps, "newEventId" | "now">,
  { teamId, plan }: { teamId: number; plan: PlanName | null },
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
    sqlWrite(sql`UPDATE teams SET plan = ${plan}, updated_at = ${deps.now().getTime()}
      WHERE id = ${teamId} AND plan IS NOT ${plan}`),
  ];
}
