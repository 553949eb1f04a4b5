import { sql } from "drizzle-orm";
import type { PlanName } from "../../core/plans.ts";
import { type Query, sqlWrite } from "../../db/client.ts";

/**
 * Puts a team on a plan, null being the instance's own, with the event of what that is: the first plan
 * of a team is `subscription.created`, none any more is `subscription.cancelled`. The plan that the team
 * has already changes nothing.
 */
export function setTeamPlan(
  change: { teamId: number; plan: PlanName | null; eventId: string },
  now: Date,
): Query<number>[] {
  const { teamId, plan, eventId } = change;
  const at = now.getTime();
  const isOther = sql`id = ${teamId} AND plan IS NOT ${plan}`;
  return [
    sqlWrite(sql`INSERT INTO events (team_id, id, name, data, created_at)
      SELECT id, ${eventId},
        CASE WHEN plan IS NULL THEN 'subscription.created'
          WHEN ${plan} IS NULL THEN 'subscription.cancelled'
          ELSE 'subscription.updated' END,
        json_object('plan', ${plan}, 'previousPlan', plan), ${at}
      FROM teams WHERE ${isOther}`),
    sqlWrite(sql`UPDATE teams SET plan = ${plan}, updated_at = ${at} WHERE ${isOther}`),
  ];
}
