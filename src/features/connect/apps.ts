import { appKeyNames } from "../../core/app-keys.ts";
import type { FieldError } from "../../core/errors.ts";
import type { OtherApp, Platform } from "../../core/platforms.ts";
import type { Deps } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { ConsentPage } from "../../platforms/consent.ts";
import type { LoginForm } from "../../platforms/login.ts";
import { connectorOf, connectors, platformName } from "../../platforms/registry.ts";
import type { AccountMode, AccountRow } from "../accounts/table.ts";
import { appKeysOf } from "../logins/platform-access.ts";
import type { AccountType } from "./table.ts";

type Configured = Pick<Deps, "config">;

interface Wanted {
  platform: Platform;
  mode: AccountMode;
  type: AccountType | null;
}

/** Null means the platform's first app. */
type App = OtherApp | null;

export function consentPageOf(platform: Platform, app: App): ConsentPage | undefined {
  const { consent, pagesApp } = connectorOf(platform);
  return pagesApp && pagesApp.app === app ? pagesApp.consent : consent;
}

export const publishesAs = (platform: Platform, app: App): string =>
  consentPageOf(platform, app)?.publishesAs ?? `your ${platformName(platform)} account`;

const hasKeys = (deps: Configured, account: Omit<Wanted, "type">, app: App): boolean =>
  appKeysOf(deps, { ...account, app }) !== null;

const isHalfSet = ({ config }: Configured, { platform, mode }: Omit<Wanted, "type">, app: App) =>
  mode === "live" && appKeyNames(app ?? platform).some((name) => config.halfAppKeys.includes(name));

function connectsPages(deps: Configured, account: Omit<Wanted, "type">, app: App): boolean {
  const { pagesApp } = connectorOf(account.platform);
  if (app !== null || !pagesApp) return hasKeys(deps, account, app);
  const { scopes = [] } = appKeysOf(deps, account) ?? {};
  return pagesApp.scopes.every((scope) => scopes.includes(scope));
}

/**
 * Returns the app by which an account of this type is connected; it may have no keys. A half-set pair is chosen, so
 * that the refusal names the missing variable.
 */
export function appFor(deps: Configured, { type, platform, mode }: Wanted): App {
  const { pagesApp } = connectorOf(platform);
  if (!pagesApp) return null;
  const account = { platform, mode };
  const { app } = pagesApp;
  const isSet = hasKeys(deps, account, app);
  if (type === "page") {
    return isSet || isHalfSet(deps, account, app) || !connectsPages(deps, account, null)
      ? app
      : null;
  }
  const isFirstWanted = hasKeys(deps, account, null) || isHalfSet(deps, account, null);
  return isFirstWanted || !isSet ? null : app;
}

/** People have another id in each app; pages have the same. */
export function appToReconnect(deps: Configured, account: AccountRow): App {
  const { platform, mode, app, platformAccountId } = account;
  const isPage = connectorOf(platform).pagesApp?.isPage(platformAccountId) ?? false;
  if (!isPage || connectsPages(deps, { platform, mode }, app)) return app;
  return appFor(deps, { platform, mode, type: "page" });
}

/** Tokens of pages come from the app for pages, where the instance has one. */
export function appOfTokens(deps: Configured, wanted: Wanted, pageId: string | undefined): App {
  if (wanted.type !== null || pageId === undefined || wanted.mode === "sandbox") {
    return appFor(deps, wanted);
  }
  const app = appFor(deps, { ...wanted, type: "page" });
  return hasKeys(deps, wanted, app) ? app : null;
}

const withPages = () =>
  connectors().flatMap(({ platform, pagesApp }) => (pagesApp ? [platform] : []));

export const refusedType = ({ platform, type }: Pick<Wanted, "platform" | "type">) =>
  type === "page" && !connectorOf(platform).pagesApp
    ? `The type page is for ${withPages().join(", ")} alone. Leave type out.`
    : null;

export function refusedApp(
  deps: Configured,
  { platform, mode, app }: Omit<Wanted, "type"> & { app: App },
): string | null {
  const consent = consentPageOf(platform, app);
  const name = platformName(platform);
  if (!consent) return `${name} has no consent page. Send ${loginsInWords(connectorOf(platform))}.`;
  if (mode === "sandbox") {
    return deps.config.sandboxEnabled ? null : "The sandbox is switched off on this instance.";
  }
  if (consent.needsNoApp || hasKeys(deps, { platform, mode }, app)) return null;
  const what = app === null ? `${name} is` : `${name} pages are`;
  const keys = appKeyNames(app ?? platform);
  const half = keys.find((key) => deps.config.halfAppKeys.includes(key));
  const missing = keys.filter((key) => key !== half).join(" and ");
  return half
    ? `${what} only half set up on this instance: ${half} is set, and its owner has to set ${missing} too.`
    : `${what} not set up on this instance: its owner has to set ${missing}.`;
}

const fieldsInWords = ({ fields }: LoginForm): string =>
  fields
    .filter(({ isOptional }) => !isOptional)
    .map(({ name }) => name)
    .join(" and ");

/** What an account of a platform without consent page, or without its app, is connected by. */
export const loginsInWords = ({ logins = [] }: Connector): string =>
  [...logins.map(fieldsInWords), "its tokens as credentials", "sandbox: true to try it"].join(
    ", or ",
  );

/** Includes a hint about the sandbox. */
export function refusedRequest(deps: Configured, wanted: Wanted): FieldError | null {
  const { platform, mode, type } = wanted;
  const message = refusedType(wanted);
  if (message !== null) return { field: "type", message };
  const refusal = refusedApp(deps, { platform, mode, app: appFor(deps, wanted) });
  if (refusal === null) return null;
  const sandbox = { ...wanted, mode: "sandbox" as const };
  const isSimulated = refusedApp(deps, { ...sandbox, app: appFor(deps, sandbox) }) === null;
  return {
    field: type === "page" ? "type" : "platform",
    message: isSimulated ? `${refusal} To try it out, send "mode":"sandbox".` : refusal,
  };
}
