import { addSeconds, DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { Credentials } from "../../platforms/login.ts";
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

/** Returns why an account cannot be used, in words for its owner; null when it can. */
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
  "is a sandbox account, and the sandbox is switched off on this instance. Use an account of a real platform.";

/** Meta's tokens can be renewed from this age on. Source: Meta, "Long-lived tokens". */
const UNKNOWN_END_SECONDS = DAY / SECOND;

type Renewal = Pick<Connector, "refreshAheadSeconds" | "isSelfRenewing">;

/**
 * When a login is to be renewed though nobody uses it; null where it keeps. One whose end nobody knows
 * is renewed soon, where that can be done: its answer tells the end.
 */
export function renewalAt(
  { refreshAheadSeconds, isSelfRenewing = false }: Renewal,
  { refreshToken, expiresAt, refreshEndsAt }: Credentials,
  now: Date,
): Date | null {
  if (refreshAheadSeconds === undefined) return null;
  const endsAt = refreshEndsAt ?? expiresAt;
  if (endsAt) return addSeconds(endsAt, -refreshAheadSeconds);
  const canBeRenewed = isSelfRenewing || refreshToken !== null;
  return canBeRenewed ? addSeconds(now, UNKNOWN_END_SECONDS) : null;
}
