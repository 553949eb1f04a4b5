import { sealedPrefix } from "../../core/encryption.ts";
import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { reencryptCredentials, type SealedLogin } from "./platform-access.ts";
import { countLoginsNotUnder, replaceCredentials, sealedLogins } from "./repo/accounts.ts";

/** Logins looked at by one page. */
const PAGE = 100;

/**
 * A refresh holds the only copy of a rotated token until it is written, and writes it over the login that
 * it began with: such a login is left alone, until nobody can be at it any more.
 */
const REFRESH_IS_OVER_MS = HOUR;

/**
 * Encrypts the logins of a page anew that stand under an older key. One that changes meanwhile is left as
 * it is, and tried again the next night.
 *
 * @param cursor id of the last account
 */
export async function reencryptLogins(deps: Deps, cursor: string | null): Promise<string | null> {
  const [current, ...older] = deps.config.encryptionKeys;
  if (!current || older.length === 0) return null;
  const prefix = sealedPrefix(current.id);
  const [page] = await deps.db.run([sealedLogins(cursor ?? "", PAGE)]);
  const stale = page.filter(({ credentials }) => !credentials?.startsWith(prefix));
  const fresh = await Promise.all(stale.map((login) => reencrypt(deps, login)));
  const freeSince = new Date(deps.now().getTime() - REFRESH_IS_OVER_MS);
  const writes = fresh.flatMap((one) => (one ? [replaceCredentials(one, freeSince)] : []));
  if (writes.length > 0) await deps.db.runAll(writes);
  const last = page.at(-1);
  if (last && page.length === PAGE) return last.id;
  const [remaining] = await deps.db.run([countLoginsNotUnder(prefix)]);
  deps.log({ event: "logins.reencrypted", key: current.id, remaining: remaining[0] ?? 0 });
  return null;
}

/** Null where no key of this instance opens the login any more. */
async function reencrypt(deps: Deps, login: SealedLogin) {
  try {
    return { login, credentials: await reencryptCredentials(deps, login) };
  } catch {
    deps.log({ event: "login.unreadable", accountId: login.id });
    return null;
  }
}
