import { is, SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import type { Plan, PlanName } from "../../../core/plans.ts";
import { addSeconds, SECOND } from "../../../core/time.ts";
import type { Query } from "../../../db/client.ts";
import { instant, json } from "../../../db/columns.ts";
import { packedRows, type RawRow, rowReader } from "../../../db/rows.ts";
import { type Params, prepareText } from "../../../db/text.ts";
import type { Deps } from "../../../deps.ts";
import { connectors } from "../../../platforms/registry.ts";
import { type AccountRow, accounts } from "../../accounts/table.ts";
import { creditsOf, readCredits } from "../../credits/repo/balances.ts";
import { type CreditBalance, periodOf } from "../../credits/rules.ts";
import { CAP_WINDOW_MS, HORIZON_MONTHS } from "../../posts/rules.ts";
import { teams } from "../../teams/table.ts";
import { dailyCaps } from "../daily-caps.ts";
import { countsInMonth, isDraftOf, MAX_DRAFTS, monthStart } from "./room.ts";

/** Posts of a team that may be on their way at once. Spec is silent. */
export const MAX_TEAM_IN_PROGRESS = 1_000;

/** An account and the use of its limits, read before a post is taken. */
export interface AccountFacts {
  account: AccountRow;
  /** Posts that count under the daily cap: out in 24 hours, and being published now. */
  used: number;
  /** When the oldest of them leaves the window; null where none counts. */
  resetAt: Date | null;
  /** Posts of the account, and of the whole team, that are waiting or being published. */
  inProgress: number;
  teamInProgress: number;
  /** Drafts of the team and its posts that await approval; null where they were not counted. */
  drafts: number | null;
  plan: Plan;
  /** By month, such as 2026-12, from this one on; none where the plan has no end. */
  postsByMonth: Record<string, number>;
  /** Words that no post of the team may hold, lower case. */
  blocklist: string[];
  /** The team's own list of hashtags that the platform refuses; null: the platform's. */
  bannedHashtags: string[] | null;
  /** The team's credits; null when the platform costs none. */
  credits: CreditBalance | null;
}

const PAID_PLATFORMS = sql.join(
  connectors().flatMap(({ platform, paidPosts }) => (paidPosts ? [sql`${platform}`] : [])),
  sql`, `,
);

/** This month and those that can be planned for, each as `[2026-12, its first ms, that of the next]`. */
function monthsFrom(now: Date): [period: string, from: number, until: number][] {
  return Array.from({ length: HORIZON_MONTHS + 1 }, (_, i) => [
    periodOf(new Date(monthStart(now, i))),
    monthStart(now, i),
    monthStart(now, i + 1),
  ]);
}

const ACCOUNT = packedRows(accounts);
const readUse = rowReader({
  used: integer("used").notNull(),
  oldestAt: instant("oldest"),
  inProgress: json<[ofTeam: number, ofAccount: number]>("in_progress").notNull(),
  drafts: integer("drafts"),
  planName: text("plan_name").$type<PlanName>().notNull(),
  postsByMonth: json<Record<string, number>>("by_month").notNull(),
  blocklist: teams.blocklist,
  bannedHashtags: teams.bannedHashtags,
  credits: text("credits"),
});

interface Values {
  team: SQL;
  /** JSON, as are `quotas` (posts a month by plan) and `months`. */
  ids: string | SQL;
  quotas: string;
  months: string;
  defaultPlan: PlanName;
  /** Posts count under the daily cap from then on. */
  since: number;
  highestCap: number;
  highestQuota: number;
  drafts: SQL;
  credits: SQL;
}

const TEAM = sql`accounts.team_id`;

const DRAFTS = sql`(SELECT COUNT(*) FROM
  (SELECT 1 FROM uploads u WHERE ${isDraftOf(TEAM)} LIMIT ${MAX_DRAFTS}))`;

const toFacts = prepareText((p: Params<Values>) => {
  const plan = sql`coalesce(t.plan, t.base_plan, ${p.defaultPlan})`;
  const quota = sql`(${p.quotas} ->> ${plan})`;
  const counted = sql`uploads u WHERE u.account_id = accounts.id AND u.counted_at > ${p.since}`;
  const inMonth = countsInMonth(TEAM, sql`month.value ->> 1`, sql`month.value ->> 2`);
  return sql`SELECT ${ACCOUNT.column}, ${plan} AS plan_name, t.blocklist, t.banned_hashtags,
      (SELECT COUNT(*) FROM (SELECT 1 FROM ${counted} LIMIT ${p.highestCap})) AS used,
      (SELECT u.counted_at FROM ${counted} ORDER BY u.counted_at LIMIT 1) AS oldest,
      (SELECT json_array(COUNT(*), coalesce(SUM(account_id = accounts.id), 0)) FROM (
        SELECT u.account_id FROM uploads u WHERE u.team_id = accounts.team_id
          AND u.status_group = 'pending' AND u.deleted_at IS NULL LIMIT ${MAX_TEAM_IN_PROGRESS}
      )) AS in_progress,
      iif(${quota} IS NULL, '{}', (
        SELECT json_group_object(month.value ->> 0, (SELECT COUNT(*) FROM (SELECT 1 FROM uploads u
          WHERE ${inMonth} LIMIT ${p.highestQuota})))
        FROM json_each(${p.months}) month)) AS by_month,
      ${p.drafts} AS drafts,
      iif(accounts.platform IN (${PAID_PLATFORMS}), ${p.credits}, NULL) AS credits
    FROM (SELECT ${p.team} AS id) mine
    CROSS JOIN json_each(${p.ids}) wanted
    CROSS JOIN ${accounts} ON accounts.id = wanted.value AND accounts.team_id = mine.id
    CROSS JOIN teams t ON t.id = mine.id
    WHERE mine.id IS NOT NULL AND accounts.deleted_at IS NULL`;
});

/**
 * The accounts of the team with these ids (or a JSON array of them as a SQL value), and all that decides whether they can take a post: one statement,
 * whatever their number. Published posts count in full; planned posts count for the month they are planned
 * for.
 */
export function accountFacts(
  deps: Deps,
  team: SQL,
  ids: readonly string[] | SQL,
  { countsDrafts = false } = {},
): Query<AccountFacts[]> {
  const now = deps.now();
  const { defaultPlan } = deps.config;
  const { plans } = deps.config.plans;
  const quotas = Object.fromEntries(
    Object.entries(plans).map(([name, { monthlyPosts }]) => [name, monthlyPosts]),
  );
  const read = (row: RawRow): AccountFacts => {
    const account = ACCOUNT.read(row);
    const { oldestAt, planName, credits, blocklist, bannedHashtags, ...counts } = readUse(row);
    const {
      inProgress: [teamInProgress, inProgress],
      ...use
    } = counts;
    return {
      ...use,
      account,
      resetAt: oldestAt && addSeconds(oldestAt, CAP_WINDOW_MS / SECOND),
      teamInProgress,
      inProgress,
      plan: plans[planName] ?? plans[defaultPlan],
      blocklist: blocklist ?? [],
      bannedHashtags: bannedHashtags?.[account.platform] ?? null,
      credits: credits === null ? null : readCredits(credits),
    };
  };
  return {
    ...toFacts({
      team,
      ids: is(ids, SQL) ? ids : JSON.stringify(ids),
      quotas: JSON.stringify(quotas),
      months: JSON.stringify(monthsFrom(now)),
      defaultPlan,
      since: now.getTime() - CAP_WINDOW_MS,
      highestCap: Math.max(...Object.values(dailyCaps(deps))),
      highestQuota: Math.max(0, ...Object.values(quotas).map((posts) => posts ?? 0)),
      drafts: countsDrafts ? DRAFTS : sql`NULL`,
      credits: creditsOf(deps, TEAM),
    }),
    read: ({ results }) => results.map(read),
  };
}
