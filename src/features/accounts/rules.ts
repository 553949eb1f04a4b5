import { addSeconds, DAY, HOUR, MINUTE, SECOND, secondsBetween } from "../../core/time.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { Connected, Credentials } from "../../platforms/login.ts";
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
  const ended = loginRefusal(account);
  if (ended) return ended;
  return isSwitchedOff(account, config) ? `${account.accountName} ${SWITCHED_OFF}` : null;
}

/** Why an account's login cannot be used; null where it can. */
export const loginRefusal = ({ accountName, status }: Pick<Subject, "accountName" | "status">) =>
  status === "active" ? null : `${accountName} is ${status}. Reconnect the account first.`;

/** Goes on from the name of an account. */
export const SWITCHED_OFF =
  "is a sandbox account, and the sandbox is switched off on this instance. Use an account of a real platform.";

/** Parts an account's id from the server that alone bears it out: no platform has ids with spaces. */
const AT_SERVER = " at ";

/** The id under which an account is stored: one that is not proven neither matches nor excludes another's. */
export const identityOf = ({ profile, unproven }: Connected): string =>
  unproven
    ? `${profile.platformAccountId}${AT_SERVER}${profile.service}`
    : profile.platformAccountId;

/** An account's id at its platform. */
export function platformIdOf({ platformAccountId }: Pick<AccountRow, "platformAccountId">) {
  const [id = "", server] = platformAccountId.split(AT_SERVER);
  return { id, isUnproven: server !== undefined };
}

/** Returns true where disconnecting an account ends its login at the platform too. @param isShared with another account */
export const isRevokedAtPlatform = (
  { revoke, isRevokedForPerson }: Pick<Connector, "revoke" | "isRevokedForPerson">,
  isShared: boolean,
): boolean => revoke !== undefined && !(isRevokedForPerson && isShared);

/** Characters of an account's tags, the commas between them included. Spec is silent. */
export const MAX_TAGS_CHARACTERS = 500;

/** Adds tags to a list, each once, as long as there is room. @param known with commas between them */
export function mergeTags(known: string, added: readonly string[]): string {
  const tags = new Set(known.split(",").filter(Boolean));
  for (const tag of added) {
    if ([...tags, tag].join(",").length <= MAX_TAGS_CHARACTERS) tags.add(tag);
  }
  return [...tags].join(",");
}

/** Meta's tokens can be renewed from this age on. Source: Meta, "Long-lived tokens". */
const UNKNOWN_END_SECONDS = DAY / SECOND;

type Renewal = Pick<Connector, "refreshAheadSeconds" | "isSelfRenewing">;

/**
 * When a login is to be renewed though nobody uses it; null where it keeps, or cannot be renewed. One whose
 * end nobody knows is renewed soon: the answer gives its end.
 */
export function renewalAt(
  { refreshAheadSeconds, isSelfRenewing = false }: Renewal,
  { refreshToken, expiresAt, refreshEndsAt, isEndFixed }: Credentials,
  now: Date,
): Date | null {
  const canBeRenewed = !isEndFixed && (isSelfRenewing || refreshToken !== null);
  if (refreshAheadSeconds === undefined || !canBeRenewed) return null;
  const endsAt = refreshEndsAt ?? expiresAt;
  const at = endsAt && addSeconds(endsAt, -refreshAheadSeconds);
  // The short life of an access token says nothing of the refresh token beside it.
  const isKnown = at !== null && (at > now || refreshToken === null || Boolean(refreshEndsAt));
  return isKnown ? at : addSeconds(now, UNKNOWN_END_SECONDS);
}

/**
 * When a login ends for good unless something of it is renewed: its refresh token's end, or its access
 * token's where there is none. Null where it does not end, or nobody knows when. An end that nothing moves is
 * the login's, however long the last access token lives: it is reported once, and stays the same.
 */
export function loginEnd({
  refreshToken,
  expiresAt,
  refreshEndsAt = null,
  isEndFixed,
}: Credentials) {
  if (refreshToken === null) return expiresAt;
  if (isEndFixed || refreshEndsAt === null || expiresAt === null) return refreshEndsAt;
  return expiresAt > refreshEndsAt ? expiresAt : refreshEndsAt;
}

/** When a login is to be renewed, and when it ends. */
type Ends = Pick<AccountRow, "renewAt" | "loginEndsAt">;

/** The ends of a login stand while its renewal is further off than this. */
const STANDS_MS = 8 * DAY;

/**
 * Returns true where the ends that are stored of a login may stand although it was renewed and they are later
 * now: until the stored ones come close. Logins that are renewed with each use would move them each night, and
 * two indexes with them.
 */
export function keepsStoredEnds(stored: Ends, { renewAt, loginEndsAt }: Ends, now: Date): boolean {
  if (!stored.renewAt || !stored.loginEndsAt || !renewAt || !loginEndsAt) return false;
  const isFar = stored.renewAt.getTime() > now.getTime() + STANDS_MS;
  return isFar && stored.renewAt <= renewAt && stored.loginEndsAt <= loginEndsAt;
}

/** Time before the end of a login at which the team gets a notice. Source: issue "Keeping it alive". */
export const TOLD_AHEAD_MS = 7 * DAY;

/** Returns true for a login in use that ends soon: a person has to connect the account again. */
export const isEnding = (
  { status, loginEndsAt }: Pick<AccountRow, "status" | "loginEndsAt">,
  now: Date,
): boolean =>
  status === "active" &&
  loginEndsAt !== null &&
  loginEndsAt.getTime() <= now.getTime() + TOLD_AHEAD_MS;

/**
 * Within this, a renewal without an answer is repeated soon: Bluesky takes the old token for 2 hours more.
 * Source: atproto, "Session Refresh".
 */
const SOON_FOR_SECONDS = (6 * HOUR) / SECOND;
const SOON_SECONDS = (30 * MINUTE) / SECOND;
const DAY_SECONDS = DAY / SECOND;

/** A renewal that failed, of a login that may still be renewed. */
interface FailedRenewal {
  /** When it was first to be renewed, by the login itself. */
  dueAt: Date | null;
  /** When it is to be renewed as of now. */
  renewAt: Date;
  /** Seconds that the platform wants to be left alone; null where it did not say. */
  retryAfterSeconds: number | null;
}

/** When a renewal that failed is tried again: soon at first, then once a day, never before the platform wants. */
export function nextRenewal({ dueAt, renewAt, retryAfterSeconds }: FailedRenewal, now: Date): Date {
  const isFirst = dueAt?.getTime() === renewAt.getTime();
  const isNew =
    isFirst || (dueAt !== null && dueAt <= now && secondsBetween(dueAt, now) < SOON_FOR_SECONDS);
  const wait = Math.max(
    renewAt > now ? 0 : isNew ? SOON_SECONDS : DAY_SECONDS,
    Math.min(retryAfterSeconds ?? 0, DAY_SECONDS),
  );
  const next = addSeconds(now, wait);
  return next > renewAt ? next : renewAt;
}
