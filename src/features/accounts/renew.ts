import type { Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { openCredentials } from "./platform-access.ts";
import { refreshLogin } from "./refresh.ts";
import { accountsToRenew } from "./repo.ts";
import { isSwitchedOff } from "./rules.ts";

/** Logins of one page: each is a call to a platform. */
const PAGE = 10;

/**
 * Renews the logins that would end unless somebody uses them, each once a night. One that cannot be
 * renewed for the moment is tried again the next night.
 *
 * @param cursor epoch milliseconds and id of the last account, as `1796115600000 acc_…`
 */
export async function renewLogins(deps: Deps, cursor: string | null): Promise<string | null> {
  const [at = "0", id = ""] = cursor?.split(" ") ?? [];
  const [page] = await deps.db.run([accountsToRenew({ at: Number(at), id }, deps.now(), PAGE)]);
  for (const account of page) {
    if (isSwitchedOff(account, deps.config)) continue;
    const connector = connectorOf(account.platform);
    try {
      await refreshLogin(deps, connector, account, await openCredentials(deps, account));
    } catch (error) {
      deps.log({ event: "login.renewal_failed", accountId: account.id, error: String(error) });
    }
  }
  const last = page.at(-1);
  if (!last || page.length < PAGE) return null;
  return `${last.renewAt?.getTime()} ${last.id}`;
}
