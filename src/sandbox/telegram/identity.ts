import { randomText } from "../kit/ids.ts";
import { toLabel } from "../kit/label.ts";
import { digitsOf } from "../kit/logins.ts";

const MAX_LABEL = 16;

/** As Telegram's own names: letters, digits and underscores, up to 32. */
async function usernameOf(name: string): Promise<string> {
  const label = toLabel(name).slice(0, MAX_LABEL).replaceAll("-", "_").replace(/_$/, "");
  return `sandbox_${label}_${await digitsOf("telegram", name, 6)}`;
}

/** As long as a real token, and marked, so that real ones are refused. */
const TOKEN = /^(7\d{9}):AAsandbox_[a-z]{25}$/;

/** Null for a token that `sandboxLogin` has not made. */
export const botIdOf = (token: string): string | null => TOKEN.exec(token)?.[1] ?? null;

/** Each call makes a further token of the same bot, as BotFather gives one after `/revoke`. */
export async function sandboxLogin(name: string) {
  const botId = `7${await digitsOf("telegram", `bot of ${name}`, 9)}`;
  const secret = randomText("abcdefghijklmnopqrstuvwxyz", 25);
  return { botToken: `${botId}:AAsandbox_${secret}`, chatId: `@${await usernameOf(name)}` };
}
