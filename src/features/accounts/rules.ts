import { DAY } from "../../core/time.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { Connected } from "../../platforms/login.ts";
import type { AccountRow } from "./table.ts";

type Subject = Pick<AccountRow, "accountName" | "status" | "mode">;

export const isSwitchedOff = (
  { mode }: Pick<AccountRow, "mode">,
  { sandboxEnabled }: { sandboxEnabled: boolean },
): boolean => mode === "sandbox" && !sandboxEnabled;

/** In words for the account's owner; null when the account is usable. */
export function accountRefusal(
  account: Subject,
  config: { sandboxEnabled: boolean },
): string | null {
  const ended = loginRefusal(account);
  if (ended) return ended;
  return isSwitchedOff(account, config) ? `${account.accountName} ${SWITCHED_OFF}` : null;
}

export const loginRefusal = ({ accountName, status }: Pick<Subject, "accountName" | "status">) =>
  status === "active" ? null : `${accountName} is ${status}. Reconnect the account first.`;

export const SWITCHED_OFF =
  "is a sandbox account, and the sandbox is switched off on this instance. Use an account of a real platform.";

/** Separates an unproven account id from the server that claims it. No platform has ids with spaces. */
const AT_SERVER = " at ";

/**
 * The id under which an account is stored. An unproven id contains its server, so that it never equals another
 * account's id.
 */
export const identityOf = ({ profile, unproven }: Connected): string =>
  unproven
    ? `${profile.platformAccountId}${AT_SERVER}${profile.service}`
    : profile.platformAccountId;

export function platformIdOf({ platformAccountId }: Pick<AccountRow, "platformAccountId">) {
  const [id = "", server] = platformAccountId.split(AT_SERVER);
  return { id, isUnproven: server !== undefined };
}

/** @param isShared another account has the same login */
export const isRevokedAtPlatform = (
  { revoke, isRevokedForPerson }: Pick<Connector, "revoke" | "isRevokedForPerson">,
  isShared: boolean,
): boolean => revoke !== undefined && !(isRevokedForPerson && isShared);

/** With commas. Spec is silent. */
export const MAX_TAGS_CHARACTERS = 500;

/** @param current comma-separated */
export function mergeTags(current: string, added: readonly string[]): string {
  const tags = new Set(current.split(",").filter(Boolean));
  for (const tag of added) {
    if ([...tags, tag].join(",").length <= MAX_TAGS_CHARACTERS) tags.add(tag);
  }
  return [...tags].join(",");
}

/** Source: issue "Keeping it alive". */
export const NOTICE_AHEAD_MS = 7 * DAY;

const isSoon = (at: Date | null, now: Date): boolean =>
  at !== null && at.getTime() <= now.getTime() + NOTICE_AHEAD_MS;

export const isEnding = (
  { status, loginEndsAt }: Pick<AccountRow, "status" | "loginEndsAt">,
  now: Date,
): boolean => status === "active" && isSoon(loginEndsAt, now);

export const isLosingAccess = (
  { status, dataAccessEndsAt }: Pick<AccountRow, "status" | "dataAccessEndsAt">,
  now: Date,
): boolean => status === "active" && isSoon(dataAccessEndsAt, now);
