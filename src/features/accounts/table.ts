import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { OtherApp, Platform } from "../../core/platforms.ts";
import { instant, json } from "../../db/columns.ts";
import type { ServerLimits } from "../../platforms/login.ts";

export const accounts = sqliteTable("accounts", {
  id: text("id").primaryKey(),
  teamId: integer("team_id").notNull(),
  platform: text("platform").$type<Platform>().notNull(),
  platformAccountId: text("platform_account_id").notNull(),
  /** The person who gave the login; null when unknown. */
  platformUserId: text("platform_user_id"),
  accountName: text("account_name").notNull(),
  handle: text("handle"),
  profileImageUrl: text("profile_image_url"),
  mode: text("mode", { enum: ["live", "sandbox"] }).notNull(),
  status: text("status", { enum: ["active", "expired", "revoked"] }).notNull(),
  tags: text("tags").notNull().default(""),
  service: text("service"),
  credentials: text("credentials"),
  credentialsExpireAt: instant("credentials_expire_at"),
  renewAt: instant("renew_at"),
  refreshLeaseUntil: instant("refresh_lease_until"),
  failureCount: integer("failure_count").notNull().default(0),
  connectedAt: instant("connected_at").notNull(),
  /** Separated by spaces. */
  missingScopes: text("missing_scopes"),
  /** When the login ends for good; null if never or unknown. */
  loginEndsAt: instant("login_ends_at"),
  /** The `loginEndsAt` of the last notice to the team. */
  endingToldFor: instant("ending_told_for"),
  deletedAt: instant("deleted_at"),
  /** Null for the platform's first app. */
  app: text("app").$type<OtherApp>(),
  /** Optional scopes, separated by spaces; null when unknown. */
  grantedScopes: text("granted_scopes"),
  /** When the platform stops giving the app the person's data; null if it does not say. */
  dataAccessEndsAt: instant("data_access_ends_at"),
  /** The `dataAccessEndsAt` of the last notice to the team. */
  accessToldFor: instant("access_told_for"),
  /** Null where every account of the platform has the same limits. */
  serverLimits: json<ServerLimits>("server_limits"),
});

export type AccountRow = typeof accounts.$inferSelect;
export type AccountMode = AccountRow["mode"];
