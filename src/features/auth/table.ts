import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Notifications } from "../../core/notices.ts";
import type { QuietHours } from "../../core/quiet-hours.ts";
import type { Scope } from "../../core/scopes.ts";
import { flag, instant, json } from "../../db/columns.ts";

export const users = sqliteTable("users", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  email: text("email").notNull(),
  /** True for an old address in capitals that another user has in lower case. */
  sharesAddress: flag("shares_address").notNull().default(false),
  name: text("name"),
  notifications: json<Notifications>("notifications"),
  /** Notices wait in these hours; null for none. */
  quietHours: json<QuietHours>("quiet_hours"),
  createdAt: instant("created_at").notNull(),
});

export const tokens = sqliteTable("tokens", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** SHA-256, hex. The token is shown once and never stored. */
  hash: text("hash").notNull(),
  name: text("name").notNull(),
  hint: text("hint").notNull(),
  userId: integer("user_id").notNull(),
  teamId: integer("team_id"),
  scopes: json<Scope[]>("scopes").notNull(),
  createdAt: instant("created_at").notNull(),
  lastUsedAt: instant("last_used_at"),
  /** A country. */
  lastUsedFrom: text("last_used_from"),
  /** Through /mcp. */
  agentUsedAt: instant("agent_used_at"),
  revokedAt: instant("revoked_at"),
  /** The token that created this one; null for a signed-in person. */
  madeBy: integer("made_by"),
});

export const sessions = sqliteTable("sessions", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** SHA-256 of the cookie's token, hex. */
  tokenHash: text("token_hash").notNull(),
  userId: integer("user_id").notNull(),
  ipAddress: text("ip_address"),
  userAgent: text("user_agent"),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

/** One-time links and passkey challenges. */
export const verifications = sqliteTable("verifications", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  identifier: text("identifier").notNull(),
  value: text("value").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

export const passkeys = sqliteTable("passkeys", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  userId: integer("user_id").notNull(),
  name: text("name"),
  credentialId: text("credential_id").notNull(),
  publicKey: text("public_key").notNull(),
  counter: integer("counter").notNull(),
  deviceType: text("device_type").notNull(),
  backedUp: flag("backed_up").notNull(),
  transports: text("transports"),
  aaguid: text("aaguid"),
  createdAt: instant("created_at").notNull(),
});
