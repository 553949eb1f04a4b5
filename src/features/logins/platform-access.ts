import type { OtherApp } from "../../core/platforms.ts";
import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Fetch, PublishAccount, PublishJob, Target } from "../../platforms/connector.ts";
import type { AppKeys, Credentials } from "../../platforms/login.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { AccountCall } from "../../platforms/removal.ts";
import type { CallOrigin } from "../../sandbox/kit/origin.ts";
import { isSwitchedOff, platformIdOf } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { loginEnd, renewalAt } from "./rules.ts";

/** The account was disconnected, or no key of this instance decrypts its login. */
export class NoCredentials extends Error {}

/** Simulated for a sandbox account. */
export function platformFetch(
  deps: Deps,
  account: Pick<AccountRow, "mode" | "platform" | "teamId"> & {
    id: string | null;
    app?: OtherApp | null;
  },
  uploadId: number | null = null,
): Fetch {
  const { mode, platform, teamId, id: accountId } = account;
  if (isSwitchedOff(account, deps.config)) {
    return () => Promise.reject(new Error("The sandbox is switched off on this instance."));
  }
  const direct =
    mode === "live" ? deps.fetch : sandboxFetch(deps, { teamId, accountId, uploadId, platform });
  const network = deps.recordCalls?.(direct) ?? direct;
  const app = appKeysOf(deps, account);
  return (app && connectorOf(platform).prove?.(network, app)) ?? network;
}

/** Loaded on first use: live accounts need no simulators. */
let simulated: typeof import("../../sandbox/fetch.ts") | null = null;

const sandboxFetch =
  ({ sandbox }: Deps, origin: CallOrigin): Fetch =>
  async (input, init) => {
    simulated ??= await import("../../sandbox/fetch.ts");
    return simulated.createSandboxFetch(sandbox, origin)(input, init);
  };

/** For calls with the access token. */
export function loginFetch(
  deps: Deps,
  account: AccountRow,
  credentials: Credentials,
  uploadId: number | null = null,
): Fetch {
  const network = platformFetch(deps, account, uploadId);
  const { proveLogin } = connectorOf(account.platform);
  if (!proveLogin) return network;
  let proven: Promise<Fetch> | undefined;
  return async (input, init) => {
    proven ??= proveLogin(network, credentials);
    return (await proven)(input, init);
  };
}

const SANDBOX_APP: AppKeys = { clientId: "sandbox", clientSecret: "sandbox" };

/** @param account `app` names the platform's other app */
export const appKeysOf = (
  { config }: Pick<Deps, "config">,
  { mode, platform, app: other }: Pick<AccountRow, "mode" | "platform"> & { app?: OtherApp | null },
): AppKeys | null => {
  const name = other ?? platform;
  const own = other ? { other } : {};
  const app = config.appKeys[name];
  const scopes = config.appScopes[name];
  if (mode === "sandbox") {
    if (other) return { ...SIMULATED_APPS[other], ...own, ...(scopes ? { scopes } : {}) };
    const key = app?.privateKey ? { privateKey: app.privateKey } : {};
    return { ...SANDBOX_APP, ...key, scopes: scopes ?? connectorOf(platform).needs.scopes };
  }
  return app ? { ...app, ...own, ...(scopes ? { scopes } : {}) } : null;
};

/** The simulators know these ids. */
const SIMULATED_APPS: Record<OtherApp, AppKeys> = {
  linkedin_pages: { clientId: "sandbox-pages", clientSecret: "sandbox" },
};

/** Time limit of a call; no login takes as long. */
const LOGIN_CALL_SECONDS = 20;

export const withTimeout =
  (network: Fetch): Fetch =>
  (input, init) =>
    network(input, { ...init, signal: AbortSignal.timeout(LOGIN_CALL_SECONDS * SECOND) });

export const withDeadline =
  (network: Fetch, ms: number): Fetch =>
  (input, init) => {
    const signals = [init?.signal, AbortSignal.timeout(ms)].filter((one) => one != null);
    return network(input, { ...init, signal: AbortSignal.any(signals), redirect: "manual" });
  };

export const createCall = (
  deps: Deps,
  account: AccountRow,
  credentials: Credentials,
): AccountCall => ({
  account: toPublishAccount(account),
  accessToken: credentials.accessToken,
  fetch: withDeadline(loginFetch(deps, account, credentials), LOGIN_CALL_SECONDS * SECOND),
  now: deps.now,
});

export function toPublishAccount(account: AccountRow): PublishAccount {
  const { id, isUnproven } = platformIdOf(account);
  const { handle, service, app, grantedScopes, serverLimits } = account;
  return {
    platformAccountId: id,
    handle,
    service,
    ...(isUnproven ? { isUnproven } : {}),
    ...(app ? { app } : {}),
    ...(grantedScopes === null ? {} : { grantedScopes: grantedScopes.split(" ") }),
    ...(serverLimits === null ? {} : { serverLimits }),
  };
}

/** What a post is held against right before it goes out. */
export const targetOfJob = ({ now, account }: PublishJob): Target => ({
  now: now(),
  serverLimits: account.serverLimits ?? null,
});

type Owner = Pick<AccountRow, "teamId" | "id" | "platform">;

/** Bound to its row, a login decrypts nowhere else. */
const boundTo = ({ teamId, id, platform }: Owner) => `${teamId}|${id}|${platform}|credentials`;

export async function sealCredentials(deps: Deps, owner: Owner, credentials: Credentials) {
  return {
    credentials: await deps.cipher.encrypt(JSON.stringify(credentials), boundTo(owner)),
    credentialsExpireAt: credentials.expiresAt,
    renewAt: renewalAt(connectorOf(owner.platform), credentials, deps.now()),
    loginEndsAt: loginEnd(credentials, deps.now()),
    dataAccessEndsAt: credentials.dataAccessEndsAt ?? null,
  };
}

const toDate = (text: string | Date | null | undefined): Date | null =>
  text ? new Date(text) : null;

/** @throws NoCredentials for a lost or unreadable login */
export async function openCredentials(deps: Deps, account: AccountRow): Promise<Credentials> {
  return reviveCredentials(JSON.parse(await decryptCredentials(deps, account)));
}

export const reviveCredentials = (
  stored: Omit<Credentials, "expiresAt" | "refreshEndsAt" | "dataAccessEndsAt"> & {
    expiresAt: string | Date | null;
    refreshEndsAt?: string | Date | null;
    dataAccessEndsAt?: string | Date | null;
  },
): Credentials => ({
  ...stored,
  expiresAt: toDate(stored.expiresAt),
  refreshEndsAt: toDate(stored.refreshEndsAt),
  dataAccessEndsAt: toDate(stored.dataAccessEndsAt),
});

/** @throws NoCredentials for a lost or unreadable login */
export async function reencryptCredentials(deps: Deps, account: SealedLogin): Promise<string> {
  return deps.cipher.encrypt(await decryptCredentials(deps, account), boundTo(account));
}

export type SealedLogin = Owner & Pick<AccountRow, "credentials">;

async function decryptCredentials(deps: Deps, account: SealedLogin): Promise<string> {
  if (!account.credentials) throw new NoCredentials("The account has been disconnected.");
  return deps.cipher.decrypt(account.credentials, boundTo(account)).catch(() => {
    throw new NoCredentials("The stored login can no longer be decrypted. Reconnect the account.");
  });
}
