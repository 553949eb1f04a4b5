import { invalidFields, notFound } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import { isPlatform, type Platform } from "../../core/platforms.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Ctx, Deps } from "../../deps.ts";
import type { ConsentPage } from "../../platforms/consent.ts";
import { keysOf } from "../../platforms/kit/logins.ts";
import { capped } from "../../platforms/kit/replies.ts";
import { connectorOf, platformName } from "../../platforms/registry.ts";
import { sandboxConsentPath } from "../../sandbox/consent-address.ts";
import { appKeysOf, platformFetch, withTimeout } from "../accounts/platform-access.ts";
import { accountById } from "../accounts/repo/accounts.ts";
import type { AccountMode } from "../accounts/table.ts";
import { sealMemory } from "./memory.ts";
import { type AskedConsent, consentByOpener, insertConsent, markSent } from "./repo/consents.ts";
import { linkById } from "./repo/links.ts";
import {
  CONSENT_LIFETIME_MS,
  callbackPath,
  LINK_OVER,
  type Obstacle,
  openerPath,
  refusedOpening,
  refusedRedirect,
  UNKNOWN,
  USED,
} from "./rules.ts";
import type { ConsentRow } from "./table.ts";

/** An account that somebody wants to connect by the platform's consent page. */
export interface WantedConsent {
  platform: Platform;
  mode: AccountMode;
  /** The handle or server of the account, where its platform needs that first. */
  identifier: string | null;
  /** The address of a site that the person is sent on to. */
  redirectUrl: string | null;
}

/** The address of a try: its page leads a browser to the consent page. */
export interface Opener {
  token: string;
  /** A path of this service. */
  path: string;
  expiresAt: Date;
}

/**
 * Begins to connect an account for a caller, who sends a person to the address.
 *
 * @throws AppError 400 for a platform that this instance cannot connect, or an address that nobody is sent to
 */
export async function startConsent(ctx: Ctx, wanted: WantedConsent): Promise<Opener> {
  await ctx.read("accounts:write", []);
  const { redirectUrl, ...consent } = wanted;
  const message = refusedForCaller(ctx, wanted);
  if (message) throw invalidFields([{ field: "platform", message }]);
  const refusal = redirectUrl === null ? null : refusedRedirect(redirectUrl, ctx.config);
  if (refusal) throw invalidFields([{ field: "redirectUrl", message: `redirectUrl ${refusal}.` }]);
  return openTry(ctx, { ...consent, ...starterOf(ctx), returnTo: redirectUrl });
}

/**
 * Begins to connect an account from a page of ours, which the person is sent back to.
 *
 * @throws AppError 400 as `startConsent`
 */
export async function startFromPage(
  ctx: Ctx,
  wanted: Omit<WantedConsent, "redirectUrl">,
  returnTo: string,
): Promise<Opener> {
  await ctx.read("accounts:write", []);
  return openTry(ctx, { ...wanted, ...starterOf(ctx), returnTo });
}

/**
 * Begins to connect an account again, from its page, which the person is sent back to.
 *
 * @throws AppError NOT_FOUND, 400 as `startConsent`
 */
export async function startReconnect(ctx: Ctx, id: string, returnTo: string): Promise<Opener> {
  const [[account]] = await ctx.read("accounts:write", [accountById(ctx.team, id)]);
  if (!account) throw notFound("Account");
  const { platform, mode, service, handle } = account;
  const identifier = handle ?? service;
  const wanted = { platform, mode, identifier, returnTo, accountId: id };
  return openTry(ctx, { ...wanted, ...starterOf(ctx) });
}

/** A try that is to be opened. */
interface NewTry extends Pick<WantedConsent, "platform" | "mode" | "identifier"> {
  teamId: number;
  /** Absent where a client begins it, by a link. */
  userId?: number;
  tokenId?: number | null;
  returnTo: string | null;
  linkId?: number;
  accountId?: string;
}

/** The caller who begins a try: it ends only while they may act for the team. */
const starterOf = ({ actor: { teamId, userId, tokenId } }: Ctx) => ({ teamId, userId, tokenId });

/** Stores a try. @throws AppError 400 for a platform that this instance cannot connect */
export async function openTry(deps: Deps, wanted: NewTry): Promise<Opener> {
  requireConsentPage(deps, wanted);
  const token = randomHex(16);
  const createdAt = deps.now();
  const expiresAt = new Date(createdAt.getTime() + CONSENT_LIFETIME_MS);
  const openerHash = await sha256Hex(token);
  await deps.db.run([insertConsent({ ...wanted, openerHash, step: "open", createdAt, expiresAt })]);
  return { token, path: openerPath(token), expiresAt };
}

/**
 * Returns why a platform cannot be connected by its consent page here, in words for whoever asks; null where it can.
 */
export function refusedPlatform(
  deps: Pick<Deps, "config">,
  { platform, mode }: Pick<WantedConsent, "platform" | "mode">,
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

/** As `refusedPlatform`, for a caller of the API, who may try the platform out in the sandbox. */
export function refusedForCaller(
  deps: Pick<Deps, "config">,
  wanted: Pick<WantedConsent, "platform" | "mode">,
): string | null {
  const refusal = refusedPlatform(deps, wanted);
  const isSimulated = refusedPlatform(deps, { ...wanted, mode: "sandbox" }) === null;
  return refusal && isSimulated ? `${refusal} To try it out, send "mode":"sandbox".` : refusal;
}

/** The document by which a platform knows this instance; null where it needs none. */
export async function readClientMetadata(
  deps: Pick<Deps, "config">,
  platform: string,
  origin: string,
): Promise<object | null> {
  if (!isPlatform(platform)) return null;
  const { consent } = connectorOf(platform);
  if (!consent?.clientMetadata) return null;
  const redirectUri = origin + callbackPath(platform);
  return consent.clientMetadata({ origin, redirectUri }, deps.config.appKeys[platform] ?? null);
}

function requireConsentPage(
  deps: Deps,
  wanted: Pick<WantedConsent, "platform" | "mode" | "identifier">,
): ConsentPage {
  const refusal = refusedPlatform(deps, wanted);
  if (refusal) throw invalidFields([{ field: "platform", message: refusal }]);
  return connectorOf(wanted.platform).consent as ConsentPage;
}

/** Where a browser that opens the address goes on. `browser`: the value of the cookie that binds it. */
export type Opening = { kind: "sent"; url: string } | ({ kind: "stopped" } & Stop);

/** Tells why a person cannot go on, and where they came from where that is known. */
export interface Stop {
  obstacle: Obstacle;
  consent: ConsentRow | null;
}

const stopped = (obstacle: Obstacle, consent: ConsentRow | null) =>
  ({ kind: "stopped", obstacle, consent }) as const;

/** A try that may be opened, for the page that asks whether to go on. */
type Asking = { kind: "asking"; consent: AskedConsent } | ({ kind: "stopped" } & Stop);

/** Reads a try before its browser is sent anywhere. */
export async function readOpening(deps: Deps, token: string): Promise<Asking> {
  const [[consent]] = await deps.db.run([consentByOpener({ hash: await sha256Hex(token) })]);
  if (!consent) return stopped(UNKNOWN, null);
  const refusal = refusedOpening(consent, deps.now());
  // Another person may have finished this consent, so its details are not shown to this visitor.
  if (refusal) return stopped(refusal, refusal === USED ? null : consent);
  if (consent.linkId !== null) {
    const [[link]] = await deps.db.run([linkById({ id: consent.linkId })]);
    if (!link || link.accountId !== null || link.expiresAt <= deps.now()) {
      return stopped(LINK_OVER, consent);
    }
  }
  const message = refusedPlatform(deps, consent);
  if (message !== null) return stopped({ ending: "refused", message }, consent);
  return { kind: "asking", consent };
}

/**
 * Sends a browser to the platform's consent page. It may be opened again, as long as nobody has come
 * back: the last that was sent counts.
 */
export async function openConsent(
  deps: Deps,
  { token, browser, origin }: { token: string; browser: string; origin: string },
): Promise<Opening> {
  const opening = await readOpening(deps, token);
  if (opening.kind === "stopped") return opening;
  const { consent } = opening;
  const { platform, mode, teamId, identifier } = consent;
  const page = requireConsentPage(deps, consent);
  const state = randomHex(16);
  const verifier = randomHex(32);
  const app = keysOf(appKeysOf(deps, consent));
  const begun = await page
    .begin(
      withTimeout(platformFetch(deps, { mode, platform, teamId, id: null })),
      { state, verifier, identifier, origin, redirectUri: origin + callbackPath(platform) },
      app,
    )
    .catch(() => null);
  if (!begun?.ok) {
    const name = platformName(platform);
    const { failure = "unavailable", message = `${name} could not be reached. Try again later.` } =
      begun?.error ?? {};
    return stopped({ ending: failure, message: capped(message) }, consent);
  }
  const { url, memory = {} } = begun.value;
  const [sent] = await deps.db.run([
    markSent({
      id: consent.id,
      stateHash: await sha256Hex(state),
      browserHash: await sha256Hex(browser),
      memory: await sealMemory(deps, consent.id, { verifier, memory }),
      expiresAt: new Date(deps.now().getTime() + CONSENT_LIFETIME_MS),
    }),
  ]);
  if (sent === 0) return stopped(USED, consent);
  if (mode !== "sandbox") return { kind: "sent", url };
  const name = await nameToConnectAgain(deps, consent);
  const { signingKey } = deps.config;
  return { kind: "sent", url: await sandboxConsentPath(signingKey, { teamId, url, name }) };
}

/** The name of the account that is connected again; null for a new one. */
async function nameToConnectAgain(
  deps: Deps,
  { teamId, accountId }: ConsentRow,
): Promise<string | null> {
  if (accountId === null) return null;
  const [[account]] = await deps.db.run([accountById(teamId, accountId)]);
  return account?.accountName ?? null;
}
