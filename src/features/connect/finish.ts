import { errorName } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";
import type { ConsentPage, Grant } from "../../platforms/consent.ts";
import { keysOf, refusedProfile } from "../../platforms/kit/logins.ts";
import { capped } from "../../platforms/kit/replies.ts";
import type { Connected } from "../../platforms/login.ts";
import { connectorOf, platformName } from "../../platforms/registry.ts";
import { accountById } from "../accounts/repo.ts";
import type { AccountRow } from "../accounts/table.ts";
import { clientOf, starterDoer } from "../activity/repo.ts";
import { appKeysOf, platformFetch, withTimeout } from "../logins/platform-access.ts";
import { consentPageOf, refusedApp } from "./apps.ts";
import { type Choice, openChoice, openDone, openMemory, sealMemory } from "./memory.ts";
import { type StoppedStep, stop } from "./open.ts";
import { claimConsent, consentById, consentByState, keepConsent } from "./repo/consents.ts";
import { claimLink, finishLink, linkById, releaseLink } from "./repo/links.ts";
import { takenElsewhere } from "./repo/logins.ts";
import {
  CHOICE_LIFETIME_MS,
  callbackPath,
  claimsEndAt,
  LINK_OVER,
  MAX_CHOICES,
  missingOf,
  type Obstacle,
  REFUSED_WITHOUT_STATE,
  refusedReturn,
  refusedScopes,
  UNDER_WAY,
  UNKNOWN,
} from "./rules.ts";
import { storeLogins } from "./store-logins.ts";
import type { ConsentRow } from "./table.ts";

interface ReturningBrowser {
  /** The cookie's value, which identifies the browser. */
  browser: string | null;
}

export type Step = ConnectedStep | { kind: "choose"; consent: ConsentRow } | StoppedStep;

export interface ConnectedStep {
  kind: "connected";
  consent: ConsentRow;
  accounts: AccountRow[];
}

/** Of two simultaneous callbacks, only one succeeds. */
export async function returnFromConsent(
  deps: Deps,
  { platform, query, browser, origin }: ReturningBrowser & Callback,
): Promise<Step> {
  const state = query.get("state") ?? "";
  // Some servers of Mastodon's API leave the state out when a person refuses.
  if (state === "" && query.has("error")) return stop(REFUSED_WITHOUT_STATE, null);
  const [[consent]] = await deps.db.run([consentByState({ hash: await sha256Hex(state) })]);
  if (!consent || consent.platform !== platform) return stop(UNKNOWN, null);
  const browserHash = browser === null ? null : await sha256Hex(browser);
  const refusal = await refuseBack(deps, consent, "sent", browserHash);
  if (refusal) return refusal;
  const { id } = consent;
  const claim = { id, from: "sent", to: "returned", browserHash: browserHash ?? "" } as const;
  const [claimed] = await deps.db.run([claimConsent({ ...claim, now: deps.now() })]);
  if (claimed === 0) return stop(UNDER_WAY, null);
  const granted = await exchange(deps, consent, { query, state, origin });
  const step = granted.ok
    ? await connectGranted(deps, consent, granted.grant)
    : stop(granted.obstacle, consent);
  if (step.kind === "stopped") await fail(deps, consent);
  return step;
}

/** Shows a finished attempt's result again, but only to the browser that made the attempt. */
async function refuseBack(
  deps: Deps,
  consent: ConsentRow,
  step: "sent" | "choosing",
  browserHash: string | null,
): Promise<ConnectedStep | StoppedStep | null> {
  const isTheirs = consent.browserHash !== null && consent.browserHash === browserHash;
  if (isTheirs && consent.step === "done") return readDone(deps, consent);
  // An interrupted attempt stays in this step until it expires.
  if (isTheirs && consent.step === "returned" && consent.expiresAt > deps.now()) {
    return stop(UNDER_WAY, null);
  }
  const refusal = refusedReturn(consent, step, browserHash, deps.now());
  return refusal && stop(refusal, isTheirs ? consent : null);
}

export async function readDone(deps: Deps, consent: ConsentRow): Promise<ConnectedStep> {
  const ids = await openDone(deps, consent);
  const matches = await deps.db.runAll(ids.map((id) => accountById(consent.teamId, id)));
  return { kind: "connected", consent, accounts: matches.flat() };
}

interface Callback {
  platform: Platform;
  query: URLSearchParams;
  origin: string;
}

const fail = (deps: Deps, { id, expiresAt }: ConsentRow) =>
  deps.db.run([keepConsent({ id, step: "failed", memory: null, expiresAt })]);

async function exchange(
  deps: Deps,
  consent: ConsentRow,
  { query, state, origin }: Omit<Callback, "platform"> & { state: string },
): Promise<{ ok: true; grant: Grant } | { ok: false; obstacle: Obstacle }> {
  const { platform, mode, teamId } = consent;
  const page = consentPageOf(platform, consent.app) as ConsentPage;
  const name = platformName(platform);
  try {
    const { verifier, memory } = await openMemory(deps, consent);
    const fetch = withTimeout(platformFetch(deps, { mode, platform, teamId, id: null }));
    const redirectUri = origin + callbackPath(platform);
    const app = keysOf(appKeysOf(deps, consent));
    const back = { query, state, verifier, memory, redirectUri, origin };
    const granted = await page.finish(fetch, back, app);
    if (!granted.ok) {
      const { failure: ending, message } = granted.error;
      return { ok: false, obstacle: { ending, message: capped(message) } };
    }
    const { accounts, scopes } = granted.value;
    const message = refusedScopes(page, scopes, name);
    if (message) return { ok: false, obstacle: { ending: "incomplete", message } };
    const refusal = accounts.map(({ profile }) => refusedProfile(profile)).find(Boolean);
    if (refusal) return { ok: false, obstacle: { ending: "refused", message: refusal } };
    return { ok: true, grant: granted.value };
  } catch (error) {
    deps.log({ event: "consent.failed", platform, teamId, error: errorName(error) });
    const message = `${name} could not be reached. Try again later.`;
    return { ok: false, obstacle: { ending: "unavailable", message } };
  }
}

/** Connects the only account or the one to reconnect; otherwise the person chooses. */
async function connectGranted(deps: Deps, consent: ConsentRow, grant: Grant): Promise<Step> {
  const { platform, teamId } = consent;
  const { optional } = consentPageOf(platform, consent.app) as ConsentPage;
  const { requested = optional } = grant;
  const missingScopes = missingOf(
    optional.filter((scope) => requested.includes(scope)),
    grant.scopes,
  );
  // Without scopes in the reply, the requested ones were granted. Source: RFC 6749, 5.1.
  const granted = grant.scopes ?? grant.requested ?? null;
  const scopes = {
    missingScopes,
    grantedScopes: granted && optional.filter((scope) => granted.includes(scope)),
  };
  const accounts = inOrder(consent, grant.accounts).slice(0, MAX_CHOICES);
  const name = platformName(platform);
  if (accounts.length === 0) {
    const message =
      consent.type === "page"
        ? `${name} named no page that you may publish as. That takes an administrator or a content administrator of the page.`
        : `${name} named no account that can be connected.`;
    return stop({ ending: "no_account", message }, consent);
  }
  if (consent.accountId !== null) {
    const [[meant]] = await deps.db.run([accountById(teamId, consent.accountId)]);
    if (!meant) {
      const message = "The account was disconnected in the meantime. Connect it again.";
      return stop({ ending: "other_account", message }, { ...consent, returnTo: "/app/accounts" });
    }
    const same = accounts.find(
      ({ profile }) => profile.platformAccountId === meant.platformAccountId,
    );
    if (!same) {
      const other = accounts[0]?.profile.accountName;
      const message = `You signed in to ${name} as ${other}, and ${meant.accountName} is to be connected again. Nothing was changed: sign in to ${name} as that account, and try again.`;
      return stop({ ending: "other_account", message }, consent);
    }
    return store(deps, consent, [same], scopes);
  }
  if (accounts.length === 1) return store(deps, consent, accounts, scopes);
  const expiresAt = new Date(deps.now().getTime() + CHOICE_LIFETIME_MS);
  const memory = await sealMemory(deps, consent.id, { accounts, ...scopes });
  await deps.db.run([keepConsent({ id: consent.id, step: "choosing", memory, expiresAt })]);
  return { kind: "choose", consent };
}

/** Where a page was requested: pages first, or none without a page. */
function inOrder({ platform, type }: ConsentRow, accounts: readonly Connected[]): Connected[] {
  const { pagesApp } = connectorOf(platform);
  if (type !== "page" || !pagesApp) return [...accounts];
  const isPage = ({ profile }: Connected) => pagesApp.isPage(profile.platformAccountId);
  const pages = accounts.filter(isPage);
  return pages.length === 0 ? [] : [...pages, ...accounts.filter((one) => !isPage(one))];
}

async function store(
  deps: Deps,
  consent: ConsentRow,
  logins: Connected[],
  scopes: Pick<Choice, "missingScopes" | "grantedScopes">,
): Promise<Step> {
  const { teamId, platform, mode, app, linkId, userId, tokenId } = consent;
  const starter = userId === null ? null : { teamId, userId, tokenId };
  const taken = await refuseTaken(deps, consent, logins);
  if (taken) return taken;
  const [[link]] = await deps.db.run([linkById({ id: linkId ?? 0 })]);
  if (linkId !== null) {
    const now = deps.now();
    const claim = { id: linkId, now, claimsEndAt: claimsEndAt(now) };
    const [claimed] = await deps.db.run([claimLink(claim)]);
    if (claimed === 0) return stop(LINK_OVER, consent);
  }
  let accounts: AccountRow[] | null = null;
  try {
    accounts = await storeLogins(deps, {
      teamId,
      platform,
      mode,
      app,
      logins,
      ...scopes,
      tags: link?.tags ?? [],
      starter,
      by: starter ? starterDoer(starter) : clientOf(linkId ?? 0, link?.title ?? "A client"),
      isExclusive: mode === "live",
    });
  } finally {
    if (linkId !== null && accounts === null) await deps.db.run([releaseLink({ id: linkId })]);
  }
  if (accounts === null) return (await refuseTaken(deps, consent, logins)) ?? stop(UNKNOWN, null);
  const { id, expiresAt } = consent;
  const accountIds = accounts.map((account) => account.id);
  const memory = await sealMemory(deps, id, { accountIds });
  const [accountId = ""] = accountIds;
  await deps.db.runAll([
    keepConsent({ id, step: "done", memory, expiresAt }),
    ...(linkId === null ? [] : [finishLink({ id: linkId, accountId })]),
  ]);
  return { kind: "connected", consent, accounts };
}

/** Refuses accounts of other teams: a second login would soon end the first. */
async function refuseTaken(
  deps: Deps,
  { teamId, platform, mode, ...consent }: ConsentRow,
  logins: readonly Connected[],
): Promise<StoppedStep | null> {
  if (mode === "sandbox") return null;
  const identities = logins.map(({ profile }) => ({
    id: profile.platformAccountId,
    service: profile.service,
  }));
  const [taken] = await deps.db.run([takenElsewhere({ teamId, platform, identities })]);
  const lost = logins.find(({ profile }) => taken.includes(profile.platformAccountId));
  if (!lost) return null;
  const message = `${lost.profile.accountName} is connected to another team of this instance. Disconnect it there first, or withdraw this app's access in ${platformName(platform)}'s own settings.`;
  return stop({ ending: "taken", message }, { teamId, platform, mode, ...consent });
}

type Choosing = ({ kind: "choosing"; consent: ConsentRow } & Choice) | ConnectedStep | StoppedStep;

export async function readChoice(
  deps: Deps,
  id: number,
  { browser }: ReturningBrowser,
): Promise<Choosing> {
  const [[consent]] = await deps.db.run([consentById({ id })]);
  if (!consent) return stop(UNKNOWN, null);
  const browserHash = browser === null ? null : await sha256Hex(browser);
  const refusal = await refuseBack(deps, consent, "choosing", browserHash);
  if (refusal) return refusal;
  const message = refusedApp(deps, consent);
  if (message) return stop({ ending: "refused", message }, consent);
  return { kind: "choosing", consent, ...(await openChoice(deps, consent)) };
}

/** A client's link connects only one account. Of two simultaneous choices, only one succeeds. */
export async function chooseAccounts(
  deps: Deps,
  id: number,
  { browser, picks }: ReturningBrowser & { picks: readonly string[] },
): Promise<Step | { kind: "none" }> {
  const choice = await readChoice(deps, id, { browser });
  if (choice.kind !== "choosing") return choice;
  const { consent, accounts, missingScopes, grantedScopes } = choice;
  const picked = accounts.filter(({ profile }) => picks.includes(profile.platformAccountId));
  const chosen = consent.linkId === null ? picked : picked.slice(0, 1);
  if (chosen.length === 0) return { kind: "none" };
  const claim = { id, from: "choosing", to: "returned", now: deps.now() } as const;
  const [claimed] = await deps.db.run([
    claimConsent({ ...claim, browserHash: consent.browserHash ?? "" }),
  ]);
  if (claimed === 0) return stop(UNDER_WAY, null);
  let isOver = false;
  try {
    const step = await store(deps, consent, chosen, { missingScopes, grantedScopes });
    isOver = step.kind !== "stopped";
    return step;
  } finally {
    if (!isOver) await deps.db.run([keepConsent(consent)]);
  }
}
