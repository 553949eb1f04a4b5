import { errorName } from "../../core/errors.ts";
import { asSentence } from "../../core/text.ts";
import { addSeconds, DAY, SECOND } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { Connector, Fetch } from "../../platforms/connector.ts";
import { readRetryAfter } from "../../platforms/kit/replies.ts";
import type { Credentials, LoginRefusal, ServerLimits } from "../../platforms/login.ts";
import type { AccountRow } from "../accounts/table.ts";
import { emit, emitIfChanged } from "../events/repo.ts";
import {
  appKeysOf,
  platformFetch,
  sealCredentials,
  toPublishAccount,
  withTimeout,
} from "./platform-access.ts";
import {
  eventOf,
  finishRefresh,
  isTakenForExpired,
  reviveAccount,
  storeRenewed,
  takeRefreshLease,
} from "./repo.ts";
import { keepsStoredEnds, loginEnd, nextRenewal, renewalAt } from "./rules.ts";

const LEASE_SECONDS = 60;

/** A refresh call is repeated only this long, so that it ends before the lease does. */
const REPEATED_FOR_SECONDS = 20;

const RESTS_SECONDS = DAY / SECOND;

/** `busy`: another invocation is refreshing the login. */
export type Login =
  | { kind: "ready"; credentials: Credentials }
  | { kind: "busy" }
  | ({ kind: "refused" } & LoginRefusal);

export async function refreshLogin(
  deps: Deps,
  connector: Connector,
  account: AccountRow,
  credentials: Credentials,
): Promise<Login> {
  const [taken] = await deps.db.run([refreshLease(deps, account)]);
  return taken === 0 ? { kind: "busy" } : refreshUnderLease(deps, connector, account, credentials);
}

export const refreshLease = (deps: Deps, account: AccountRow): Query<number> =>
  takeRefreshLease(account, deps.now(), addSeconds(deps.now(), LEASE_SECONDS));

/** @param tries calls while no answer arrives: platforms often repeat a lost reply */
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
    const seconds = retryAfterSeconds();
    const ends = endsAfterFailure(deps, connector, account, credentials, seconds);
    const refusal = withAdvice(deps, connector, account, refreshed.error);
    return giveUp(deps, account, { retryAfterSeconds: seconds ?? 0, ...refusal }, ends);
  }

  const serverLimits = await newLimits(deps, connector, account, fetch, refreshed.value);
  const storing = keepLogin(deps, account, refreshed.value, serverLimits);
  // The write finishes even if the caller stops waiting.
  deps.defer(storing.catch(() => {}));
  return (await storing) ? { kind: "ready", credentials: refreshed.value } : { kind: "busy" };
}

/** Null where they are as they were, or the server gives no answer. */
async function newLimits(
  deps: Deps,
  { readServerLimits }: Connector,
  account: AccountRow,
  fetch: Fetch,
  credentials: Credentials,
): Promise<ServerLimits | null> {
  try {
    const limits =
      (await readServerLimits?.(fetch, credentials, toPublishAccount(account))) ?? null;
    return JSON.stringify(limits) === JSON.stringify(account.serverLimits) ? null : limits;
  } catch (error) {
    deps.log({ event: "login.limits_unread", accountId: account.id, error: errorName(error) });
    return null;
  }
}

async function firstAnswer<T>(deps: Deps, tries: number, call: () => Promise<T>): Promise<T> {
  const lastAt = addSeconds(deps.now(), REPEATED_FOR_SECONDS);
  for (let remaining = tries - 1; ; remaining--) {
    try {
      return await call();
    } catch (error) {
      if (remaining <= 0 || deps.now() > lastAt) throw error;
    }
  }
}

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

/**
 * Returns when a failed renewal is retried (`renewAt` null: at the login's next use), and the login's end where the
 * stored one is wrong.
 */
function endsAfterFailure(
  deps: Deps,
  connector: Connector,
  account: AccountRow,
  credentials: Credentials,
  retryAfterSeconds: number | null,
): Partial<AccountRow> {
  if (account.renewAt === null) return { renewAt: null };
  const dueAt = renewalAt(connector, credentials, deps.now());
  const loginEndsAt = loginEnd(credentials, deps.now());
  const stands = loginEndsAt?.getTime() !== account.loginEndsAt?.getTime();
  const renewAt = (stands && dueAt) || account.renewAt;
  return {
    renewAt: nextRenewal({ dueAt, renewAt, retryAfterSeconds }, deps.now()),
    ...(stands ? { loginEndsAt } : {}),
  };
}

/**
 * Waits in ms before each repeated write of a renewed login: three minutes in all, within one invocation's subrequests.
 */
const WRITE_AGAIN_MS = [100, 500, 1_000, 2_000, ...Array(10).fill(5_000), ...Array(8).fill(15_000)];

/**
 * Repeats the write until it succeeds, because the old login may no longer work. Returns false when a reconnection or
 * another renewal came first.
 */
async function keepLogin(
  deps: Deps,
  account: AccountRow,
  credentials: Credentials,
  serverLimits: ServerLimits | null,
): Promise<boolean> {
  const { renewAt, loginEndsAt, dataAccessEndsAt, ...sealedLogin } = await sealCredentials(
    deps,
    account,
    credentials,
  );
  const isMoved = dataAccessEndsAt?.getTime() !== account.dataAccessEndsAt?.getTime();
  const fresh = {
    ...sealedLogin,
    ...(isMoved ? { dataAccessEndsAt } : {}),
    ...(serverLimits ? { serverLimits } : {}),
  };
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

/** Adds the cause of logins that the platform ends soon after it gave them. */
function withAdvice(
  { now }: Pick<Deps, "now">,
  { earlyEnd }: Pick<Connector, "earlyEnd">,
  { mode, connectedAt }: AccountRow,
  refusal: LoginRefusal,
): LoginRefusal {
  if (!earlyEnd || !refusal.isEnded || mode !== "live") return refusal;
  const { withinDays, advice } = earlyEnd;
  if (now().getTime() - connectedAt.getTime() > withinDays * DAY) return refusal;
  return { ...refusal, message: `${asSentence(refusal.message)} ${advice}` };
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
  // The refused login was replaced meanwhile.
  return changed === 0 ? { kind: "busy" } : { kind: "refused", ...refusal };
}
