import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import type { Config } from "../../../config.ts";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import { teams } from "../../teams/table.ts";
import { type CreditBalance, periodOf, referenceOf } from "../rules.ts";
import { creditBalances, creditPeriods } from "../table.ts";

interface CreditTerms {
  config: Pick<Config, "plans" | "defaultPlan">;
  now(): Date;
}

function allowanceOf({ config }: CreditTerms): SQL {
  const { plans } = config.plans;
  const included = Object.fromEntries(
    Object.entries(plans).map(([name, { xCredits }]) => [name, xCredits]),
  );
  return sql`coalesce(${JSON.stringify(included)} ->> coalesce(t.plan, t.base_plan), ${plans[config.defaultPlan].xCredits})`;
}

/** Granted to team `t` in a month; NULL for none. */
const grantedIn = (period: string): SQL =>
  sql`(SELECT SUM(g.included) FROM credit_ledger g WHERE g.team_id = t.id
    AND g.reference >= ${`allowance:${period}:`} AND g.reference < ${`allowance:${period}:~`})`;

const readBalance = rowReader({
  monthlyAllowance: integer("allowance").notNull(),
  includedRemaining: creditPeriods.included,
  purchased: creditBalances.purchased,
});

/**
 * Spec is silent on a change of plan within the month: the new allowance minus the spent credits remains, at least 0. A
 * month without a row has its full allowance.
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

export const creditsOf = (terms: CreditTerms, team: SQL): SQL =>
  sql`(SELECT json_array(allowance, included, purchased) FROM (${balanceOf(terms, team)}))`;

export function readCredits(value: string): CreditBalance {
  const [monthlyAllowance = 0, includedRemaining = 0, purchased = 0] = JSON.parse(
    value,
  ) as number[];
  return { monthlyAllowance, includedRemaining, purchased };
}

/** `fence` identifies the worker that may act on the post. */
interface PayingUpload {
  id: number;
  teamId: number;
  attempt: number;
  fence: number;
}

export const entry = (teamId: number, reference: string, kind: string): SQL =>
  sql`team_id = ${teamId} AND reference = ${reference} AND kind = ${kind}`;

/** Creates the month's row, or corrects it after a change of plan. */
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
 * Debits an attempt once, if the credits suffice and the fence holds. Each statement acts only if the one before it
 * changed a row. So must `noted`, which writes the cost to the post.
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

/** No row while the current attempt is unpaid. */
export const paymentOf = (upload: PayingUpload) =>
  sqlQuery(
    sql`SELECT credits_spent, credits_refunded FROM uploads WHERE id = ${upload.id}
      AND EXISTS (SELECT 1 FROM credit_ledger
        WHERE ${entry(upload.teamId, referenceOf(upload), "debit")})`,
    rowReader({
      creditsSpent: integer("credits_spent").notNull(),
      creditsRefunded: integer("credits_refunded").notNull(),
    }),
  );

/** `purchased` is the balance minus the sum of the ledger. */
interface CreditDrift {
  teamId: number;
  /** Months that differ from the ledger. */
  periods: number;
  purchased: number;
}

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
