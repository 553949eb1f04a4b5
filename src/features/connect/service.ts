import { AppError, invalidFields, notFound } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import type { OtherApp, Platform } from "../../core/platforms.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Ctx, Deps } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { ConsentPage } from "../../platforms/consent.ts";
import type { LoginForm } from "../../platforms/login.ts";
import { connectorOf, connectors, platformName } from "../../platforms/registry.ts";
import type { PlatformTerms } from "../../platforms/terms.ts";
import { accountById } from "../accounts/repo.ts";
import type { AccountMode, AccountRow } from "../accounts/table.ts";
import { doerOf } from "../activity/repo.ts";
import {
  appFor,
  appOfTokens,
  appToReconnect,
  consentPageOf,
  refusedApp,
  refusedRequest,
  refusedType,
} from "./apps.ts";
import { logIn } from "./log-in.ts";
import { insertConsent } from "./repo/consents.ts";
import { CONSENT_LIFETIME_MS, type ConsentRequest, openerPath, refusedRedirect } from "./rules.ts";
import type { NewAccount } from "./schema.ts";
import { storeLogins } from "./store-logins.ts";
import type { AccountType, ConsentRow } from "./table.ts";

/**
 * Also replaces the login of a connected account.
 *
 * @throws AppError 400 when the platform refuses the login or this way of connecting; UNAVAILABLE when it does not
 * answer
 */
export async function connectAccount(ctx: Ctx, input: NewAccount): Promise<AccountRow> {
  await ctx.read("accounts:write", []);
  const connector = connectorOf(input.platform);
  const { platform } = input;
  const mode: AccountMode = "sandbox" in input ? "sandbox" : "live";
  const { type = null, pageId } = "login" in input ? {} : input;
  const wrongType = refusedType({ platform, type });
  if (wrongType) throw invalidFields([{ field: "type", message: wrongType }]);
  if (type === "page" && pageId === undefined) {
    const message = "A page's login by tokens needs pageId, which says which page it is.";
    throw invalidFields([{ field: "pageId", message }]);
  }
  const app = appOfTokens(ctx, { platform, mode, type }, pageId);
  const connected = await logIn(ctx, connector, input, mode, app);
  if (!connected.ok) {
    const { field = secretField(connector, input), message } = connected.error;
    throw invalidFields([{ field, message }]);
  }
  const login = {
    teamId: ctx.actor.teamId,
    platform,
    mode,
    app,
    starter: ctx.actor,
    by: doerOf(ctx.actor),
  };
  const stored = await storeLogins(ctx, { ...login, logins: [connected.value] });
  const [account] = stored ?? [];
  if (account) return account;
  throw new AppError(
    "FORBIDDEN",
    "You left the team, or your token was revoked, before the account was connected. Nothing was connected.",
  );
}

function secretField({ logins = [] }: Connector, input: NewAccount): string {
  if (!("login" in input)) return "credentials";
  const fields = logins.flatMap((form) => form.fields);
  return fields.find(({ name, isSecret }) => isSecret && name in input.login)?.name ?? "platform";
}

export interface Opener {
  token: string;
  path: string;
  expiresAt: Date;
}

/** @throws AppError 400 when this instance cannot connect the platform, or for an unusable redirect URL */
export async function startConsent(ctx: Ctx, request: ConsentRequest): Promise<Opener> {
  await ctx.read("accounts:write", []);
  const { redirectUrl, ...account } = request;
  const refused = refusedRequest(ctx, account);
  if (refused) throw invalidFields([refused]);
  const refusal = redirectUrl === null ? null : refusedRedirect(redirectUrl, ctx.config);
  if (refusal) throw invalidFields([{ field: "redirectUrl", message: `redirectUrl ${refusal}.` }]);
  const app = appFor(ctx, account);
  return openTry(ctx, { ...account, app, ...starterOf(ctx), returnTo: redirectUrl });
}

/** @throws AppError 400 when this instance cannot connect the platform */
export async function startFromPage(
  ctx: Ctx,
  request: Omit<ConsentRequest, "redirectUrl">,
  returnTo: string,
): Promise<Opener> {
  await ctx.read("accounts:write", []);
  const wrongType = refusedType(request);
  if (wrongType) throw invalidFields([{ field: "type", message: wrongType }]);
  return openTry(ctx, { ...request, app: appFor(ctx, request), ...starterOf(ctx), returnTo });
}

/** @throws AppError NOT_FOUND; 400 when this instance cannot connect the platform */
export async function startReconnect(ctx: Ctx, id: string, returnTo: string): Promise<Opener> {
  const [[account]] = await ctx.read("accounts:write", [accountById(ctx.team, id)]);
  if (!account) throw notFound("Account");
  const { platform, mode, service, handle } = account;
  const identifier = handle ?? service;
  const app = appToReconnect(ctx, account);
  const request = { platform, mode, app, identifier, returnTo, accountId: id };
  return openTry(ctx, { ...request, ...starterOf(ctx) });
}

export const refusedReconnect = (deps: Pick<Deps, "config">, account: AccountRow): string | null =>
  refusedApp(deps, { ...account, app: appToReconnect(deps, account) });

export const scopesInWords = ({ platform, app }: Pick<AccountRow, "platform" | "app">) =>
  consentPageOf(platform, app)?.inWords;

/** The missing scopes that the app still requests. */
export function missingScopesOf({ platform, app, missingScopes }: AccountRow): string[] {
  const { required = [], optional = [] } = consentPageOf(platform, app) ?? {};
  const asked = new Set([...required, ...optional]);
  return (missingScopes ?? "").split(" ").filter((scope) => asked.has(scope));
}

interface NewTry extends Pick<ConsentRequest, "platform" | "mode" | "identifier"> {
  type?: AccountType | null;
  app?: OtherApp | null;
  teamId: number;
  /** Absent when a client starts by a link. */
  userId?: number;
  tokenId?: number | null;
  returnTo: string | null;
  linkId?: number;
  accountId?: string;
}

/** The attempt ends when this caller may no longer act for the team. */
const starterOf = ({ actor: { teamId, userId, tokenId } }: Ctx) => ({ teamId, userId, tokenId });

/** @throws AppError 400 when this instance cannot connect the platform */
export async function openTry(deps: Deps, request: NewTry): Promise<Opener> {
  const page = requireConsentPage(deps, { ...request, app: request.app ?? null });
  const refusal = await page.refusedIdentifier?.(request.identifier);
  if (refusal) throw invalidFields([{ field: "server", message: refusal }]);
  const token = randomHex(16);
  const createdAt = deps.now();
  const expiresAt = new Date(createdAt.getTime() + CONSENT_LIFETIME_MS);
  const openerHash = await sha256Hex(token);
  await deps.db.run([
    insertConsent({ ...request, openerHash, step: "open", createdAt, expiresAt }),
  ]);
  return { token, path: openerPath(token), expiresAt };
}

export function requireConsentPage(
  deps: Deps,
  request: Pick<ConsentRow, "platform" | "mode" | "app">,
): ConsentPage {
  const refusal = refusedApp(deps, request);
  if (refusal) throw invalidFields([{ field: "platform", message: refusal }]);
  return consentPageOf(request.platform, request.app) as ConsentPage;
}

export interface Offer {
  platform: Platform;
  type: AccountType;
  name: string;
  /** What the person needs at the platform. */
  asks: string | null;
  identifierLabel: string | null;
  /** Why the platform's consent page cannot be used here. */
  refusal: string | null;
  isSimulated: boolean;
  /** How accounts are connected without a consent page. */
  forms: readonly LoginForm[];
  /** What connecting means until the owner's app has passed the platform's audit. */
  untilAudit: string | null;
  terms: PlatformTerms | null;
}

export const accountUntilAudit = ({ config }: Pick<Deps, "config">, platform: Platform) =>
  config.auditedPlatforms.includes(platform)
    ? null
    : (connectorOf(platform).untilAudit?.account ?? null);

const TYPES = ["person", "page"] as const;

/** Offers pages where an app for pages is set up or simulated. */
export const platformOffers = (deps: Pick<Deps, "config">): Offer[] =>
  connectors().flatMap(({ platform, pagesApp, logins = [], terms = null }) =>
    TYPES.flatMap((type) => {
      if (type === "page" && !pagesApp) return [];
      const refusalIn = (mode: AccountMode) =>
        refusedApp(deps, { platform, mode, app: appFor(deps, { platform, mode, type }) });
      const refusal = refusalIn("live");
      const isSimulated = refusalIn("sandbox") === null;
      if (type === "page" && refusal !== null && !isSimulated) return [];
      const page = consentPageOf(platform, appFor(deps, { platform, mode: "live", type }));
      return {
        platform,
        type,
        name: type === "page" ? `${platformName(platform)} pages` : platformName(platform),
        asks: page?.asks ?? null,
        identifierLabel: page?.identifierLabel ?? null,
        refusal,
        isSimulated,
        forms: type === "person" ? logins : [],
        untilAudit: accountUntilAudit(deps, platform),
        terms,
      };
    }),
  );
