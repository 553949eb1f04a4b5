import { type SQL, sql } from "drizzle-orm";
import { AppError } from "../../../core/errors.ts";
import type { Plan } from "../../../core/plans.ts";
import type { Platform } from "../../../core/platforms.ts";
import { formatCount } from "../../../core/text.ts";
import { addSeconds } from "../../../core/time.ts";
import { type Query, sqlQuery } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Deps } from "../../../deps.ts";
import { connectorOf, connectors } from "../../../platforms/registry.ts";
import { type AccountRow, accounts } from "../../accounts/table.ts";
import { creditsOf, readCredits } from "../../credits/repo.ts";
import {
  balanceAt,
  type CreditBalance,
  costOf,
  creditRefusal,
  lessOf,
  periodOf,
} from "../../credits/rules.ts";
import { CAP_WINDOW_MS, HORIZON_MONTHS } from "../rules.ts";
import { countsInMonth, isDraftOf, MAX_DRAFTS, monthStart } from "./room.ts";

/** Posts of a team, and of one of its accounts, that may be on their way at once. Spec is silent. */
const MAX_TEAM_IN_PROGRESS = 1_000;
const MAX_ACCOUNT_IN_PROGRESS = 100;

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
  /** The team's credits; null when the platform costs none. */
  credits: CreditBalance | null;
}

const PAID_PLATFORMS = connectors().flatMap(({ platform, paidPosts }) =>
  paidPosts ? [platform] : [],
);

/** Posts in any 24 hours per account of this platform. */
export const dailyCapOf = ({ config }: Pick<Deps, "config">, platform: Platform): number =>
  config.plans.dailyCaps[platform] ?? connectorOf(platform).capabilities.dailyPostCap;

/** By platform, for statements. */
export const dailyCaps = (deps: Pick<Deps, "config">): Record<string, number> =>
  Object.fromEntries(connectors().map(({ platform }) => [platform, dailyCapOf(deps, platform)]));

/** This month and those that can be planned for, each as `[2026-12, its first ms, that of the next]`. */
function monthsFrom(now: Date): [period: string, from: number, until: number][] {
  return Array.from({ length: HORIZON_MONTHS + 1 }, (_, i) => [
    periodOf(new Date(monthStart(now, i))),
    monthStart(now, i),
    monthStart(now, i + 1),
  ]);
}

const readAccount = rowReader(accounts);

/**
 * The accounts of the team with these ids, and all that decides whether they can take a post: one
 * statement, whatever their number. What was published counts in full; what is planned counts for the
 * month that it is planned for.
 */
export function accountFacts(
  deps: Deps,
  team: SQL,
  ids: readonly string[],
  { countsDrafts = false } = {},
): Query<AccountFacts[]> {
  const now = deps.now();
  const since = now.getTime() - CAP_WINDOW_MS;
  const caps = dailyCaps(deps);
  const highestCap = Math.max(...Object.values(caps));
  const { plans } = deps.config.plans;
  const quotas = Object.fromEntries(
    Object.entries(plans).map(([name, { monthlyPosts }]) => [name, monthlyPosts]),
  );
  const highestQuota = Math.max(0, ...Object.values(quotas).map((posts) => posts ?? 0));
  const plan = sql`coalesce(t.plan, ${deps.config.defaultPlan})`;
  const quota = sql`(${JSON.stringify(quotas)} ->> ${plan})`;
  const counted = sql`uploads u WHERE u.account_id = a.id AND u.counted_at > ${since}`;
  const inTeam = sql`a.team_id`;
  const inMonth = countsInMonth(inTeam, sql`month.value ->> 1`, sql`month.value ->> 2`);
  const paid = sql.join(
    PAID_PLATFORMS.map((platform) => sql`${platform}`),
    sql`, `,
  );
  const drafts = sql`(SELECT COUNT(*) FROM
    (SELECT 1 FROM uploads u WHERE ${isDraftOf(inTeam)} LIMIT ${MAX_DRAFTS}))`;
  return sqlQuery(
    sql`SELECT a.*, ${plan} AS plan_name, t.blocklist,
        (SELECT COUNT(*) FROM (SELECT 1 FROM ${counted} LIMIT ${highestCap})) AS used,
        (SELECT u.counted_at FROM ${counted} ORDER BY u.counted_at LIMIT 1) AS oldest,
        (SELECT json_group_array(account_id) FROM (
          SELECT u.account_id FROM uploads u WHERE u.team_id = a.team_id
            AND u.status_group = 'pending' AND u.deleted_at IS NULL LIMIT ${MAX_TEAM_IN_PROGRESS}
        )) AS in_progress,
        iif(${quota} IS NULL, '{}', (
          SELECT json_group_object(month.value ->> 0, (SELECT COUNT(*) FROM (SELECT 1 FROM uploads u
            WHERE ${inMonth} LIMIT ${highestQuota})))
          FROM json_each(${JSON.stringify(monthsFrom(now))}) month)) AS by_month,
        ${countsDrafts ? drafts : sql`NULL`} AS drafts,
        iif(a.platform IN (${paid}), ${creditsOf(deps, sql`a.team_id`)}, NULL) AS credits
      FROM (SELECT ${team} AS id) mine
      CROSS JOIN json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN ${accounts} a ON a.id = wanted.value AND a.team_id = mine.id
      CROSS JOIN teams t ON t.id = mine.id
      WHERE mine.id IS NOT NULL AND a.deleted_at IS NULL`,
    (row): AccountFacts => {
      const account = readAccount(row);
      const inProgress = JSON.parse(row.in_progress as string) as string[];
      const oldest = row.oldest as number | null;
      const credits = row.credits as string | null;
      return {
        account,
        used: row.used as number,
        resetAt: oldest === null ? null : addSeconds(new Date(oldest), CAP_WINDOW_MS / 1_000),
        inProgress: inProgress.filter((id) => id === account.id).length,
        teamInProgress: inProgress.length,
        drafts: row.drafts as number | null,
        plan: plans[row.plan_name as keyof typeof plans] ?? plans[deps.config.defaultPlan],
        postsByMonth: JSON.parse(row.by_month as string) as Record<string, number>,
        blocklist: JSON.parse((row.blocklist as string | null) ?? "[]") as string[],
        credits: credits === null ? null : readCredits(credits),
      };
    },
  );
}

/** A cap or rule that a post breaks, as it stands in the answer. Source: spec, "Errors", the 429 of a cap. */
export interface Violation {
  platform: Platform;
  type: "hard_cap" | "duplicate_content" | "mention_spam" | "unsafe_content";
  message: string;
  used_last_24h?: number;
  cap?: number;
}

/** Returns the violation of an account whose daily cap is reached; null while there is room. */
export function capViolation(
  deps: Deps,
  { account, used, resetAt }: AccountFacts,
): Violation | null {
  const { platform, accountName } = account;
  const cap = dailyCapOf(deps, platform);
  if (used < cap) return null;
  const when = resetAt ? ` There is room again at ${resetAt.toISOString()}.` : "";
  return {
    platform,
    type: "hard_cap",
    message: `${accountName} has reached its ${cap} posts in 24 hours on ${platform}.${when}`,
    used_last_24h: used,
    cap,
  };
}

/**
 * Requires a post left in the plan's month of `at`. `more`: posts that the same call takes before.
 *
 * @throws AppError PLAN_LIMIT
 */
export function requireQuota({ plan, postsByMonth }: AccountFacts, at: Date, more = 0): void {
  const month = periodOf(at);
  if (plan.monthlyPosts !== null && (postsByMonth[month] ?? 0) + more >= plan.monthlyPosts) {
    throw new AppError("PLAN_LIMIT", quotaUsedUp(plan, at));
  }
}

export const quotaUsedUp = ({ monthlyPosts }: Plan, at: Date): string =>
  `The plan's ${monthlyPosts} posts of ${periodOf(at)} are used up.`;

/**
 * Requires room in the team's plan and queue for a post of this account at `at`. `more`: posts that the
 * same call takes before.
 *
 * @throws AppError PLAN_LIMIT, QUEUE_FULL, QUEUE_BUSY
 */
export function requireRoom(facts: AccountFacts, at: Date, more = 0): void {
  const { account, plan, teamInProgress, inProgress } = facts;
  if (!plan.platforms.includes(account.platform)) {
    throw new AppError("PLAN_LIMIT", `The team's plan does not include ${account.platform}.`);
  }
  requireQuota(facts, at, more);
  if (teamInProgress + more >= MAX_TEAM_IN_PROGRESS) {
    const message = `The team has ${MAX_TEAM_IN_PROGRESS} posts on their way. Wait for some to go out.`;
    throw new AppError("QUEUE_FULL", message);
  }
  if (inProgress >= MAX_ACCOUNT_IN_PROGRESS) {
    const message = `${account.accountName} has ${MAX_ACCOUNT_IN_PROGRESS} posts on their way. Wait for some to go out.`;
    throw new AppError("QUEUE_BUSY", message);
  }
}

/**
 * Requires room for one more draft of the team. `more`: posts that the same call takes before. Drafts that
 * were not counted are left to the inserting statement.
 *
 * @throws AppError QUEUE_FULL
 */
export function requireDraftRoom({ drafts }: AccountFacts, more: number): void {
  if (drafts === null || drafts + more < MAX_DRAFTS) return;
  const message = `The team has ${formatCount(MAX_DRAFTS)} drafts and posts that await approval. Delete some first.`;
  throw new AppError("QUEUE_FULL", message);
}

/**
 * Requires credits for a post at `at`: next month has its own allowance. Returns its cost. `spoken`: the
 * cost of other posts of the same call.
 *
 * @throws AppError PLAN_LIMIT, with the balance in words
 */
export async function requireCredits(
  { account, credits }: AccountFacts,
  post: { title: string | null; description: string | null },
  at: Date,
  now: Date,
  spoken = 0,
): Promise<number> {
  const { paidPosts } = connectorOf(account.platform);
  if (!credits || !paidPosts) return 0;
  const cost = await costOf(paidPosts, post);
  const refusal = creditRefusal(lessOf(balanceAt(credits, at, now), spoken), cost, at);
  if (refusal) throw new AppError("PLAN_LIMIT", refusal);
  return cost;
}
