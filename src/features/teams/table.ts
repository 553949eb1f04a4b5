import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PlanName } from "../../core/plans.ts";
import type { Platform } from "../../core/platforms.ts";
import type { QuietHours } from "../../core/quiet-hours.ts";
import { flag, instant, json } from "../../db/columns.ts";

export interface Branding {
  name: string | null;
  link: string | null;
  /** #rrggbb in lower case; absent in branding that was stored before there were colours. */
  color?: string | null;
  logo: { objectKey: string; mime: string; sizeBytes: number } | null;
}

export const teams = sqliteTable("teams", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  slug: text("slug").notNull(),
  ownerId: integer("owner_id").notNull(),
  plan: text("plan").$type<PlanName>(),
  /** Applies without a `plan`; null for the instance's default. */
  basePlan: text("base_plan").$type<PlanName>(),
  /** Null for no end. */
  planUntil: instant("plan_until"),
  /** The team keeps custom domains of a former plan. */
  hasLegacyDomains: flag("has_legacy_domains").notNull().default(false),
  blocklist: json<string[]>("blocklist"),
  /** IANA zone; null for UTC. */
  zone: text("zone"),
  requiresApproval: flag("requires_approval").notNull().default(false),
  branding: json<Branding>("branding"),
  bannedHashtags: json<Partial<Record<Platform, string[]>>>("banned_hashtags"),
  deletedAt: instant("deleted_at"),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  /** Notices to the team's chat wait in these hours; null for none. */
  quietHours: json<QuietHours>("quiet_hours"),
});

export const members = sqliteTable(
  "members",
  {
    teamId: integer("team_id").notNull(),
    userId: integer("user_id").notNull(),
    role: text("role", { enum: ["OWNER", "ADMIN", "MEMBER"] }).notNull(),
    isActive: flag("is_active").notNull().default(true),
    joinedAt: instant("joined_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.userId] })],
);

export const invites = sqliteTable("invites", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  /** SHA-256 of the link's token, hex. */
  tokenHash: text("token_hash").notNull(),
  /** The invited or accepting address; null for an open link. */
  email: text("email"),
  /** If false, any address may accept. */
  isAddressed: flag("is_addressed").notNull(),
  role: text("role", { enum: ["ADMIN", "MEMBER"] }).notNull(),
  invitedBy: integer("invited_by").notNull(),
  tokenId: integer("token_id"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  acceptedAt: instant("accepted_at"),
  acceptedBy: integer("accepted_by"),
  revokedAt: instant("revoked_at"),
});

/** Addresses entered on the page of an invite that names none. */
export const inviteAddresses = sqliteTable(
  "invite_addresses",
  {
    inviteId: integer("invite_id").notNull(),
    email: text("email").notNull(),
    givenAt: instant("given_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.inviteId, table.email] })],
);
