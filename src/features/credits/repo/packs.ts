import { sql } from "drizzle-orm";
import { insertInto } from "../../../db/assignments.ts";
import { type Query, sqlWrite } from "../../../db/client.ts";
import { activityLineBy, SYSTEM } from "../../activity/repo.ts";
import { packReferenceOf, periodOf } from "../rules.ts";
import { creditLedger, creditPacks } from "../table.ts";
import { entry } from "./balances.ts";

/** The pack's id must be new. */
export function grantPack(
  now: Date,
  pack: Pick<typeof creditPacks.$inferInsert, "id" | "teamId" | "name" | "credits">,
): Query<number>[] {
  const { id, teamId, name, credits } = pack;
  const reference = packReferenceOf(id);
  const movement = {
    kind: "pack",
    period: periodOf(now),
    included: 0,
    purchased: credits,
    at: now,
  } as const;
  return [
    sqlWrite(insertInto(creditPacks, { id, teamId, name, credits, grantedAt: now })),
    sqlWrite(insertInto(creditLedger, { teamId, reference, ...movement })),
    sqlWrite(sql`INSERT INTO credit_balances (team_id, purchased) VALUES (${teamId}, ${credits})
      ON CONFLICT DO UPDATE SET purchased = purchased + excluded.purchased`),
    activityLineBy({ now: () => now }, teamId, SYSTEM, "credits.granted", id),
  ];
}

/**
 * Takes back a pack's unspent credits once: the last change marks the pack as refunded, the others require it
 * unmarked.
 */
export function refundPack(now: Date, teamId: number, id: string): Query<number>[] {
  const at = now.getTime();
  const reference = packReferenceOf(id);
  const isOpen = sql`id = ${id} AND team_id = ${teamId} AND refunded_at IS NULL`;
  return [
    sqlWrite(sql`INSERT INTO credit_ledger (team_id, reference, kind, period, included, purchased, at)
      SELECT ${teamId}, ${reference}, 'pack_refund', ${periodOf(now)}, 0,
        -MIN(credits, (SELECT purchased FROM credit_balances WHERE team_id = ${teamId})), ${at}
      FROM credit_packs WHERE ${isOpen}
      ON CONFLICT DO NOTHING`),
    sqlWrite(sql`UPDATE credit_balances SET purchased = purchased + (
        SELECT purchased FROM credit_ledger WHERE ${entry(teamId, reference, "pack_refund")})
      WHERE team_id = ${teamId} AND EXISTS (SELECT 1 FROM credit_packs WHERE ${isOpen})`),
    sqlWrite(sql`UPDATE credit_packs SET refunded_at = ${at} WHERE ${isOpen}`),
    activityLineBy({ now: () => now }, teamId, SYSTEM, "credits.refunded", id),
  ];
}
