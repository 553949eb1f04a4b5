import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Scope } from "../../core/scopes.ts";
import { instant, json } from "../../db/columns.ts";

export const CLIENT_KINDS = ["document", "registered", "app", "cli"] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** The agent endpoint, or the REST API. */
export const RESOURCES = ["mcp", "api"] as const;
export type Resource = (typeof RESOURCES)[number];

export const AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

export const oauthClients = sqliteTable("oauth_clients", {
  id: text("id").primaryKey(),
  kind: text("kind", { enum: ["registered", "app"] }).notNull(),
  teamId: integer("team_id"),
  name: text("name").notNull(),
  redirectUris: json<string[]>("redirect_uris").notNull(),
  authMethod: text("auth_method", { enum: AUTH_METHODS }).notNull(),
  secretHash: text("secret_hash"),
  createdBy: integer("created_by"),
  createdAt: instant("created_at").notNull(),
  usedAt: instant("used_at"),
});

/** What is read of a client id metadata document. */
export interface ClientDocument {
  name: string;
  redirectUris: string[];
}

export const oauthDocuments = sqliteTable("oauth_documents", {
  url: text("url").primaryKey(),
  document: json<ClientDocument>("document"),
  fetchedAt: instant("fetched_at").notNull(),
  freshUntil: instant("fresh_until").notNull(),
});

export const oauthGrants = sqliteTable("oauth_grants", {
  /** Of the row in `tokens`. */
  id: integer("id").primaryKey(),
  key: text("key").notNull(),
  clientId: text("client_id").notNull(),
  clientKind: text("client_kind", { enum: CLIENT_KINDS }).notNull(),
  clientHost: text("client_host").notNull(),
  resource: text("resource", { enum: RESOURCES }).notNull(),
  accounts: json<string[]>("accounts"),
  expiresAt: instant("expires_at"),
  idleAt: instant("idle_at").notNull(),
  wanted: json<Scope[]>("wanted"),
});

export const oauthCodes = sqliteTable("oauth_codes", {
  hash: text("hash").primaryKey(),
  key: text("key").notNull(),
  clientId: text("client_id").notNull(),
  clientKind: text("client_kind", { enum: CLIENT_KINDS }).notNull(),
  clientName: text("client_name").notNull(),
  clientHost: text("client_host").notNull(),
  redirectUri: text("redirect_uri").notNull(),
  challenge: text("challenge").notNull(),
  resource: text("resource", { enum: RESOURCES }).notNull(),
  userId: integer("user_id").notNull(),
  teamId: integer("team_id").notNull(),
  scopes: json<Scope[]>("scopes").notNull(),
  accounts: json<string[]>("accounts"),
  grantExpiresAt: instant("grant_expires_at"),
  expiresAt: instant("expires_at").notNull(),
  usedAt: instant("used_at"),
  accessHash: text("access_hash"),
});

export const oauthAccess = sqliteTable("oauth_access", {
  hash: text("hash").primaryKey(),
  grantId: integer("grant_id").notNull(),
  expiresAt: instant("expires_at").notNull(),
  usedAt: instant("used_at"),
});

export const oauthRefresh = sqliteTable("oauth_refresh", {
  hash: text("hash").primaryKey(),
  grantId: integer("grant_id").notNull(),
  createdAt: instant("created_at").notNull(),
  replacedAt: instant("replaced_at"),
  nextHash: text("next_hash"),
  nextAccessHash: text("next_access_hash"),
});

export const oauthRequests = sqliteTable("oauth_requests", {
  hash: text("hash").primaryKey(),
  query: text("query").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

export const oauthDevices = sqliteTable("oauth_devices", {
  /** Of the device code. */
  hash: text("hash").primaryKey(),
  userCode: text("user_code").notNull(),
  key: text("key").notNull(),
  clientId: text("client_id").notNull(),
  resource: text("resource", { enum: RESOURCES }).notNull(),
  scopes: json<Scope[]>("scopes").notNull(),
  expiresAt: instant("expires_at").notNull(),
  intervalSeconds: integer("interval_seconds").notNull(),
  polledAt: instant("polled_at"),
  deniedAt: instant("denied_at"),
});
