import { sealedPrefix } from "../../core/encryption.ts";
import { randomHex } from "../../core/ids.ts";
import type { Deps } from "../../deps.ts";
import { replaceSecret, sealedSecrets } from "./repo/webhooks.ts";

const SECRET_BYTES = 32;

/** A secret that nobody can guess. */
export const newSecret = (): string => `whsec_${randomHex(SECRET_BYTES)}`;

const boundTo = (teamId: number): string => `${teamId}|webhook|secret`;

export const sealSecret = ({ cipher }: Pick<Deps, "cipher">, teamId: number, secret: string) =>
  cipher.encrypt(secret, boundTo(teamId));

export const openSecret = ({ cipher }: Pick<Deps, "cipher">, teamId: number, sealed: string) =>
  cipher.decrypt(sealed, boundTo(teamId));

/** Secrets looked at by one page. */
const PAGE = 100;

/**
 * Encrypts the secrets of a page anew that stand under an older key.
 *
 * @param cursor id of the last webhook
 */
export async function reencryptSecrets(deps: Deps, cursor: string | null): Promise<string | null> {
  const [current, ...older] = deps.config.encryptionKeys;
  if (!current || older.length === 0) return null;
  const prefix = sealedPrefix(current.id);
  const [page] = await deps.db.run([sealedSecrets(Number(cursor ?? 0), PAGE)]);
  const writes = [];
  for (const row of page.filter(({ secret }) => !secret.startsWith(prefix))) {
    try {
      const plain = await openSecret(deps, row.teamId, row.secret);
      writes.push(replaceSecret(row, await sealSecret(deps, row.teamId, plain)));
    } catch {
      deps.log({ event: "webhook.secret_unreadable", webhookId: row.id });
    }
  }
  if (writes.length > 0) await deps.db.runAll(writes);
  const last = page.at(-1);
  return last && page.length === PAGE ? String(last.id) : null;
}
