import type { Deps } from "../../deps.ts";
import { emitIfChanged } from "../events/repo.ts";
import { noticeIfChanged } from "../notices/repo/notices.ts";
import { describeEnding } from "../notices/rules.ts";
import { eventOf, expireLogin } from "./refresh.ts";
import { accountsEnded, accountsEnding, markEndingTold } from "./repo/accounts.ts";
import { TOLD_AHEAD_MS } from "./rules.ts";
import type { AccountRow } from "./table.ts";

/** Accounts of one page. */
const PAGE = 20;

/** Calls of one page, at most: what is due, and the writes. */
export const WATCH_CALLS = 2;

/**
 * Expires the accounts whose logins have ended, and tells one team, once for each end, of the logins that end
 * within seven days and that nothing renewed: by an event for each and a notice to its owner and admins. Null
 * once nobody is left to get a notice.
 */
export async function watchLogins(deps: Deps): Promise<string | null> {
  const now = deps.now();
  const until = new Date(now.getTime() + TOLD_AHEAD_MS);
  const [ended, ending] = await deps.db.run([
    accountsEnded({ now, limit: PAGE }),
    accountsEnding(now, until, PAGE),
  ]);
  const writes = [
    ...ended.flatMap((account) => expireLogin(deps, account, REASON_ENDED)),
    ...ending.flatMap((account) => tellOfEnd(deps, account, now)),
  ];
  if (writes.length === 0) return null;
  await deps.db.runAll(writes);
  return "more";
}

const REASON_ENDED = "The login has ended. Connect the account again.";

const tellOfEnd = (deps: Deps, account: AccountRow, now: Date) => [
  markEndingTold({ id: account.id, endsAt: account.loginEndsAt as Date }),
  emitIfChanged(
    deps,
    eventOf(account, "connected_account.refresh_failed", describeEnding(account)),
  ),
  noticeIfChanged({ subject: account.id, teamId: account.teamId, now }),
];
