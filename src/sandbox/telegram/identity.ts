import { toLabel } from "../kit/label.ts";
import { digitsOf } from "../kit/logins.ts";

const MAX_LABEL = 16;

/** As Telegram's own names: letters, digits and underscores, up to 32. */
async function usernameOf(name: string): Promise<string> {
  const label = toLabel(name).slice(0, MAX_LABEL).replaceAll("-", "_").replace(/_$/, "");
  return `sandbox_${label}_${await digitsOf("telegram", name, 6)}`;
}

const base64url = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: "base64url", omitPadding: true });

const NONCE_BYTES = 9;
const PROOF_CHARACTERS = 21;

async function proofOf(botId: string, nonce: string): Promise<string> {
  const bytes = new TextEncoder().encode(`telegram ${botId} ${nonce}`);
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return base64url(new Uint8Array(hash)).slice(0, PROOF_CHARACTERS);
}

/** A further token of the same bot, as BotFather gives one after `/revoke`. */
async function newToken(name: string): Promise<string> {
  const botId = `7${await digitsOf("telegram", `bot of ${name}`, 9)}`;
  const nonce = base64url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  return `${botId}:AA${nonce}${await proofOf(botId, nonce)}`;
}

const TOKEN = /^(7\d{9}):AA([\w-]{12})([\w-]{21})$/;

/** Null for a token that `newToken` has not made, such as a real one. */
export async function botIdOf(token: string): Promise<string | null> {
  const [, botId = "", nonce = "", proof] = TOKEN.exec(token) ?? [];
  return proof !== undefined && proof === (await proofOf(botId, nonce)) ? botId : null;
}

export async function sandboxLogin(name: string) {
  return { botToken: await newToken(name), chatId: `@${await usernameOf(name)}` };
}
