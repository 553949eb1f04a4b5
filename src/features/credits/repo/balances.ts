import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import type { Config } from "../../../config.ts";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import { teams } from "../../teams/table.ts";
import { type CreditBalance, periodOf, referenceOf } from "../rules.ts";
import { creditBalances, creditPeriods } from "../table.ts";

/** Included credits by plan, and the clock that gives the month. */
interface CreditTerms {
  config: Pick<Config, "plans" | "defaultPlan">;
  now(): Date;
}

/** The credits that the plan of the team `t` includes. */
function allowanceOf({ config }: CreditTerms): SQL {
  const { plans } = config.plans;
  const included = Object.fromEntries(
    Object.entries(plans).map(([name, { xCredits }]) => [name, xCredits]),
  );
  return sql`coalesce(${JSON.stringify(included)} ->> coalesce(t.plan, t.base_plan), ${plans[config.defaultPlan].xCredits})`;
}

/** Sums the credits granted to the team `t` in the period; null when nothing moved yet. */
const grantedIn = (period: string): SQL =>
  sql`(SELECT SUM(g.included) FROM credit_ledger g WHERE g.team_id = t.id
    AND g.reference >= ${`allowance:${period}:`} AND g.reference < ${`allowance:${period}:~`})`;

const readBalance = rowReader({
  monthlyAllowance: integer("allowance").notNull(),
  includedRemaining: creditPeriods.included,
  purchased: creditBalances.purchased,
});

/**
 * The credits of a team, by its id or a SQL value that is one.
 *
 * Spec is silent on a plan that changes within the month: what is left is the new allowance less what
 * was spent, and never negative. A month without a row has all of its allowance.
 */
export function creditBalance(terms: CreditTerms, team: number | SQL): Query<CreditBalance[]> {
  return sqlQuery(balanceOf(terms, team), readBalance);
}

function balanceOf(terms: CreditTerms, team: number | SQL): SQL {
  const period = periodOf(terms.now());
  return sql`SELECT allowance, MAX(0, stored + allowance - granted) AS included, purchased FROM (
      SELECT ${allowanceOf(terms)} AS allowance, coalesce(p.included, 0) AS stored,
        coalesce(${grantedIn(period)}, 0) AS granted, coalesce(b.purchased, 0) AS purchased
      FROM teams t
        LEFT JOIN credit_periods p ON p.team_id = t.id AND p.period = ${period}
        LEFT JOIN credit_balances b ON b.team_id = t.id
      WHERE t.id = ${team})`;
}

/** The same as a value inside another statement: what `readCredits` reads. */
export const creditsOf = (terms: CreditTerms, team: SQL): SQL =>
  sql`(SELECT json_array(allowance, included, purchased) FROM (${balanceOf(terms, team)}))`;

export function readCredits(value: string): CreditBalance {
  const [monthlyAllowance = 0, includedRemaining = 0, purchased = 0] = JSON.parse(
    value,
  ) as number[];
  return { monthlyAllowance, includedRemaining, purchased };
}

/** An attempt to publish, in the hands of whoever holds its fence. */
interface PayingUpload {
  id: number;
  teamId: number;
  attempt: number;
  fence: number;
}

/** The movement of a team under this reference, of this kind. */
export const entry = (teamId: number, reference: string, kind: string): SQL =>
  sql`team_id = ${teamId} AND reference = ${reference} AND kind = ${kind}`;

/**
 * Brings the row of the month up to what the plan includes today: it begins with all of it, and follows
 * a change of plan.
 */
function openPeriod(terms: CreditTerms, teamId: number, cause: string): Query<number>[] {
  const now = terms.now();
  const period = periodOf(now);
  const reference = `allowance:${period}:${cause}`;
  return [
    sqlWrite(sql`INSERT INTO credit_ledger (team_id, reference, kind, period, included, purchased, at)
      SELECT id, ${reference}, 'allowance', ${period}, change, 0, ${now.getTime()} FROM (
        SELECT t.id, p.included AS stored, MAX(-coalesce(p.included, 0),
          ${allowanceOf(terms)} - coalesce(${grantedIn(period)}, 0)) AS change
        FROM teams t LEFT JOIN credit_periods p ON p.team_id = t.id AND p.period = ${period}
        WHERE t.id = ${teamId})
      WHERE stored IS NULL OR change <> 0
      ON CONFLICT DO NOTHING`),
    sqlWrite(sql`INSERT INTO credit_periods (team_id, period, included)
      SELECT ${teamId}, ${period}, l.included + coalesce((SELECT p.included FROM credit_periods p
        WHERE p.team_id = ${teamId} AND p.period = ${period}), 0)
      FROM credit_ledger l WHERE ${entry(teamId, reference, "allowance")} AND changes() > 0
      ON CONFLICT DO UPDATE SET included = excluded.included`),
  ];
}

/**
 * Takes what the attempt costs, once, if the team has it and the job is still ours: included credits
 * first. Each statement acts only if the one before it did, and so must `noted`, which notes the cost in
 * the post.
 */
export function debit(
  terms: CreditTerms,
  upload: PayingUpload,
  cost: number,
  noted: Query<number>,
): Query<number>[] {
  const { id, teamId, fence } = upload;
  const now = terms.now();
  const period = periodOf(now);
  const reference = referenceOf(upload);
  const taken = (part: SQL) =>
    sql`(SELECT ${part} FROM credit_ledger WHERE ${entry(teamId, reference, "debit")})`;
  return [
    ...openPeriod(terms, teamId, reference),
    sqlWrite(sql`INSERT INTO credit_ledger (team_id, reference, kind, period, included, purchased, at)
      SELECT u.team_id, ${reference}, 'debit', ${period}, -MIN(${cost}, p.included),
        MIN(${cost}, p.included) - ${cost}, ${now.getTime()}
      FROM uploads u JOIN credit_periods p ON p.team_id = u.team_id AND p.period = ${period}
        LEFT JOIN credit_balances b ON b.team_id = u.team_id
      WHERE u.id = ${id} AND u.fence = ${fence} AND u.status = 'processing'
        AND p.included + coalesce(b.purchased, 0) >= ${cost}
      ON CONFLICT DO NOTHING`),
    noted,
    sqlWrite(sql`UPDATE credit_periods SET included = included + ${taken(sql`included`)}
      WHERE team_id = ${teamId} AND period = ${period} AND changes() > 0`),
    sqlWrite(sql`UPDATE credit_balances SET purchased = purchased + ${taken(sql`purchased`)}
      WHERE team_id = ${teamId} AND changes() > 0 AND ${taken(sql`purchased`)} < 0`),
  ];
}

export interface Payment {
  creditsSpent: number;
  creditsRefunded: number;
}

/** Reads the cost of an upload over all of its attempts: a row, if the current one has been paid for. */
export const paymentOf = (upload: PayingUpload): Query<Payment[]> =>
  sqlQuery(
    sql`SELECT credits_spent, credits_refunded FROM uploads WHERE id = ${upload.id}
      AND EXISTS (SELECT 1 FROM credit_ledger
        WHERE ${entry(upload.teamId, referenceOf(upload), "debit")})`,
    rowReader({
      creditsSpent: integer("credits_spent").notNull(),
      creditsRefunded: integer("credits_refunded").notNull(),
    }),
  );

/** Difference between a team's balances and its ledger: balance less ledger. */
export interface CreditDrift {
  teamId: number;
  /** Months whose included credits are not what the ledger says. */
  periods: number;
  purchased: number;
}

/** Compares ledgers and balances of the next `limit` teams after that id, by id. */
export const creditDrifts = (afterTeam: number, limit: number): Query<CreditDrift[]> =>
  sqlQuery(
    sql`SELECT t.id,
        (SELECT COUNT(*) FROM (SELECT 1 FROM (
            SELECT l.period, -l.included AS included FROM credit_ledger l WHERE l.team_id = t.id
            UNION ALL
            SELECT p.period, p.included FROM credit_periods p WHERE p.team_id = t.id
          ) GROUP BY period HAVING SUM(included) <> 0)) AS periods,
        coalesce((SELECT b.purchased FROM credit_balances b WHERE b.team_id = t.id), 0)
          - coalesce((SELECT SUM(l.purchased) FROM credit_ledger l WHERE l.team_id = t.id), 0)
          AS purchased
      FROM teams t WHERE t.id > ${afterTeam} ORDER BY t.id LIMIT ${limit}`,
    rowReader({
      teamId: teams.id,
      periods: integer().notNull(),
      purchased: creditBalances.purchased,
    }),
  );
