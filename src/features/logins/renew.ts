import * as z from "zod";
import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { isSwitchedOff } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { openCredentials } from "./platform-access.ts";
import { refreshLease, refreshUnderLease } from "./refresh.ts";
import { accountsToRenew, postponeRenewal } from "./repo.ts";

/**
 * One login per connection that an invocation may open. Half are the newest due logins, so that failing old ones do not
 * block them. Source: Cloudflare, "Workers limits".
 */
const PAGE = 6;

const TRIES = 2;

/** Each try may look up the account's server, or check the app after an unclear refusal. */
const CALLS_BESIDE = TRIES;

/** Subrequests of a page: three queries, and each login's calls and write. */
export const RENEWAL_CALLS = 3 + PAGE * (TRIES + CALLS_BESIDE + 1);

/** After this many failures in a row, this round skips the platform. */
const MAX_FAILURES = 10;

const PUT_OFF_MS = DAY;

const failuresSchema = z.record(z.string(), z.number());

function readFailures(cursor: string | null): Record<string, number> {
  try {
    return failuresSchema.parse(JSON.parse(cursor ?? "{}"));
  } catch {
    return {};
  }
}

/**
 * `skipped`: not tried. `failed`: the platform's other logins may fail too. `over`: renewed elsewhere, lost, or only
 * this login is refused.
 */
type Renewal = "renewed" | "failed" | "skipped" | "over";

/**
 * Renews a page of unused logins and schedules each one's next try. Returns null when none is due.
 *
 * @param cursor the round's failures by platform, as JSON
 */
export async function renewLogins(deps: Deps, cursor: string | null): Promise<string | null> {
  const failures = readFailures(cursor);
  const without = Object.keys(failures).filter((name) => (failures[name] ?? 0) >= MAX_FAILURES);
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
