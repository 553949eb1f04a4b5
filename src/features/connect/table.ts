import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { OtherApp, Platform } from "../../core/platforms.ts";
import { instant, json } from "../../db/columns.ts";
import type { AccountMode } from "../accounts/table.ts";

/** For platforms that have pages; null means a person. */
export type AccountType = "person" | "page";

/**
 * `open`: not at the platform yet. `sent`: at the consent page. `returned`: tokens are being exchanged. `choosing`: the
 * person chooses accounts. `done` and `failed` are final.
 */
export type ConsentStep = "open" | "sent" | "returned" | "choosing" | "done" | "failed";

export const consents = sqliteTable("consents", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  /** Null when a client started by a link. */
  userId: integer("user_id"),
  /** Null for a person who was signed in. */
  tokenId: integer("token_id"),
  platform: text("platform").$type<Platform>().notNull(),
  mode: text("mode").$type<AccountMode>().notNull(),
  /** SHA-256 of the token in the start address, hex. */
  openerHash: text("opener_hash").notNull(),
  identifier: text("identifier"),
  /** A path here, or an external URL. */
  returnTo: text("return_to"),
  linkId: integer("link_id"),
  accountId: text("account_id"),
  stateHash: text("state_hash"),
  browserHash: text("browser_hash"),
  /** Encrypted secrets for the return from the platform, later the accounts to choose from. */
  memory: text("memory"),
  step: text("step").$type<ConsentStep>().notNull(),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  /** Null for the platform's first app. */
  app: text("app").$type<OtherApp>(),
  type: text("type").$type<AccountType>(),
});

export type ConsentRow = typeof consents.$inferSelect;

export const connectionLinks = sqliteTable("connection_links", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  platform: text("platform").$type<Platform>().notNull(),
  mode: text("mode").$type<AccountMode>().notNull(),
  logoUrl: text("logo_url"),
  title: text("title"),
  description: text("description"),
  redirectUrl: text("redirect_url"),
  tags: json<string[]>("tags").notNull(),
  createdBy: integer("created_by").notNull(),
  tokenId: integer("token_id"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  /** When the link was claimed. Without `accountId`, connecting is not finished. */
  connectedAt: instant("connected_at"),
  accountId: text("account_id"),
  type: text("type").$type<AccountType>(),
});

export type ConnectionLinkRow = typeof connectionLinks.$inferSelect;
