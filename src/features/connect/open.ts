import { randomHex } from "../../core/ids.ts";
import { isPlatform } from "../../core/platforms.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";
import { keysOf } from "../../platforms/kit/logins.ts";
import { capped } from "../../platforms/kit/replies.ts";
import { connectorOf, platformName } from "../../platforms/registry.ts";
import { sandboxConsentPath } from "../../sandbox/consent-address.ts";
import { accountById, newestLoginAt } from "../accounts/repo.ts";
import type { AccountRow } from "../accounts/table.ts";
import {
  appKeysOf,
  openCredentials,
  platformFetch,
  withTimeout,
} from "../logins/platform-access.ts";
import { refusedApp } from "./apps.ts";
import { sealMemory } from "./memory.ts";
import { type AskedConsent, consentByOpener, markSent } from "./repo/consents.ts";
import { linkById } from "./repo/links.ts";
import {
  CONSENT_LIFETIME_MS,
  callbackPath,
  LINK_OVER,
  type Obstacle,
  refusedOpening,
  UNKNOWN,
  USED,
} from "./rules.ts";
import { requireConsentPage } from "./service.ts";
import type { ConsentRow } from "./table.ts";

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

export type Opening = { kind: "sent"; url: string } | StoppedStep;

/** `consent` is null if the visitor may not see it. */
export interface StoppedStep {
  kind: "stopped";
  obstacle: Obstacle;
  consent: ConsentRow | null;
}

export const stop = (obstacle: Obstacle, consent: ConsentRow | null): StoppedStep => ({
  kind: "stopped",
  obstacle,
  consent,
});

type Asking = { kind: "asking"; consent: AskedConsent } | StoppedStep;

export async function readOpening(deps: Deps, token: string): Promise<Asking> {
  const [[consent]] = await deps.db.run([consentByOpener({ hash: await sha256Hex(token) })]);
  if (!consent) return stop(UNKNOWN, null);
  const refusal = refusedOpening(consent, deps.now());
  // Another person may have finished this attempt, so its details stay hidden.
  if (refusal) return stop(refusal, refusal === USED ? null : consent);
  if (consent.linkId !== null) {
    const [[link]] = await deps.db.run([linkById({ id: consent.linkId })]);
    if (!link || link.accountId !== null || link.expiresAt <= deps.now()) {
      return stop(LINK_OVER, consent);
    }
  }
  const message = refusedApp(deps, consent);
  if (message !== null) return stop({ ending: "refused", message }, consent);
  return { kind: "asking", consent };
}

async function earlierLogin(
  deps: Deps,
  at: Pick<AccountRow, "platform" | "mode"> & { server: string },
): Promise<Record<string, string> | null> {
  const [[account]] = await deps.db.run([newestLoginAt(at)]);
  if (!account) return null;
  const credentials = await openCredentials(deps, account).catch(() => null);
  return credentials?.extra ?? null;
}

/** May be repeated until someone returns from the platform; the last opening counts. */
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
  const start = await page
    .begin(
      withTimeout(platformFetch(deps, { mode, platform, teamId, id: null })),
      {
        state,
        verifier,
        identifier,
        origin,
        redirectUri: origin + callbackPath(platform),
        earlierLogin: (server) => earlierLogin(deps, { platform, mode, server }),
      },
      app,
    )
    .catch(() => null);
  if (!start?.ok) {
    const name = platformName(platform);
    const { failure = "unavailable", message = `${name} could not be reached. Try again later.` } =
      start?.error ?? {};
    return stop({ ending: failure, message: capped(message) }, consent);
  }
  const { url, memory = {} } = start.value;
  const [sent] = await deps.db.run([
    markSent({
      id: consent.id,
      stateHash: await sha256Hex(state),
      browserHash: await sha256Hex(browser),
      memory: await sealMemory(deps, consent.id, { verifier, memory }),
      expiresAt: new Date(deps.now().getTime() + CONSENT_LIFETIME_MS),
    }),
  ]);
  if (sent === 0) return stop(USED, consent);
  if (mode !== "sandbox") return { kind: "sent", url };
  const name = await nameToConnectAgain(deps, consent);
  const { signingKey } = deps.config;
  return {
    kind: "sent",
    url: await sandboxConsentPath(signingKey, { teamId, platform, url, name }),
  };
}

async function nameToConnectAgain(
  deps: Deps,
  { teamId, accountId }: ConsentRow,
): Promise<string | null> {
  if (accountId === null) return null;
  const [[account]] = await deps.db.run([accountById(teamId, accountId)]);
  return account?.accountName ?? null;
}
