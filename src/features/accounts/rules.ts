import type { AccountRow } from "./table.ts";

type Subject = Pick<AccountRow, "accountName" | "status" | "mode">;

/**
 * Returns true for a sandbox account where the sandbox is switched off: nothing of it must pass for
 * published, and no simulated platform answers for it.
 */
export const isSwitchedOff = (
  { mode }: Pick<AccountRow, "mode">,
  { sandboxEnabled }: { sandboxEnabled: boolean },
): boolean => mode === "sandbox" && !sandboxEnabled;

/** Why an account can be neither published with nor asked, in words for its owner; null when it can. */
export function accountRefusal(
  account: Subject,
  config: { sandboxEnabled: boolean },
): string | null {
  const { accountName, status } = account;
  if (status !== "active") return `${accountName} is ${status}. Reconnect the account first.`;
  return isSwitchedOff(account, config) ? `${accountName} ${SWITCHED_OFF}` : null;
}

/** Goes on from the name of an account. */
export const SWITCHED_OFF =
  "is a sandbox account, and the sandbox is switched off here. Use an account of a real platform.";
