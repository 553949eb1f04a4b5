import { addSeconds } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import { openCredentials } from "./platform-access.ts";
import type { Login } from "./refresh.ts";
import type { AccountRow } from "./table.ts";

/** A token this close to its end is refreshed before it is used. */
const EARLY_SECONDS = 60;

/** Returns true for a token that can be used without being refreshed first. */
export const isFresh = (expiresAt: Date | null, now: Date): boolean =>
  !expiresAt || expiresAt > addSeconds(now, EARLY_SECONDS);

/**
 * A login that can be used now. Refreshes it when it is about to expire, or when the platform has
 * just refused `staleToken`. One refresh at a time per account, and what it brought is stored before
 * it is used: a rotated token must never be lost.
 *
 * @throws NoCredentials
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
