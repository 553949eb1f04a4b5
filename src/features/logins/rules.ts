import { addSeconds, DAY, HOUR, MINUTE, SECOND, secondsBetween } from "../../core/time.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { Credentials } from "../../platforms/login.ts";
import { NOTICE_AHEAD_MS } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";

/**
 * Age at which a login with unknown end is renewed: Meta renews no younger tokens. Source: Meta, "Long-lived tokens".
 */
const UNKNOWN_END_SECONDS = DAY / SECOND;

type Renewal = Pick<Connector, "refreshAheadSeconds" | "isSelfRenewing">;

/** A day before the notice, so that the notice states the platform's latest answer. */
const LOOK_AHEAD_MS = NOTICE_AHEAD_MS + DAY;

/**
 * When the platform is asked again for the end of its data access, which moves while the person uses the app; null
 * without that end, or after it.
 */
function lookAt(dataAccessEndsAt: Date | null, now: Date): Date | null {
  if (dataAccessEndsAt === null || dataAccessEndsAt <= now) return null;
  const at = new Date(dataAccessEndsAt.getTime() - LOOK_AHEAD_MS);
  return at > now ? at : new Date(now.getTime() + DAY);
}

/** When an unused login is renewed or checked; null if never. */
export function renewalAt(renewal: Renewal, credentials: Credentials, now: Date): Date | null {
  const renewAt = ownRenewalAt(renewal, credentials, now);
  const looked = lookAt(credentials.dataAccessEndsAt ?? null, now);
  if (renewAt === null || looked === null) return renewAt ?? looked;
  return looked < renewAt ? looked : renewAt;
}

/** A login with unknown end is renewed soon: the answer states its end. */
function ownRenewalAt(
  { refreshAheadSeconds, isSelfRenewing = false }: Renewal,
  { refreshToken, expiresAt, refreshEndsAt, isEndFixed }: Credentials,
  now: Date,
): Date | null {
  const canBeRenewed = !isEndFixed && (isSelfRenewing || refreshToken !== null);
  if (refreshAheadSeconds === undefined || !canBeRenewed) return null;
  const endsAt = refreshEndsAt ?? expiresAt;
  const at = endsAt && addSeconds(endsAt, -refreshAheadSeconds);
  // A short-lived access token says nothing about the refresh token's end.
  const isKnown = at !== null && (at > now || refreshToken === null || Boolean(refreshEndsAt));
  return isKnown ? at : addSeconds(now, UNKNOWN_END_SECONDS);
}

/**
 * When a login ends for good; null if never or unknown. With a refresh token, that is its end, or the access token's if
 * later. A fixed end counts even while the access token lives longer, so that it is reported once.
 */
export function loginEnd(credentials: Credentials, now: Date): Date | null {
  const { refreshToken, expiresAt, refreshEndsAt = null, isEndFixed } = credentials;
  if (refreshToken === null) return expiresAt;
  if (hasOutlivedEnd(credentials, now)) return null;
  if (isEndFixed || refreshEndsAt === null || expiresAt === null) return refreshEndsAt;
  return expiresAt > refreshEndsAt ? expiresAt : refreshEndsAt;
}

export const hasOutlivedEnd = (
  { isEndPresumed, refreshEndsAt = null }: Credentials,
  now: Date,
): boolean => isEndPresumed === true && refreshEndsAt !== null && refreshEndsAt <= now;

type Ends = Pick<AccountRow, "renewAt" | "loginEndsAt">;

const STANDS_MS = 8 * DAY;

/** True while the stored dates may stay: new ones would rewrite two indexes every night. */
export function keepsStoredEnds(stored: Ends, { renewAt, loginEndsAt }: Ends, now: Date): boolean {
  if (!stored.renewAt || !stored.loginEndsAt || !renewAt || !loginEndsAt) return false;
  const isFar = stored.renewAt.getTime() > now.getTime() + STANDS_MS;
  return isFar && stored.renewAt <= renewAt && stored.loginEndsAt <= loginEndsAt;
}

/**
 * For this long, a failed renewal is repeated soon: Bluesky accepts the old token for 2 more hours. Source: atproto,
 * "Session Refresh".
 */
const SOON_FOR_SECONDS = (6 * HOUR) / SECOND;

const SOON_SECONDS = (30 * MINUTE) / SECOND;

const DAY_SECONDS = DAY / SECOND;

interface FailedRenewal {
  /** When the renewal was first due. */
  dueAt: Date | null;
  renewAt: Date;
  retryAfterSeconds: number | null;
}

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
