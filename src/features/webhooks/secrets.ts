import { type Cipher, sealedPrefix } from "../../core/encryption.ts";
import { randomHex } from "../../core/ids.ts";
import { hmacKey } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";
import { replaceSecret, sealedSecrets } from "./repo/webhooks.ts";

const SECRET_BYTES = 32;

export const newSecret = (): string => `whsec_${randomHex(SECRET_BYTES)}`;

const boundTo = (teamId: number): string => `${teamId}|webhook|secret`;

export const sealSecret = ({ cipher }: Pick<Deps, "cipher">, teamId: number, secret: string) =>
  cipher.encrypt(secret, boundTo(teamId));

export const openSecret = ({ cipher }: Pick<Deps, "cipher">, teamId: number, sealed: string) =>
  cipher.decrypt(sealed, boundTo(teamId));

const MAX_KEYS = 1_000;

/** By team and encrypted secret: a rotated secret finds no old key. */
const signingKeys = new WeakMap<Cipher, Map<string, CryptoKey>>();

/** Caches the key, never the secret. @throws when the secret cannot be decrypted */
export async function signingKey(
  { cipher }: Pick<Deps, "cipher">,
  teamId: number,
  sealed: string,
): Promise<CryptoKey> {
  const keys = signingKeys.get(cipher) ?? new Map<string, CryptoKey>();
  signingKeys.set(cipher, keys);
  const name = `${teamId}|${sealed}`;
  const cached = keys.get(name);
  if (cached) return cached;
  const key = await hmacKey(await openSecret({ cipher }, teamId, sealed));
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(name, key);
  return key;
}

const PAGE = 100;

/** @param cursor id of the last webhook */
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
