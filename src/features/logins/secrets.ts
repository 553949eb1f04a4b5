import { sealedPrefix } from "../../core/encryption.ts";
import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { reencryptCredentials, type SealedLogin } from "./platform-access.ts";
import { countLoginsNotUnder, replaceCredentials, sealedLogins } from "./repo.ts";

const PAGE = 100;

/** A running refresh holds the only copy of a rotated token, so its login is not re-encrypted for this long. */
const REFRESH_IS_OVER_MS = HOUR;

/**
 * Encrypts a page of logins under the newest key, except logins that are being refreshed.
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

async function reencrypt(deps: Deps, login: SealedLogin) {
  try {
    return { login, credentials: await reencryptCredentials(deps, login) };
  } catch {
    deps.log({ event: "login.unreadable", accountId: login.id });
    return null;
  }
}
