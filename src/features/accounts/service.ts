import { AppError, invalidFields, notFound } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import type { Platform } from "../../core/platforms.ts";
import { type Result, refuse } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Ctx } from "../../deps.ts";
import type { Connector, Fetch } from "../../platforms/connector.ts";
import type { AppKeys, Connected, LoginRefusal } from "../../platforms/login.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { sandboxCredentials } from "../../sandbox/kit/login.ts";
import { appKeysOf, platformFetch, withTimeout } from "./platform-access.ts";
import * as repo from "./repo/accounts.ts";
import type { AccountFilter, NewAccount } from "./schema.ts";
import { storeLogins } from "./store.ts";
import type { AccountMode, AccountRow } from "./table.ts";

/** By platform, then by the platform's own id. */
export async function listAccounts(ctx: Ctx, filter: AccountFilter = {}): Promise<AccountRow[]> {
  const [rows] = await ctx.read("accounts:read", [repo.accountsOfTeam(ctx.team, filter)]);
  return rows;
}

/** @throws AppError NOT_FOUND */
export async function getAccount(ctx: Ctx, id: string) {
  const [[account], [lastUsedAt]] = await ctx.read("accounts:read", [
    repo.accountById(ctx.team, id),
    repo.lastUseOf(ctx.team, id),
  ]);
  if (!account) throw notFound("Account");
  return { account, lastUsedAt: lastUsedAt ?? null };
}

/** @throws AppError NOT_FOUND */
export async function setAccountTags(ctx: Ctx, id: string, tags: string): Promise<AccountRow> {
  await ctx.read("accounts:write", []);
  const [[account]] = await ctx.db.run([repo.updateAccount(ctx.team, id, { tags })]);
  if (!account) throw notFound("Account");
  return account;
}

/**
 * Connects an account, or renews the login of one that is connected already.
 *
 * @throws AppError 400 when the platform cannot be connected so, or refused the login; UNAVAILABLE when
 * it does not answer
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

async function logIn(
  ctx: Ctx,
  connector: Connector,
  input: NewAccount,
  mode: AccountMode,
): Promise<Result<Connected, LoginRefusal>> {
  const { teamId } = ctx.actor;
  const { platform } = input;
  const network = withTimeout(platformFetch(ctx, { mode, platform, teamId, id: null }));
  const { fetch, isAbsent } = watched(network);
  const app = appKeysOf(ctx, { mode, platform });
  const { adopt = connector.identify } = connector;
  if ("sandbox" in input) {
    if (!ctx.config.sandboxEnabled) {
      throw invalidFields([
        { field: "sandbox", message: "The sandbox is switched off on this instance." },
      ]);
    }
    const accountName = input.name ?? `Sandbox ${input.platform}`;
    const { simulatedOf } = await import("../../sandbox/registry.ts");
    const login = await simulatedOf(platform)?.login?.(accountName);
    const connected =
      connector.login && login
        ? await connector.login(fetch, login)
        : await adopt(
            fetch,
            sandboxCredentials(platform, accountName, randomHex(8)),
            { service: null, pageId: input.pageId?.trim() ?? null },
            app,
          );
    if (connected.ok) connected.value.profile.accountName = accountName;
    return connected;
  }
  if (input.service !== undefined) refuseService(ctx, input.service);
  const answer = await ask(connector, fetch, input, app).catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    throw absent(input.platform, "no connection");
  });
  const connected = requireProof(answer, ctx.config);
  if (!connected.ok && !connected.error.final && isAbsent()) {
    throw absent(input.platform, connected.error.message);
  }
  return connected;
}

/** Refuses an account whose id its own server alone bears out: only development has servers of that kind. */
const requireProof = (
  connected: Result<Connected, LoginRefusal>,
  { isDevelopment }: { isDevelopment: boolean },
): Result<Connected, LoginRefusal> =>
  connected.ok && connected.value.unproven && !isDevelopment
    ? refuse(connected.value.unproven)
    : connected;

async function ask(
  connector: Connector,
  fetch: Fetch,
  input: Exclude<NewAccount, { sandbox: true }>,
  app: AppKeys | null,
): Promise<Result<Connected, LoginRefusal>> {
  if ("credentials" in input) {
    const { accessToken, refreshToken, expiresAt } = input.credentials;
    const { adopt = connector.identify } = connector;
    return adopt(
      fetch,
      { accessToken, refreshToken: refreshToken ?? null, expiresAt: expiresAt ?? null },
      { service: input.service ?? null, pageId: input.pageId?.trim() ?? null },
      app,
    );
  }
  if (!connector.login) throw invalidFields([cannotLogIn(input.platform)]);
  const { platform: _, ...login } = input;
  return connector.login(fetch, login);
}

/** Spec is silent: long enough for a platform that restarts. */
const TRY_AGAIN_SECONDS = 60;

const absent = (platform: Platform, why: string) =>
  new AppError(
    "UNAVAILABLE",
    `${platform} could not be reached (${why.replace(/\.$/, "")}). Try again later.`,
    { headers: { "Retry-After": String(TRY_AGAIN_SECONDS) } },
  );

/** The network, and what its last answer says of the platform: too busy to answer, or broken. */
function watched(network: Fetch): { fetch: Fetch; isAbsent(): boolean } {
  let isAbsent = false;
  return {
    fetch: async (input, init) => {
      isAbsent = true;
      const reply = await network(input, init);
      isAbsent = reply.status >= 500 || reply.status === 429 || reply.status === 408;
      return reply;
    },
    isAbsent: () => isAbsent,
  };
}

const cannotLogIn = (platform: Platform) => ({
  field: "platform",
  message: `${platform} has no login by password. Send its tokens as credentials.`,
});

function refuseService(ctx: Ctx, service: string): void {
  const reason = refusedUrl(service, { allowLoopback: ctx.config.isDevelopment });
  if (reason) throw invalidFields([{ field: "service", message: `service ${reason}.` }]);
}
