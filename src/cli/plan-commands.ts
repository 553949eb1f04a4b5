import { timeSortedId } from "../core/ids.ts";
import { PLAN_NAMES, type PlanName } from "../core/plans.ts";
import { setTeamPlan } from "../features/plans/repo.ts";
import type { Place } from "./d1.ts";
import { Problem } from "./program.ts";
import { executeQueries, findTeam, type Offer, readOffer, type Team } from "./team-database.ts";

/** The word that removes a team's own plan. */
const NONE = "none";

/** @throws Problem naming the plans there are */
export function parsePlan(text: string): PlanName | null {
  if (text === NONE) return null;
  const plan = PLAN_NAMES.find((name) => name === text);
  if (plan) return plan;
  throw new Problem(
    `There is no plan ${text}. Choose one of ${PLAN_NAMES.join(", ")}, or ${NONE}.`,
  );
}

export const describeTeamPlan = ({ slug, plan }: Team, { defaultPlan }: Offer): string =>
  plan === null
    ? `${slug} has no plan of its own and uses ${defaultPlan}, as DEFAULT_PLAN says.`
    : `${slug} is on ${plan}.`;

export async function describePlan(place: Place, wanted: string): Promise<string> {
  const offer = await readOffer(place);
  return describeTeamPlan(await findTeam(place, wanted), offer);
}

/** @throws Problem when there is no such team or plan */
export async function setPlan(place: Place, wanted: string, text: string): Promise<string> {
  const plan = parsePlan(text);
  const offer = await readOffer(place);
  const team = await findTeam(place, wanted);
  const now = new Date();
  const clock = { now: () => now, newEventId: () => timeSortedId("evt", now) };
  await executeQueries(place, setTeamPlan(clock, { teamId: team.id, plan }));
  return describeTeamPlan({ ...team, plan }, offer);
}
