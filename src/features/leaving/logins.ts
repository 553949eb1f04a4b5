import type { Deps } from "../../deps.ts";
import type { AccountRow } from "../accounts/table.ts";
import { revokeLogin } from "../disconnect/service.ts";
import { forgetLogins, loginsOf } from "./repo/logins.ts";

/** Logins that are ended at a time. */
const SLICE = 4;
/** Calls by which one login is ended, at most: Bluesky's servers are looked up, and may ask for a new proof. */
const CALLS_OF_LOGIN = 4;
/** Calls of `revokeLogins`, at most. */
export const LOGIN_CALLS = SLICE * CALLS_OF_LOGIN;

/** Reads a slice of the logins of a deleted team and forgets them; the logins are the answer of the first. */
export const takeLogins = (teamId: number) => {
  const slice = { teamId, most: SLICE };
  return [loginsOf(slice), forgetLogins(slice)] as const;
};

/** Ends logins at their platforms, once they are forgotten here. */
export async function revokeLogins(deps: Deps, logins: readonly AccountRow[]): Promise<void> {
  await Promise.all(logins.map((account) => revokeLogin(deps, account)));
}

/**
 * Forgets a slice of the logins of a deleted team, and ends them at their platforms. A platform that does not
 * answer holds nothing up: its login is forgotten here first.
 */
export async function endLogins(deps: Deps, teamId: number): Promise<void> {
  const [logins] = await deps.db.run(takeLogins(teamId));
  await revokeLogins(deps, logins);
}
