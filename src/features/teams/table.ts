import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PlanName } from "../../core/plans.ts";
import type { Platform } from "../../core/platforms.ts";
import { flag, instant, json } from "../../db/columns.ts";
import type { Role } from "../../deps.ts";

/** How a team looks to its clients. */
export interface Branding {
  name: string | null;
  link: string | null;
  logo: { objectKey: string; mime: string; sizeBytes: number } | null;
}

export const teams = sqliteTable("teams", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  slug: text("slug").notNull(),
  ownerId: integer("owner_id").notNull(),
  plan: text("plan").$type<PlanName>(),
  /** The plan of a team without one of its own; null: the instance's. */
  basePlan: text("base_plan").$type<PlanName>(),
  /** When the plan ends; null: not by itself. */
  planUntil: instant("plan_until"),
  /** It has domains of its own from a former plan, whatever the present one includes. */
  hasLegacyDomains: flag("has_legacy_domains").notNull().default(false),
  blocklist: json<string[]>("blocklist"),
  /** IANA zone of the workspace; null: UTC. */
  zone: text("zone"),
  requiresApproval: flag("requires_approval").notNull().default(false),
  branding: json<Branding>("branding"),
  bannedHashtags: json<Partial<Record<Platform, string[]>>>("banned_hashtags"),
  deletedAt: instant("deleted_at"),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

export const members = sqliteTable(
  "members",
  {
    teamId: integer("team_id").notNull(),
    userId: integer("user_id").notNull(),
    role: text("role").$type<Role>().notNull(),
    isActive: flag("is_active").notNull().default(true),
    joinedAt: instant("joined_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.userId] })],
);

/** A way into a team that has not been taken, was taken, or was withdrawn. */
export const invites = sqliteTable("invites", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  /** SHA-256 of the token in its link, hex. */
  tokenHash: text("token_hash").notNull(),
  /** The address that was invited; null where whoever holds the link may accept. */
  email: text("email"),
  /** False: whoever holds the link may accept, with any address. */
  isAddressed: flag("is_addressed").notNull(),
  role: text("role").$type<Exclude<Role, "OWNER">>().notNull(),
  invitedBy: integer("invited_by").notNull(),
  tokenId: integer("token_id"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  acceptedAt: instant("accepted_at"),
  acceptedBy: integer("accepted_by"),
  revokedAt: instant("revoked_at"),
});

/** An address that a holder of an invite's link gave, where the invite names none. */
export const inviteAddresses = sqliteTable(
  "invite_addresses",
  {
    inviteId: integer("invite_id").notNull(),
    email: text("email").notNull(),
    givenAt: instant("given_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.inviteId, table.email] })],
);
