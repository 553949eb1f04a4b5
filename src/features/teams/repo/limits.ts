import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../../../config.ts";
import { IS_OPEN } from "../../../db/open-accounts.ts";

/** `limits`: each plan's member limit, as JSON. */
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

/** SQL condition: team `t` has no room for a member. Spec is silent: the owner counts. */
export const isFull = (limits: SQL, defaultPlan: SQL): SQL =>
  sql`coalesce((SELECT count(*) FROM members counted
      WHERE counted.team_id = t.id AND counted.is_active = 1)
    >= (${limits} ->> coalesce(t.plan, t.base_plan, ${defaultPlan})), 0)`;

/** SQL condition: the instance has room for an account. */
export const hasPlaceForPerson = (maxPeople: SQL): SQL =>
  sql`(SELECT count(*) FROM (SELECT 1 FROM users WHERE ${sql.raw(IS_OPEN)} LIMIT ${maxPeople}))
    < ${maxPeople}`;
