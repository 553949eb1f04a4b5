import { timeSortedId } from "../core/ids.ts";
import { PLAN_NAMES, type PlanName } from "../core/plans.ts";
import { setLegacyDomains as setLegacy, setTeamPlan } from "../features/plans/repo.ts";
import type { Place } from "./d1.ts";
import { Problem } from "./program.ts";
import { formatTable } from "./table.ts";
import {
  executeQueries,
  findTeam,
  listTeams,
  type Offer,
  readOffer,
  type Team,
} from "./team-database.ts";

const NONE = "none";

/** @throws Problem that lists the plan names */
export function parsePlan(text: string): PlanName | null {
  if (text === NONE) return null;
  const plan = PLAN_NAMES.find((name) => name === text);
  if (plan) return plan;
  throw new Problem(
    `There is no plan ${text}. Choose one of ${PLAN_NAMES.join(", ")}, or ${NONE}.`,
  );
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?Z)?$/;

/**
 * Text that is only a day means its midnight in UTC.
 *
 * @throws Problem for another format or a past time
 */
export function parseUntil(text: string, now: Date): Date {
  const until = new Date(text);
  const isDate = DATE.test(text) && until.toJSON()?.startsWith(text.slice(0, "2027-01-31".length));
  if (!isDate) {
    throw new Problem(
      `--until ${text} is not a date. Write 2027-01-31, or 2027-01-31T18:00Z, in UTC.`,
    );
  }
  if (until <= now) throw new Problem(`--until ${text} is over already.`);
  return until;
}

export const describeTeamPlan = (
  { slug, plan, basePlan, planUntil }: Team,
  { defaultPlan }: Offer,
): string => {
  if (plan === null && basePlan !== null) {
    return `${slug} has no plan of its own and uses ${basePlan}: its owner came by an invite.`;
  }
  if (plan === null) {
    return `${slug} has no plan of its own and uses ${defaultPlan}, as DEFAULT_PLAN says.`;
  }
  const end = planUntil ? ` until ${planUntil.toISOString()}` : "";
  return `${slug} is on ${plan}${end}.`;
};

export async function describePlan(place: Place, teamName: string): Promise<string> {
  const offer = await readOffer(place);
  return describeTeamPlan(await findTeam(place, teamName), offer);
}

export async function describePlans(place: Place): Promise<string> {
  const { defaultPlan } = await readOffer(place);
  const teams = await listTeams(place);
  return formatTable(
    ["team", "owner", "plan", "until"],
    teams.map(({ slug, owner, plan, basePlan, planUntil }) => [
      slug,
      owner,
      plan ?? `${basePlan ?? defaultPlan} (no plan of its own)`,
      planUntil?.toISOString() ?? "",
    ]),
  );
}

/** @throws Problem when the team does not exist */
export async function setLegacyDomains(
  place: Place,
  teamName: string,
  switched: string,
): Promise<string> {
  if (switched !== "on" && switched !== "off") throw new Problem("Say on or off.");
  const team = await findTeam(place, teamName);
  await executeQueries(place, [setLegacy(team.id, switched === "on")]);
  return `${team.slug} has ${switched === "on" ? "domains of its own, whatever its plan" : "the domains of its plan"}.`;
}

/** @throws Problem for an unknown team or plan, or an end in the past */
export async function setPlan(
  place: Place,
  teamName: string,
  { name, until: end }: { name: string; until?: string },
): Promise<string> {
  const plan = parsePlan(name);
  const now = new Date();
  if (plan === null && end !== undefined) {
    throw new Problem("Only a plan has an end: leave --until out.");
  }
  const until = end === undefined ? null : parseUntil(end, now);
  const offer = await readOffer(place);
  const team = await findTeam(place, teamName);
  const clock = { now: () => now, newEventId: () => timeSortedId("evt", now) };
  await executeQueries(place, setTeamPlan(clock, { teamId: team.id, plan, until }));
  return describeTeamPlan({ ...team, plan, planUntil: until }, offer);
}
