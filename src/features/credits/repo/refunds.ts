import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../../db/client.ts";
import { periodOf } from "../rules.ts";

const openDebits = (attempts: SQL): SQL =>
  sql`(${attempts}) a CROSS JOIN credit_ledger d ON d.team_id = a.team_id
      AND d.reference = a.reference AND d.kind = 'debit'
    WHERE NOT EXISTS (SELECT 1 FROM credit_ledger r WHERE r.team_id = d.team_id
      AND r.reference = d.reference AND r.kind = 'refund')`;

/**
 * Refunds each attempt once, split into included and purchased credits as it was debited. Included credits return to
 * the current month.
 *
 * @param attempts a SELECT of `(team_id, reference)`
 */
export function refund(now: Date, attempts: SQL): Query<number>[] {
  const period = periodOf(now);
  return [
    sqlWrite(sql`INSERT INTO credit_periods (team_id, period, included)
      SELECT d.team_id, ${period}, -SUM(d.included) FROM ${openDebits(attempts)}
      GROUP BY d.team_id HAVING SUM(d.included) < 0
      ON CONFLICT DO UPDATE SET included = included + excluded.included`),
    sqlWrite(sql`INSERT INTO credit_balances (team_id, purchased)
      SELECT d.team_id, -SUM(d.purchased) FROM ${openDebits(attempts)}
      GROUP BY d.team_id HAVING SUM(d.purchased) < 0
      ON CONFLICT DO UPDATE SET purchased = purchased + excluded.purchased`),
    // Comes last, because the other statements require this row to be missing.
    sqlWrite(sql`INSERT INTO credit_ledger (team_id, reference, kind, period, included, purchased, at)
      SELECT d.team_id, d.reference, 'refund', ${period}, -d.included, -d.purchased, ${now.getTime()}
      FROM ${openDebits(attempts)}`),
  ];
}

export const refundable = (attempts: SQL): SQL =>
  sql`coalesce((SELECT -SUM(d.included + d.purchased) FROM ${openDebits(attempts)}), 0)`;
