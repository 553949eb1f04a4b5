import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../db/columns.ts";

/** A month without movements has no row. */
export const creditPeriods = sqliteTable(
  "credit_periods",
  {
    teamId: integer("team_id").notNull(),
    period: text("period").notNull(),
    included: integer("included").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.period] })],
);

export const creditBalances = sqliteTable("credit_balances", {
  teamId: integer("team_id").primaryKey(),
  purchased: integer("purchased").notNull(),
});

export const creditPacks = sqliteTable("credit_packs", {
  id: text("id").primaryKey(),
  teamId: integer("team_id").notNull(),
  name: text("name").notNull(),
  credits: integer("credits").notNull(),
  grantedAt: instant("granted_at").notNull(),
  refundedAt: instant("refunded_at"),
});

/** A team's rows add up to its balances. */
export const creditLedger = sqliteTable(
  "credit_ledger",
  {
    teamId: integer("team_id").notNull(),
    reference: text("reference").notNull(),
    /** `allowance` grants a plan's credits, or corrects them after a change of plan. */
    kind: text("kind", { enum: ["allowance", "debit", "refund", "pack", "pack_refund"] }).notNull(),
    period: text("period").notNull(),
    included: integer("included").notNull(),
    purchased: integer("purchased").notNull(),
    at: instant("at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.reference, table.kind] })],
);
