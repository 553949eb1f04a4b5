import { is, SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import type { PlanName } from "../../../core/plans.ts";
import { addSeconds, SECOND } from "../../../core/time.ts";
import { type Query, sqlQuery } from "../../../db/client.ts";
import { instant, json } from "../../../db/columns.ts";
import { packedRows, pickColumns, type RawRow, rowReader } from "../../../db/rows.ts";
import { type Params, prepareText } from "../../../db/text.ts";
import type { Deps } from "../../../deps.ts";
import { connectors } from "../../../platforms/registry.ts";
import { accounts } from "../../accounts/table.ts";
import { creditsOf, readCredits } from "../../credits/repo/balances.ts";
import { periodOf } from "../../credits/rules.ts";
import { HORIZON_MONTHS, MAX_DRAFTS } from "../../posts/rules.ts";
import { teams } from "../../teams/table.ts";
import { type AccountFacts, CAP_WINDOW_MS, dailyCaps, MAX_TEAM_IN_PROGRESS } from "../rules.ts";
import { countsInMonth, isDraftOf, monthStart } from "./room.ts";

const readWordRules = rowReader(pickColumns(teams, ["blocklist", "bannedHashtags"]));

/** Blocked words, and banned hashtags by platform; null for none. */
export const wordRulesOf = (team: SQL) =>
  sqlQuery(sql`SELECT blocklist, banned_hashtags FROM teams WHERE id = ${team}`, readWordRules);

const PAID_PLATFORMS = sql.join(
  connectors().flatMap(({ platform, paidPosts }) => (paidPosts ? [sql`${platform}`] : [])),
  sql`, `,
);

/**
 * This month and the months in which posts may be planned, each as `[2026-12, its first ms, the next month's first
 * ms]`.
 */
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
  /** JSON list of account ids. `quotas` (monthly posts by plan) and `months` are JSON too. */
  ids: string | SQL;
  quotas: string;
  months: string;
  defaultPlan: PlanName;
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
      (SELECT coalesce(SUM(posts), 0) FROM (SELECT u.posts FROM ${counted} LIMIT ${p.highestCap})) AS used,
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
 * Reads accounts with all facts about their limits in one statement. Planned posts count for the month of their date.
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

const readDay = rowReader({
  platform: accounts.platform,
  used: integer().notNull(),
  oldestAt: instant("oldest"),
});

/**
 * An account's platform, its posts since `since` that count under the daily cap (up to `max`), and the time of the
 * oldest.
 */
export function dayOfAccount(team: SQL, id: string, since: Date, max: number) {
  const counted = sql`uploads u WHERE u.account_id = a.id AND u.counted_at > ${since.getTime()}`;
  return sqlQuery(
    sql`SELECT a.platform, (SELECT coalesce(SUM(posts), 0) FROM (SELECT u.posts FROM ${counted} LIMIT ${max})) AS used,
        (SELECT u.counted_at FROM ${counted} ORDER BY u.counted_at LIMIT 1) AS oldest
      FROM accounts a WHERE a.id = ${id} AND a.team_id = ${team} AND a.deleted_at IS NULL`,
    readDay,
  );
}
