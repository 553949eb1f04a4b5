import { addSeconds, DAY, SECOND } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { Connector, Fetch } from "../../platforms/connector.ts";
import { readRetryAfter } from "../../platforms/kit/replies.ts";
import type { Credentials, LoginRefusal } from "../../platforms/login.ts";
import { emit, emitIfChanged } from "../events/repo.ts";
import {
  appKeysOf,
  platformFetch,
  sealCredentials,
  toPublishAccount,
  withTimeout,
} from "./platform-access.ts";
import {
  expireAccount,
  finishRefresh,
  isTakenForExpired,
  reviveAccount,
  storeRenewed,
  takeRefreshLease,
} from "./repo/accounts.ts";
import { keepsStoredEnds, loginEnd, nextRenewal, renewalAt } from "./rules.ts";
import type { AccountRow } from "./table.ts";

/** Longer than any refresh call may take. */
const LEASE_SECONDS = 60;
/** No call begins later than this after the first, so that all have ended before the lease. */
const REPEATED_FOR_SECONDS = 20;
/** A login that was renewed rests as long, also where its end is no further off than before. */
const RESTS_SECONDS = DAY / SECOND;

/** `busy`: somebody else is refreshing this login; look again in a moment. */
export type Login =
  | { kind: "ready"; credentials: Credentials }
  | { kind: "busy" }
  | ({ kind: "refused" } & LoginRefusal);

/** Refreshes a login, whether it has to be or not. */
export async function refreshLogin(
  deps: Deps,
  connector: Connector,
  account: AccountRow,
  credentials: Credentials,
): Promise<Login> {
  const [taken] = await deps.db.run([refreshLease(deps, account)]);
  return taken === 0 ? { kind: "busy" } : refreshUnderLease(deps, connector, account, credentials);
}

/** The right to refresh a login, to be taken before; it answers 0 where somebody else has it. */
export const refreshLease = (deps: Deps, account: AccountRow): Query<number> =>
  takeRefreshLease(account, deps.now(), addSeconds(deps.now(), LEASE_SECONDS));

/**
 * Refreshes a login whose lease has been taken.
 *
 * @param tries calls to make, at most, while there is no answer: a reply that got lost is often given again
 */
export async function refreshUnderLease(
  deps: Deps,
  connector: Connector,
  account: AccountRow,
  credentials: Credentials,
  tries = 1,
): Promise<Login> {
  const { fetch, retryAfterSeconds } = heedful(withTimeout(platformFetch(deps, account)));
  let refreshed: Awaited<ReturnType<Connector["refresh"]>>;
  try {
    refreshed = await firstAnswer(deps, tries, () =>
      connector.refresh(fetch, credentials, toPublishAccount(account), appKeysOf(deps, account)),
    );
  } catch (error) {
    const message = `The platform did not answer when the login was renewed: ${error instanceof Error ? error.message : error}`;
    refreshed = { ok: false, error: { message, final: false } };
  }
  if (!refreshed.ok) {
    const ends = endsAfterFailure(deps, connector, {
      account,
      credentials,
      retryAfterSeconds: retryAfterSeconds(),
    });
    return giveUp(deps, account, refreshed.error, ends);
  }

  const storing = keepLogin(deps, account, refreshed.value);
  // Not left undone because a caller did not wait for the answer.
  deps.defer(storing.catch(() => {}));
  return (await storing) ? { kind: "ready", credentials: refreshed.value } : { kind: "busy" };
}

/** Calls until there is an answer, as long as nothing but the connection fails, and that soon. */
async function firstAnswer<T>(deps: Deps, tries: number, call: () => Promise<T>): Promise<T> {
  const lastAt = addSeconds(deps.now(), REPEATED_FOR_SECONDS);
  for (let left = tries - 1; ; left--) {
    try {
      return await call();
    } catch (error) {
      if (left <= 0 || deps.now() > lastAt) throw error;
    }
  }
}

/** The network, and for how long its last answer wants to be left alone. */
function heedful(network: Fetch): { fetch: Fetch; retryAfterSeconds(): number | null } {
  let seconds: number | null = null;
  return {
    fetch: async (input, init) => {
      const reply = await network(input, init);
      seconds = reply.ok ? null : readRetryAfter(reply);
      return reply;
    },
    retryAfterSeconds: () => seconds,
  };
}

interface FailedRefresh {
  account: AccountRow;
  credentials: Credentials;
  retryAfterSeconds: number | null;
}

/**
 * Returns the time at which a failed renewal is tried again; null when the login is renewed only on its next use.
 * Also returns the end of the login when the stored one differs, as after a lost write of an earlier renewal.
 */
function endsAfterFailure(
  deps: Deps,
  connector: Connector,
  { account, credentials, retryAfterSeconds }: FailedRefresh,
): Partial<AccountRow> {
  if (account.renewAt === null) return { renewAt: null };
  const dueAt = renewalAt(connector, credentials, deps.now());
  const loginEndsAt = loginEnd(credentials);
  const stands = loginEndsAt?.getTime() !== account.loginEndsAt?.getTime();
  const renewAt = (stands && dueAt) || account.renewAt;
  return {
    renewAt: nextRenewal({ dueAt, renewAt, retryAfterSeconds }, deps.now()),
    ...(stands ? { loginEndsAt } : {}),
  };
}

/**
 * Waits before a renewed login is written once more, in ms: three minutes in all, as many subrequests
 * as an invocation can spare, and seldom longer than somebody else needs to take the lease.
 */
const WRITE_AGAIN_MS = [100, 500, 1_000, 2_000, ...Array(10).fill(5_000), ...Array(8).fill(15_000)];

/**
 * Stores a renewed login. The one before may be dead already and this the only copy, so the write is
 * repeated until it stands; false where it was overtaken: by a person, or by another renewal.
 */
async function keepLogin(
  deps: Deps,
  account: AccountRow,
  credentials: Credentials,
): Promise<boolean> {
  const { renewAt, loginEndsAt, ...fresh } = await sealCredentials(deps, account, credentials);
  const restedAt = addSeconds(deps.now(), RESTS_SECONDS);
  const ends = { renewAt: renewAt && renewAt < restedAt ? restedAt : renewAt, loginEndsAt };
  const sealed = { ...fresh, ...(keepsStoredEnds(account, ends, deps.now()) ? {} : ends) };
  const reason = "The login has been renewed, although it was taken for expired.";
  const batch = [
    emit(deps, eventOf(account, "connected_account.connected", reason), isTakenForExpired(account)),
    storeRenewed(account, sealed),
    reviveAccount(account, sealed.credentials),
  ] as const;
  for (const wait of [...WRITE_AGAIN_MS, null]) {
    try {
      const [, stored] = await deps.db.run(batch);
      return stored === 1;
    } catch (error) {
      if (wait === null) throw error;
      deps.log({ event: "login.write_repeated", accountId: account.id, error: String(error) });
      await deps.wait(wait);
    }
  }
  return false;
}

async function giveUp(
  deps: Deps,
  account: AccountRow,
  refusal: LoginRefusal,
  ends: Partial<AccountRow>,
): Promise<Login> {
  const outcome = refusal.final ? ({ status: "expired" } as const) : ends;
  const name = refusal.final ? "connected_account.expired" : "connected_account.refresh_failed";
  const [changed] = await deps.db.run([
    finishRefresh(account, outcome),
    emitIfChanged(deps, eventOf(account, name, refusal.message)),
  ]);
  // The login that was refused is not the account's any more.
  return changed === 0 ? { kind: "busy" } : { kind: "refused", ...refusal };
}

type LoginEvent = `connected_account.${"connected" | "expired" | "refresh_failed"}`;

/** An event about the login of an account. */
export const eventOf = (account: AccountRow, name: LoginEvent, reason: string) => ({
  team: account.teamId,
  name,
  data: {
    accountId: account.id,
    platform: account.platform,
    accountName: account.accountName,
    reason,
  },
});

/** The writes by which a lost login is known as such, for the batch of what showed it. */
export const expireLogin = (deps: Deps, account: AccountRow, reason: string): Query<number>[] => [
  expireAccount(account),
  emitIfChanged(deps, eventOf(account, "connected_account.expired", reason)),
];
