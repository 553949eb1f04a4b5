import { AppError, invalidFields, notFound } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import type { Platform } from "../../core/platforms.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Ctx, Deps } from "../../deps.ts";
import type { ConsentPage } from "../../platforms/consent.ts";
import { connectorOf, connectors, platformName } from "../../platforms/registry.ts";
import type { PlatformTerms } from "../../platforms/terms.ts";
import { accountById } from "../accounts/repo.ts";
import type { AccountMode, AccountRow } from "../accounts/table.ts";
import { appKeysOf } from "../logins/platform-access.ts";
import { logIn } from "./log-in.ts";
import { insertConsent } from "./repo/consents.ts";
import { CONSENT_LIFETIME_MS, type ConsentRequest, openerPath, refusedRedirect } from "./rules.ts";
import type { NewAccount } from "./schema.ts";
import { storeLogins } from "./store-logins.ts";

/**
 * Also replaces the login of a connected account.
 *
 * @throws AppError 400 when the platform refuses the login or this way of connecting; UNAVAILABLE
 * when it does not answer
 */
export async function connectAccount(ctx: Ctx, input: NewAccount): Promise<AccountRow> {
  await ctx.read("accounts:write", []);
  const connector = connectorOf(input.platform);
  const mode: AccountMode = "sandbox" in input ? "sandbox" : "live";
  const connected = await logIn(ctx, connector, input, mode);
  if (!connected.ok) {
    const login = "credentials" in input ? "credentials" : "appPassword";
    const { field = login, message } = connected.error;
    throw invalidFields([{ field, message }]);
  }
  const login = { teamId: ctx.actor.teamId, platform: input.platform, mode, starter: ctx.actor };
  const stored = await storeLogins(ctx, { ...login, logins: [connected.value] });
  const [account] = stored ?? [];
  if (account) return account;
  throw new AppError(
    "FORBIDDEN",
    "You left the team, or your token was revoked, before the account was connected. Nothing was connected.",
  );
}

export interface Opener {
  token: string;
  path: string;
  expiresAt: Date;
}

/**
 * @throws AppError 400 when this instance cannot connect the platform, or the redirect URL is
 * unusable
 */
export async function startConsent(ctx: Ctx, request: ConsentRequest): Promise<Opener> {
  await ctx.read("accounts:write", []);
  const { redirectUrl, ...account } = request;
  const message = refusedForCaller(ctx, account);
  if (message) throw invalidFields([{ field: "platform", message }]);
  const refusal = redirectUrl === null ? null : refusedRedirect(redirectUrl, ctx.config);
  if (refusal) throw invalidFields([{ field: "redirectUrl", message: `redirectUrl ${refusal}.` }]);
  return openTry(ctx, { ...account, ...starterOf(ctx), returnTo: redirectUrl });
}

/** @throws AppError 400 when this instance cannot connect the platform */
export async function startFromPage(
  ctx: Ctx,
  request: Omit<ConsentRequest, "redirectUrl">,
  returnTo: string,
): Promise<Opener> {
  await ctx.read("accounts:write", []);
  return openTry(ctx, { ...request, ...starterOf(ctx), returnTo });
}

/** @throws AppError NOT_FOUND; 400 when this instance cannot connect the platform */
export async function startReconnect(ctx: Ctx, id: string, returnTo: string): Promise<Opener> {
  const [[account]] = await ctx.read("accounts:write", [accountById(ctx.team, id)]);
  if (!account) throw notFound("Account");
  const { platform, mode, service, handle } = account;
  const identifier = handle ?? service;
  const request = { platform, mode, identifier, returnTo, accountId: id };
  return openTry(ctx, { ...request, ...starterOf(ctx) });
}

interface NewTry extends Pick<ConsentRequest, "platform" | "mode" | "identifier"> {
  teamId: number;
  /** Absent when a client starts the attempt by a link. */
  userId?: number;
  tokenId?: number | null;
  returnTo: string | null;
  linkId?: number;
  accountId?: string;
}

/** The attempt ends once this caller may no longer act for the team. */
const starterOf = ({ actor: { teamId, userId, tokenId } }: Ctx) => ({ teamId, userId, tokenId });

/** @throws AppError 400 when this instance cannot connect the platform */
export async function openTry(deps: Deps, request: NewTry): Promise<Opener> {
  requireConsentPage(deps, request);
  const token = randomHex(16);
  const createdAt = deps.now();
  const expiresAt = new Date(createdAt.getTime() + CONSENT_LIFETIME_MS);
  const openerHash = await sha256Hex(token);
  await deps.db.run([
    insertConsent({ ...request, openerHash, step: "open", createdAt, expiresAt }),
  ]);
  return { token, path: openerPath(token), expiresAt };
}

export function refusedPlatform(
  deps: Pick<Deps, "config">,
  { platform, mode }: Pick<ConsentRequest, "platform" | "mode">,
): string | null {
  const { consent } = connectorOf(platform);
  const name = platformName(platform);
  if (!consent) return `${name} has no consent page.`;
  if (mode === "sandbox") {
    return deps.config.sandboxEnabled ? null : "The sandbox is switched off on this instance.";
  }
  if (consent.needsNoApp || appKeysOf(deps, { mode, platform })) return null;
  const variable = platform.toUpperCase();
  return `${name} is not set up on this instance: its owner has to set ${variable}_CLIENT_ID and ${variable}_CLIENT_SECRET.`;
}

/** Adds a hint about the sandbox to the refusal. */
export function refusedForCaller(
  deps: Pick<Deps, "config">,
  request: Pick<ConsentRequest, "platform" | "mode">,
): string | null {
  const refusal = refusedPlatform(deps, request);
  const isSimulated = refusedPlatform(deps, { ...request, mode: "sandbox" }) === null;
  return refusal && isSimulated ? `${refusal} To try it out, send "mode":"sandbox".` : refusal;
}

export function requireConsentPage(
  deps: Deps,
  request: Pick<ConsentRequest, "platform" | "mode" | "identifier">,
): ConsentPage {
  const refusal = refusedPlatform(deps, request);
  if (refusal) throw invalidFields([{ field: "platform", message: refusal }]);
  return connectorOf(request.platform).consent as ConsentPage;
}

export interface Offer {
  platform: Platform;
  name: string;
  /** What the person needs at the platform. */
  asks: string | null;
  /** Null if no handle or server is needed. */
  identifierLabel: string | null;
  /** Why the platform's consent page cannot be used here. */
  refusal: string | null;
  isSimulated: boolean;
  takesPassword: boolean;
  terms: PlatformTerms | null;
}

export const platformOffers = (deps: Pick<Deps, "config">): Offer[] =>
  connectors().map(({ platform, consent, login, terms = null }) => ({
    platform,
    name: platformName(platform),
    asks: consent?.asks ?? null,
    identifierLabel: consent?.identifierLabel ?? null,
    refusal: refusedPlatform(deps, { platform, mode: "live" }),
    isSimulated: refusedPlatform(deps, { platform, mode: "sandbox" }) === null,
    takesPassword: login !== undefined,
    terms,
  }));
