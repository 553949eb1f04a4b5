import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import * as repo from "./repo.ts";
import { ownTeam } from "./rules.ts";

/** Returns true when an open invite names this address, which is in lower case. */
export async function mayJoin(deps: Pick<Deps, "db" | "now">, email: string): Promise<boolean> {
  const [found] = await deps.db.run([repo.openInviteTo({ email, now: deps.now() })]);
  return found.length > 0;
}

/**
 * A new person and the team that they own, to be run in one batch; nothing for somebody who is known.
 *
 * @param email in lower case, and proven
 */
export const createPerson = (email: string, at: Date): Query<number>[] =>
  repo.insertPerson({ ...ownTeam(email), email, at });
