import * as z from "zod";
import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { openCredentials } from "./platform-access.ts";
import { refreshLease, refreshUnderLease } from "./refresh.ts";
import { accountsToRenew, postponeRenewal } from "./repo/accounts.ts";
import { isSwitchedOff } from "./rules.ts";
import type { AccountRow } from "./table.ts";

/**
 * Logins of one page, all called for at once: as many as an invocation may have connections. Half of them
 * are those that became due last, so that what is tried again waits for nobody.
 * Source: Cloudflare, "Workers limits".
 */
const PAGE = 6;

/** Calls for one login of a page, at most, where no answer came. */
const TRIES = 2;

/**
 * Calls beside those tries: before each, a directory is asked about the account's server where a platform has
 * many; a platform that refuses in words that do not tell is asked about the app.
 */
const CALLS_BESIDE = TRIES;

/**
 * Calls of one page, at most, where the database answers: what is due, the leases, those that are put off, and
 * for each login its calls and the write of what came of them.
 */
export const RENEWAL_CALLS = 3 + PAGE * (TRIES + CALLS_BESIDE + 1);

/** A platform that renews no login so often in a row is left alone until the next round. */
const MOST_FAILURES = 10;

/** A login that cannot be tried at all is looked at again after this. */
const PUT_OFF_MS = DAY;

/** Failures in a row by platform, of one round. */
const failuresSchema = z.record(z.string(), z.number());

function readFailures(cursor: string | null): Record<string, number> {
  try {
    return failuresSchema.parse(JSON.parse(cursor ?? "{}"));
  } catch {
    return {};
  }
}

/**
 * `skipped`: nothing was asked of the platform. `failed`: other logins of the platform may fail as well.
 * `over`: another invocation renewed it, the login is lost, or the platform refused this login alone.
 */
type Renewal = "renewed" | "failed" | "skipped" | "over";

/**
 * Renews a page of the logins that would end unless somebody uses them. The time of the next try is written
 * for each, so that none is due twice in a round. Null once none is due.
 *
 * @param cursor the failures of the round, as JSON
 */
export async function renewLogins(deps: Deps, cursor: string | null): Promise<string | null> {
  const failures = readFailures(cursor);
  const without = Object.keys(failures).filter((name) => (failures[name] ?? 0) >= MOST_FAILURES);
  const due = { now: deps.now(), limit: PAGE / 2, without };
  const [oldest, newest] = await deps.db.run([
    accountsToRenew("oldest", due),
    accountsToRenew("newest", due),
  ]);
  const page = [
    ...new Map([...oldest, ...newest].map((account) => [account.id, account])).values(),
  ];
  if (page.length === 0) return null;
  const renewals = await renewAll(deps, page);
  page.forEach(({ platform }, i) => {
    if (renewals[i] === "renewed") failures[platform] = 0;
    if (renewals[i] === "failed") failures[platform] = (failures[platform] ?? 0) + 1;
  });
  const until = new Date(deps.now().getTime() + PUT_OFF_MS);
  const skipped = page.filter((_, i) => renewals[i] === "skipped");
  if (skipped.length > 0) {
    await deps.db.runAll(skipped.map((account) => postponeRenewal(account, until)));
  }
  return JSON.stringify(failures);
}

async function renewAll(deps: Deps, page: readonly AccountRow[]): Promise<Renewal[]> {
  const usable = page.filter((account) => !isSwitchedOff(account, deps.config));
  if (usable.length === 0) return page.map(() => "skipped");
  const taken = await deps.db.runAll(usable.map((account) => refreshLease(deps, account)));
  const leased = new Set(usable.filter((_, i) => taken[i] === 1));
  return Promise.all(
    page.map((account) => (leased.has(account) ? renew(deps, account) : ("skipped" as const))),
  );
}

async function renew(deps: Deps, account: AccountRow): Promise<Renewal> {
  try {
    const credentials = await openCredentials(deps, account);
    const connector = connectorOf(account.platform);
    const login = await refreshUnderLease(deps, connector, account, credentials, TRIES);
    if (login.kind === "refused" && !login.final && !login.isAboutLogin) return "failed";
    return login.kind === "ready" ? "renewed" : "over";
  } catch (error) {
    deps.log({ event: "login.renewal_failed", accountId: account.id, error: String(error) });
    return "skipped";
  }
}
