import type { SQL } from "drizzle-orm";
import { AppError } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import type { Query } from "../../db/client.ts";
import { runNamed } from "../../db/named.ts";
import type { Deps } from "../../deps.ts";
import { refusedProfile } from "../../platforms/kit/logins.ts";
import type { Connected } from "../../platforms/login.ts";
import type { Starter } from "../auth/repo/people.ts";
import { emitIfChanged } from "../events/repo.ts";
import { sealCredentials } from "./platform-access.ts";
import * as repo from "./repo/accounts.ts";
import { identityOf, mergeTags } from "./rules.ts";
import type { AccountMode, AccountRow } from "./table.ts";

/** Logins of one platform that were given for a team. */
interface NewLogins {
  teamId: number;
  platform: Platform;
  mode: AccountMode;
  logins: readonly Connected[];
  /** Added to those of the accounts. */
  tags?: readonly string[];
  /** Optional permissions that were not granted. */
  missingScopes?: readonly string[];
  /** The person who began to connect them; null where a client did, by a link. */
  starter: Starter<number> | null;
  /** Refuses accounts that another team uses. */
  isExclusive?: boolean;
}

/**
 * Stores the logins, all in one batch: of accounts that the team has already, and of new ones.
 *
 * @returns the accounts in the order of the logins; null, with nothing stored, where in the meantime the team was
 * deleted or its starter may not act for it any more, or for `isExclusive` where another team uses one of the accounts
 * @throws AppError 400 for an account that cannot be kept
 */
export async function storeLogins(deps: Deps, input: NewLogins): Promise<AccountRow[] | null> {
  const { teamId, platform, logins, starter, isExclusive = false } = input;
  for (const { profile } of logins) {
    const refusal = refusedProfile(profile);
    if (refusal !== null) throw new AppError(null, refusal);
  }
  const find = logins.map((login) => repo.accountByPlatformId(teamId, platform, identityOf(login)));
  const known = (await deps.db.runAll(find)).map(([account]) => account);
  const identities = logins.map((login) => ({
    id: identityOf(login),
    service: login.profile.service,
  }));
  const condition = repo.mayStore({ teamId, platform, identities }, { starter, isExclusive });
  const stored = await Promise.all(
    logins.map((login, i) => storeOne(deps, input, { login, known: known[i], condition })),
  );
  const { isStored, found } = await runNamed(deps.db, {
    isStored: repo.holds(condition),
    writes: stored.flatMap(({ statements }) => statements),
    found: stored.map(({ id }) => repo.accountById(teamId, id)),
  });
  if (!isStored[0]) return null;
  const accounts = found.map(([account]) => account);
  // Connected, or disconnected, by another call in the same moment: then there is a row now, or none.
  return accounts.every((account) => account !== undefined) ? accounts : storeLogins(deps, input);
}

interface Storing {
  login: Connected;
  known: AccountRow | undefined;
  condition: SQL;
}

async function storeOne(
  deps: Deps,
  { teamId, platform, mode, tags = [], missingScopes }: NewLogins,
  { login: connected, known, condition }: Storing,
): Promise<{ id: string; statements: Query<unknown>[] }> {
  const owner = { teamId, platform, id: known?.id ?? deps.newId("acc") };
  const { profile, credentials } = connected;
  const login = {
    ...profile,
    platformAccountId: identityOf(connected),
    platformUserId: profile.platformUserId ?? null,
    ...(await sealCredentials(deps, owner, credentials)),
    mode,
    status: "active" as const,
    missingScopes: missingScopes?.length ? missingScopes.join(" ") : null,
    refreshLeaseUntil: null,
    failureCount: 0,
    connectedAt: deps.now(),
    ...(tags.length > 0 ? { tags: mergeTags(known?.tags ?? "", tags) } : {}),
  };
  const write = known
    ? repo.updateAccount(teamId, known.id, login, condition)
    : repo.insertAccount({ ...owner, ...login }, condition);
  const event = emitIfChanged(deps, {
    team: teamId,
    name: "connected_account.connected",
    data: { accountId: owner.id, platform, accountName: login.accountName },
  });
  return { id: owner.id, statements: [write, event] };
}
