import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Platform } from "../../core/platforms.ts";
import { instant, json } from "../../db/columns.ts";
import type { AccountMode } from "../accounts/table.ts";

/**
 * `open`: not at the platform yet. `sent`: at the consent page. `returned`: back, and being exchanged.
 * `choosing`: one of several accounts is to be chosen. `done` and `failed` are ends.
 */
export type ConsentStep = "open" | "sent" | "returned" | "choosing" | "done" | "failed";

/** One try of a person to connect an account by a platform's consent page. */
export const consents = sqliteTable("consents", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  /** The person who began it; null where a client did, by a link. */
  userId: integer("user_id"),
  /** The token that it was begun by; null for a person who was signed in. */
  tokenId: integer("token_id"),
  platform: text("platform").$type<Platform>().notNull(),
  mode: text("mode").$type<AccountMode>().notNull(),
  /** SHA-256 of the token in the address that begins it, hex. */
  openerHash: text("opener_hash").notNull(),
  /** The handle or server that the person gave. */
  identifier: text("identifier"),
  /** A path of this service, or the address of somebody else's. */
  returnTo: text("return_to"),
  linkId: integer("link_id"),
  /** The account that is connected again. */
  accountId: text("account_id"),
  stateHash: text("state_hash"),
  /** SHA-256 of the cookie of the browser that was sent. */
  browserHash: text("browser_hash"),
  /** Encrypted: what is needed when the person comes back, then the accounts to choose from. */
  memory: text("memory"),
  step: text("step").$type<ConsentStep>().notNull(),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

export type ConsentRow = typeof consents.$inferSelect;

/** A link by which a client connects an account to a team. */
export const connectionLinks = sqliteTable("connection_links", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  platform: text("platform").$type<Platform>().notNull(),
  mode: text("mode").$type<AccountMode>().notNull(),
  logoUrl: text("logo_url"),
  title: text("title"),
  description: text("description"),
  redirectUrl: text("redirect_url"),
  /** Applied to the account. */
  tags: json<string[]>("tags").notNull(),
  createdBy: integer("created_by").notNull(),
  tokenId: integer("token_id"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  /** When somebody came back with an account; without `accountId`, a claim that is not done. */
  connectedAt: instant("connected_at"),
  accountId: text("account_id"),
});

export type ConnectionLinkRow = typeof connectionLinks.$inferSelect;
