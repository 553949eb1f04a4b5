import type { Deps } from "../../deps.ts";
import { platformName } from "../../sandbox/registry.ts";
import { emitIfChanged } from "../events/repo.ts";
import { sendMail } from "../mail/service.ts";
import { managersOf } from "../teams/repo/members.ts";
import { eventOf, expireLogin } from "./refresh.ts";
import { accountsEnded, accountsEnding, markEndingTold } from "./repo.ts";
import { describeEnding, describeEndingMail, TOLD_AHEAD_MS } from "./rules.ts";
import type { AccountRow } from "./table.ts";

/** Accounts of one page. */
const PAGE = 20;
/** People of one team who get the same mail. Spec is silent. */
const MOST_MAILS = 10;

/** Calls of one page, at most: what is due, the writes, the people, and a mail to each. */
export const WATCH_CALLS = 3 + MOST_MAILS;

/**
 * Expires the accounts whose logins have ended, and tells one team, once for each end, of the logins that end
 * within seven days and that nothing renewed: by an event for each and a mail to its owner and admins. Null
 * once nobody is left to be told.
 */
export async function watchLogins(deps: Deps): Promise<string | null> {
  const now = deps.now();
  const until = new Date(now.getTime() + TOLD_AHEAD_MS);
  const [ended, ending] = await deps.db.run([
    accountsEnded({ now, limit: PAGE }),
    accountsEnding(now, until, PAGE),
  ]);
  const told = ending.map((account) => markEnding(deps, account));
  const writes = [
    ...ended.flatMap((account) => expireLogin(deps, account, REASON_ENDED)),
    ...told.flat(),
  ];
  if (writes.length === 0) return null;
  const changes = (await deps.db.runAll(writes)).slice(ended.length * 2);
  await mailTeam(
    deps,
    ending.filter((_, i) => changes[i * 2] === 1),
  );
  return "more";
}

const REASON_ENDED = "The login has ended. Connect the account again.";

const markEnding = (deps: Deps, account: AccountRow) => [
  markEndingTold({ id: account.id, endsAt: account.loginEndsAt as Date }),
  emitIfChanged(
    deps,
    eventOf(account, "connected_account.refresh_failed", describeEnding(account)),
  ),
];

/** Mails the owner and the admins of the accounts' team. */
async function mailTeam(deps: Deps, accounts: readonly AccountRow[]): Promise<void> {
  const [first] = accounts;
  if (!first) return;
  const [people] = await deps.db.run([managersOf({ teamId: first.teamId, limit: MOST_MAILS })]);
  const mail = describeEndingMail(accounts, platformName, deps.config.publicUrl);
  await Promise.all(people.map((to) => sendMail(deps, { to, ...mail })));
}
