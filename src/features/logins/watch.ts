import type { Deps } from "../../deps.ts";
import { NOTICE_AHEAD_MS } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { emitIfChanged } from "../events/repo.ts";
import { noticeIfChanged } from "../notices/repo/notices.ts";
import { describeEnding } from "../notices/rules.ts";
import { openCredentials } from "./platform-access.ts";
import {
  accountsEnded,
  accountsEnding,
  accountsLosingAccess,
  askAtEnd,
  eventOf,
  expireLogin,
  markAccessTold,
  markEndingTold,
} from "./repo.ts";
import { hasOutlivedEnd } from "./rules.ts";

const PAGE = 20;

export const WATCH_CALLS = 2;

/**
 * Expires ended logins. Then notifies one team, once, of logins that end within seven days, and another of data access
 * that does. Returns null when no work is left.
 */
export async function watchLogins(deps: Deps): Promise<string | null> {
  const now = deps.now();
  const until = new Date(now.getTime() + NOTICE_AHEAD_MS);
  const [ended, ending, losing] = await deps.db.run([
    accountsEnded({ now, limit: PAGE }),
    accountsEnding(now, until, PAGE),
    accountsLosingAccess(now, until, PAGE),
  ]);
  const ends = await Promise.all(ended.map((account) => endLogin(deps, account, now)));
  const writes = [
    ...ends.flat(),
    ...ending.flatMap((account) => tellOfEnd(deps, account, now)),
    ...losing.flatMap((account) => tellOfAccess(deps, account, now)),
  ];
  if (writes.length === 0) return null;
  await deps.db.runAll(writes);
  return "more";
}

/** Only the platform can end a login for which it stated no end. */
async function endLogin(deps: Deps, account: AccountRow, now: Date) {
  const credentials = await openCredentials(deps, account).catch(() => null);
  return credentials && hasOutlivedEnd(credentials, now)
    ? [askAtEnd(account, now)]
    : expireLogin(deps, account, REASON_ENDED);
}

const REASON_ENDED = "The login has ended. Connect the account again.";

const tellOfEnd = (deps: Deps, account: AccountRow, now: Date) => [
  markEndingTold({ id: account.id, endsAt: account.loginEndsAt as Date }),
  emitIfChanged(
    deps,
    eventOf(
      account,
      "connected_account.refresh_failed",
      describeEnding({ ...account, dataAccessEndsAt: null }),
    ),
  ),
  noticeIfChanged({ subject: account.id, teamId: account.teamId, now }),
];

const tellOfAccess = (deps: Deps, account: AccountRow, now: Date) => [
  markAccessTold({ id: account.id, endsAt: account.dataAccessEndsAt as Date }),
  emitIfChanged(
    deps,
    eventOf(
      account,
      "connected_account.refresh_failed",
      describeEnding({ ...account, loginEndsAt: null }),
    ),
  ),
  noticeIfChanged({ subject: account.id, teamId: account.teamId, now }),
];
