import { newOAuthToken, nextOAuthToken, readOAuthToken } from "../../core/oauth-token.ts";
import type { Scope } from "../../core/scopes.ts";
import { sha256Hex } from "../../core/signature.ts";
import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Client } from "./clients.ts";
import { endStolen, reportAllowed } from "./programs.ts";
import { OAuthRefusal } from "./refusal.ts";
import * as codes from "./repo/codes.ts";
import * as devices from "./repo/devices.ts";
import { grantIdOfCode } from "./repo/grants.ts";
import { allowedLine } from "./repo/lines.ts";
import * as refreshes from "./repo/refresh.ts";
import {
  ACCESS_LIFETIME_MS,
  CODE_REPEAT_MS,
  IDLE_MS,
  isEarlyPoll,
  isInGrace,
  isVerifier,
  POLL_SECONDS,
  readResource,
} from "./rules.ts";
import type { Resource } from "./table.ts";

/** The answer of RFC 6749, 5.1. */
export interface TokenAnswer {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
}

export interface Issued {
  answer: TokenAnswer;
  grantId: number;
}

const invalidGrant = (reason: string) =>
  new OAuthRefusal(
    "invalid_grant",
    "This code or token is not valid any more. Ask the person to allow the program again.",
    reason,
  );

interface CodeExchange {
  client: Client;
  code: string;
  verifier: string;
  /** Null where the call leaves it out. */
  redirectUri: string | null;
  resources: readonly string[];
  origin: string;
}

/**
 * Makes a grant of a code, once.
 *
 * @throws OAuthRefusal invalid_grant, invalid_target
 */
export async function exchangeCode(deps: Deps, exchange: CodeExchange): Promise<Issued> {
  const { client, code, verifier, redirectUri, resources, origin } = exchange;
  const hash = await sha256Hex(code);
  const [[row]] = await deps.db.run([codes.codeByHash({ hash })]);
  if (!row) throw invalidGrant("code_unknown");
  if (row.clientId !== client.id) throw invalidGrant("code_of_another_client");
  if (redirectUri !== null && redirectUri !== row.redirectUri) {
    throw invalidGrant("redirect_uri_differs");
  }
  if (!isVerifier(verifier) || (await challengeOf(verifier)) !== row.challenge) {
    throw invalidGrant("verifier_wrong");
  }
  requireSameResource(resources, origin, row.resource);
  return useCode(deps, client, row, origin);
}

/**
 * Makes a grant of an answer of the consent page, once.
 *
 * @throws OAuthRefusal invalid_grant
 */
async function useCode(
  deps: Deps,
  client: Client,
  row: codes.CodeRow,
  origin: string,
): Promise<Issued> {
  const { signingKey } = deps.config;
  const { hash } = row;
  const now = deps.now();
  const accessToken = await newOAuthToken("access", row.key, signingKey);
  const refreshToken = await newOAuthToken("refresh", row.key, signingKey);
  const [accessHash, refreshHash] = await Promise.all([
    sha256Hex(accessToken),
    sha256Hex(refreshToken),
  ]);
  const use = { hash, accessHash, at: now };
  const expiresAt = new Date(now.getTime() + ACCESS_LIFETIME_MS);
  const [used, , , , , , , [pair]] = await deps.db.run([
    codes.useCode(use),
    codes.insertTokenOfCode(use),
    allowedLine(deps, row),
    codes.insertGrantOfCode({ ...use, idleAt: new Date(now.getTime() + IDLE_MS) }),
    codes.insertAccessOfCode({ ...use, expiresAt }),
    codes.insertRefreshOfCode({ ...use, refreshHash }),
    codes.touchClient(useOf(client, now)),
    refreshes.pairOf({ accessHash, at: now }),
  ]);
  if (used === 0 || !pair) {
    await refuseUsedCode(deps, hash, now, origin);
    throw invalidGrant(row.expiresAt <= now ? "code_expired" : "code_used");
  }
  deps.defer(reportAllowed(deps, row, origin));
  return { answer: answerOf(pair, accessToken, refreshToken, now), grantId: pair.grantId };
}

interface Poll {
  client: Client;
  deviceCode: string;
  resources: readonly string[];
  origin: string;
}

const POLL_MESSAGES = {
  authorization_pending: "The person has not answered yet.",
  slow_down: "Wait 5 seconds longer between two calls from now on.",
  access_denied: "The person refused.",
  expired_token: "The code has expired. Ask for a new one.",
} as const;

const refusePoll = (code: keyof typeof POLL_MESSAGES) =>
  new OAuthRefusal(code, POLL_MESSAGES[code]);

/**
 * Makes a grant of a device's request that a person allowed, once.
 *
 * @throws OAuthRefusal authorization_pending, slow_down, access_denied, expired_token, invalid_grant, invalid_target
 */
export async function exchangeDeviceCode(deps: Deps, poll: Poll): Promise<Issued> {
  const { client, deviceCode, resources, origin } = poll;
  const hash = await sha256Hex(deviceCode);
  const at = deps.now();
  const [[request], [code]] = await deps.db.run([
    devices.deviceByHash({ hash }),
    codes.codeByHash({ hash }),
  ]);
  if (!request) throw invalidGrant("device_code_unknown");
  if (request.clientId !== client.id) throw invalidGrant("device_code_of_another_client");
  requireSameResource(resources, origin, request.resource);
  if (!code?.usedAt) {
    if (request.expiresAt <= at) throw refusePoll("expired_token");
    if (request.deniedAt) throw refusePoll("access_denied");
  }
  if (code) return useCode(deps, client, code, origin);
  const isEarly = isEarlyPoll(request, at);
  await deps.db.run([devices.notePoll({ hash, at, moreSeconds: isEarly ? POLL_SECONDS : 0 })]);
  throw refusePoll(isEarly ? "slow_down" : "authorization_pending");
}

/** The use of a program is noted again after this time. */
const USE_NOTED_MS = DAY;

const useOf = ({ id }: Client, at: Date) => ({
  id,
  at,
  before: new Date(at.getTime() - USE_NOTED_MS),
});

/** A code that comes again later was stolen: who used it first may be the thief. */
async function refuseUsedCode(deps: Deps, hash: string, now: Date, origin: string): Promise<void> {
  const [[row], [grantId]] = await deps.db.run([
    codes.codeByHash({ hash }),
    grantIdOfCode({ hash }),
  ]);
  if (!row?.usedAt || grantId === undefined) return;
  const isLate = now.getTime() - row.usedAt.getTime() > CODE_REPEAT_MS;
  if (isLate) await endStolen(deps, grantId, now, origin);
}

function requireSameResource(
  resources: readonly string[],
  origin: string,
  granted: Resource,
): void {
  if (readResource(resources, origin, granted) === granted) return;
  throw new OAuthRefusal("invalid_target", "The grant is for another resource.");
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
}

interface Renewal {
  client: Client;
  refreshToken: string;
  resources: readonly string[];
  origin: string;
}

/**
 * Replaces a refresh token. A repeated call gets the same new pair, because its answer may have been lost. A token
 * that comes later was stolen, and ends the grant.
 *
 * @throws OAuthRefusal invalid_grant, invalid_target
 */
export async function renew(deps: Deps, renewal: Renewal): Promise<Issued> {
  const { client, refreshToken: presented, resources, origin } = renewal;
  const { signingKey } = deps.config;
  const token = await readOAuthToken(presented, signingKey);
  if (token?.kind !== "refresh") throw invalidGrant("refresh_token_unknown");
  const hash = await sha256Hex(presented);
  const now = deps.now();
  const [[row]] = await deps.db.run([refreshes.refreshToken({ hash, at: now })]);
  if (!row) throw invalidGrant("refresh_token_unknown");
  if (row.clientId !== client.id) throw invalidGrant("refresh_token_of_another_client");
  if (!row.isLive) throw invalidGrant("grant_ended");
  const { replacedAt, isNextUsed } = row;
  if (replacedAt && !isInGrace({ replacedAt, isNextUsed }, now)) {
    await endStolen(deps, row.grantId, now, origin);
    throw invalidGrant("refresh_token_replayed");
  }
  requireSameResource(resources, origin, row.resource);
  const [accessToken, refreshToken] = await Promise.all([
    nextOAuthToken("access", token.grantKey, presented, signingKey),
    nextOAuthToken("refresh", token.grantKey, presented, signingKey),
  ]);
  const [accessHash, nextHash] = await Promise.all([
    sha256Hex(accessToken),
    sha256Hex(refreshToken),
  ]);
  const replacement = { hash, at: now, nextHash, accessHash };
  const expiresAt = new Date(now.getTime() + ACCESS_LIFETIME_MS);
  const [, , , , , [pair]] = await deps.db.run([
    refreshes.replaceRefresh(replacement),
    refreshes.insertNextRefresh(replacement),
    refreshes.insertNextAccess({ ...replacement, expiresAt }),
    refreshes.keepGrant({ ...replacement, idleAt: new Date(now.getTime() + IDLE_MS) }),
    codes.touchClient(useOf(client, now)),
    refreshes.pairOf({ accessHash, at: now }),
  ]);
  if (!pair) throw invalidGrant("grant_ended");
  return { answer: answerOf(pair, accessToken, refreshToken, now), grantId: pair.grantId };
}

interface Pair {
  expiresAt: Date;
  scopes: Scope[];
}

const answerOf = (
  { expiresAt, scopes }: Pair,
  accessToken: string,
  refreshToken: string,
  now: Date,
): TokenAnswer => ({
  access_token: accessToken,
  token_type: "Bearer",
  expires_in: Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1_000)),
  refresh_token: refreshToken,
  scope: scopes.join(" "),
});
