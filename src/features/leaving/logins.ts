import type { Deps } from "../../deps.ts";
import type { AccountRow } from "../accounts/table.ts";
import { revokeLogin } from "../disconnect/service.ts";
import { forgetLogins, loginsOf } from "./repo/logins.ts";

const SLICE = 4;
/** Subrequests to revoke one login. Bluesky looks up servers and may ask for a new DPoP proof. */
const CALLS_OF_LOGIN = 4;
export const LOGIN_CALLS = SLICE * CALLS_OF_LOGIN;

export const takeLogins = (teamId: number) => {
  const slice = { teamId, max: SLICE };
  return [loginsOf(slice), forgetLogins(slice)] as const;
};

export async function revokeLogins(deps: Deps, logins: readonly AccountRow[]): Promise<void> {
  await Promise.all(logins.map((account) => revokeLogin(deps, account)));
}

/** The logins are deleted here first, so a platform that does not answer delays nothing. */
export async function endLogins(deps: Deps, teamId: number): Promise<void> {
  const [logins] = await deps.db.run(takeLogins(teamId));
  await revokeLogins(deps, logins);
}
