import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../../../config.ts";
import { IS_OPEN } from "../../auth/repo/people.ts";

/** The members that each plan allows, as JSON, and the plan of a team that has none of its own. */
export interface MemberLimits {
  limits: string;
  defaultPlan: string;
}

export const memberLimits = ({ plans, defaultPlan }: Config): MemberLimits => ({
  limits: JSON.stringify(
    Object.fromEntries(Object.entries(plans.plans).map(([name, plan]) => [name, plan.members])),
  ),
  defaultPlan,
});

/**
 * True where the team `t` has as many active members as its plan allows.
 *
 * Spec is silent on who counts: the owner is one of them.
 */
export const isFull = (limits: SQL, defaultPlan: SQL): SQL =>
  sql`coalesce((SELECT count(*) FROM members counted
      WHERE counted.team_id = t.id AND counted.is_active = 1)
    >= (${limits} ->> coalesce(t.plan, t.base_plan, ${defaultPlan})), 0)`;

/** True while fewer people than that have an account. */
export const hasPlaceForPerson = (maxPeople: SQL): SQL =>
  sql`(SELECT count(*) FROM (SELECT 1 FROM users WHERE ${sql.raw(IS_OPEN)} LIMIT ${maxPeople}))
    < ${maxPeople}`;
