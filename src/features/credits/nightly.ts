import type { Deps } from "../../deps.ts";
import { creditDrifts } from "./repo/balances.ts";

const TEAMS_PER_PAGE = 100;

/** Teams whose ledger does not add up to their balance. */
export async function creditDrift(deps: Pick<Deps, "db">, afterTeam = 0) {
  const [teams] = await deps.db.run([creditDrifts(afterTeam, TEAMS_PER_PAGE)]);
  const last = teams.length === TEAMS_PER_PAGE ? teams.at(-1) : undefined;
  return {
    drifts: teams.filter(({ periods, purchased }) => periods !== 0 || purchased !== 0),
    next: last?.teamId ?? null,
  };
}

/** A drift is only logged: a person has to find its cause. */
export async function checkCredits(deps: Deps, cursor: string | null): Promise<string | null> {
  const { drifts, next } = await creditDrift(deps, Number(cursor ?? 0));
  for (const drift of drifts) deps.log({ event: "credits.drift", ...drift });
  return next === null ? null : String(next);
}
