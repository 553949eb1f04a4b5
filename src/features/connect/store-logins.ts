import type { SQL } from "drizzle-orm";
import { AppError } from "../../core/errors.ts";
import type { OtherApp, Platform } from "../../core/platforms.ts";
import type { Query } from "../../db/client.ts";
import { runNamed } from "../../db/named.ts";
import type { Deps } from "../../deps.ts";
import { refusedProfile } from "../../platforms/kit/logins.ts";
import type { Connected } from "../../platforms/login.ts";
import { accountById, updateAccount } from "../accounts/repo.ts";
import { identityOf, mergeTags } from "../accounts/rules.ts";
import type { AccountMode, AccountRow } from "../accounts/table.ts";
import { activityLineBy, type Doer } from "../activity/repo.ts";
import type { Starter } from "../auth/repo/people.ts";
import { emitIfChanged } from "../events/repo.ts";
import { sealCredentials } from "../logins/platform-access.ts";
import * as repo from "./repo/logins.ts";

interface NewLogins {
  teamId: number;
  platform: Platform;
  mode: AccountMode;
  logins: readonly Connected[];
  tags?: readonly string[];
  missingScopes?: readonly string[];
  /** Optional scopes; null when unknown. */
  grantedScopes?: readonly string[] | null;
  app?: OtherApp | null;
  starter: Starter<number> | null;
  by: Doer;
  isExclusive?: boolean;
}

/**
 * Stores all logins in one batch.
 *
 * @returns null, with nothing stored, if the team was deleted, the person may no longer act for it, or another team has
 * the account and `isExclusive` forbids that
 * @throws AppError 400 for a profile that cannot be stored
 */
export async function storeLogins(deps: Deps, input: NewLogins): Promise<AccountRow[] | null> {
  const { teamId, platform, logins, starter, isExclusive = false } = input;
  for (const { profile } of logins) {
    const refusal = refusedProfile(profile);
    if (refusal !== null) throw new AppError(null, refusal);
  }
  const find = logins.map((login) => repo.accountByPlatformId(teamId, platform, identityOf(login)));
  const existing = (await deps.db.runAll(find)).map(([account]) => account);
  const identities = logins.map((login) => ({
    id: identityOf(login),
    service: login.profile.service,
  }));
  const condition = repo.mayStore({ teamId, platform, identities }, { starter, isExclusive });
  const stored = await Promise.all(
    logins.map((login, i) => storeOne(deps, input, { login, existing: existing[i], condition })),
  );
  const { isStored, accounts: rows } = await runNamed(deps.db, {
    isStored: repo.holds(condition),
    writes: stored.flatMap(({ statements }) => statements),
    accounts: stored.map(({ id }) => accountById(teamId, id)),
  });
  if (!isStored[0]) return null;
  const accounts = rows.map(([account]) => account);
  // A simultaneous call connected or disconnected one of the accounts.
  return accounts.every((account) => account !== undefined) ? accounts : storeLogins(deps, input);
}

interface Storing {
  login: Connected;
  existing: AccountRow | undefined;
  condition: SQL;
}

async function storeOne(
  deps: Deps,
  { teamId, platform, mode, tags = [], missingScopes, grantedScopes, app = null, by }: NewLogins,
  { login: connected, existing, condition }: Storing,
): Promise<{ id: string; statements: Query<unknown>[] }> {
  const owner = { teamId, platform, id: existing?.id ?? deps.newId("acc") };
  const { profile, credentials } = connected;
  const login = {
    ...profile,
    platformAccountId: identityOf(connected),
    platformUserId: profile.platformUserId ?? null,
    serverLimits: profile.serverLimits ?? null,
    ...(await sealCredentials(deps, owner, credentials)),
    mode,
    status: "active" as const,
    missingScopes: missingScopes?.length ? missingScopes.join(" ") : null,
    grantedScopes: grantedScopes?.join(" ") ?? null,
    app,
    refreshLeaseUntil: null,
    failureCount: 0,
    connectedAt: deps.now(),
    ...(tags.length > 0 ? { tags: mergeTags(existing?.tags ?? "", tags) } : {}),
  };
  const write = existing
    ? updateAccount(teamId, existing.id, login, condition)
    : repo.insertAccount({ ...owner, ...login }, condition);
  const event = emitIfChanged(deps, {
    team: teamId,
    name: "connected_account.connected",
    data: { accountId: owner.id, platform, accountName: login.accountName },
  });
  const action = existing ? "account.reconnected" : "account.connected";
  const line = activityLineBy(deps, teamId, by, action, owner.id);
  return { id: owner.id, statements: [write, event, line] };
}
