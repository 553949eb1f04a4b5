import { addSeconds } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { AccountRow } from "../accounts/table.ts";
import { openCredentials } from "./platform-access.ts";
import type { Login } from "./refresh.ts";

/** A token this close to its end is refreshed first. */
const EARLY_SECONDS = 60;

export const isFresh = (expiresAt: Date | null, now: Date): boolean =>
  !expiresAt || expiresAt > addSeconds(now, EARLY_SECONDS);

/**
 * Refreshes a login that is about to expire, or whose `staleToken` was just refused. Stores a rotated token before use,
 * so that it is never lost.
 *
 * @throws NoCredentials for a lost or unreadable login
 */
export async function usableLogin(
  deps: Deps,
  connector: Connector,
  account: AccountRow,
  staleToken: string | null = null,
): Promise<Login> {
  const credentials = await openCredentials(deps, account);
  const wasRefused = credentials.accessToken === staleToken;
  if (isFresh(credentials.expiresAt, deps.now()) && !wasRefused) {
    return { kind: "ready", credentials };
  }
  const { refreshLogin } = await import("./refresh.ts");
  return refreshLogin(deps, connector, account, credentials);
}
