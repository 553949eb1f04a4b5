import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import { isUnrevoked } from "../../tokens/repo.ts";
import { MAX_GIVEN_ADDRESSES, MAX_OPEN_INVITES } from "../rules.ts";
import { invites } from "../table.ts";
import { hasPlaceForPerson, isFull, type MemberLimits } from "./limits.ts";

const isUnused = sql`i.accepted_at IS NULL AND i.revoked_at IS NULL`;

const isOpen = (now: SQL) => sql`${isUnused} AND i.expires_at > ${now} AND t.deleted_at IS NULL`;

/** SQL for an open invite that names the address, or on whose page it was entered. */
const openInvite = (email: SQL, now: SQL): SQL =>
  sql`SELECT i.id FROM invites i JOIN teams t ON t.id = i.team_id
    WHERE i.id IN (SELECT id FROM invites
          WHERE email = ${email} AND accepted_at IS NULL AND revoked_at IS NULL
        UNION ALL SELECT invite_id FROM invite_addresses WHERE email = ${email})
      AND ${isOpen(now)} LIMIT 1`;

/** No row when the instance has no room for a person. */
export const openInviteTo = prepared(
  ({ email, maxPeople, now }: Params<{ email: string; maxPeople: number; now: Date }>) =>
    sql`SELECT id FROM (${openInvite(email, now)}) WHERE ${hasPlaceForPerson(maxPeople)}`,
  valueReader(invites.id),
);

export const isInvited = (email: SQL, now: SQL): SQL => sql`EXISTS (${openInvite(email, now)})`;

const inviteColumns = pickColumns(invites, [
  "id",
  "email",
  "isAddressed",
  "role",
  "invitedBy",
  "createdAt",
  "expiresAt",
]);
const readInvite = rowReader(inviteColumns);

export type InviteRow = ReturnType<typeof readInvite>;

export const openInvitesOf = prepared(
  ({ team, now }: Params<{ team: number | SQL; now: Date }>) =>
    sql`SELECT i.id, i.email, i.is_addressed, i.role, i.invited_by, i.created_at, i.expires_at
      FROM invites i JOIN teams t ON t.id = i.team_id
      WHERE i.team_id = ${team} AND ${isOpen(now)} ORDER BY i.id DESC`,
  readInvite,
);

interface NewInvite extends MemberLimits {
  teamId: number;
  hash: string;
  email: string | null;
  role: Exclude<Role, "OWNER">;
  invitedBy: number;
  tokenId: number | null;
  maxPeople: number;
  now: Date;
  expiresAt: Date;
}

/** SQL for the number of team `t`'s open invites to other addresses. */
const otherOpenInvites = (email: SQL, now: SQL): SQL =>
  sql`(SELECT count(*) FROM invites i WHERE i.team_id = t.id AND ${isOpen(now)}
    AND NOT (i.is_addressed AND i.email IS ${email}))`;

/** SQL for membership in team `t`: 1 active, 0 deactivated, NULL none. */
const membershipOf = (email: SQL): SQL =>
  sql`(SELECT m.is_active FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.team_id = t.id AND lower(u.email) = ${email})`;

/** SQL condition: the address has an account, or the instance has room for one. */
const canHaveAccount = (email: SQL, maxPeople: SQL): SQL =>
  sql`(${email} IS NULL OR EXISTS (SELECT 1 FROM users WHERE lower(email) = ${email})
    OR ${hasPlaceForPerson(maxPeople)})`;

export const inviteFacts = prepared(
  ({ teamId, email, maxPeople, now, limits, defaultPlan }: Params<NewInvite>) =>
    sql`SELECT ${isFull(limits, defaultPlan)} AS is_full,
        ${canHaveAccount(email, maxPeople)} AS can_have_account,
        ${otherOpenInvites(email, now)} AS open_invites, ${membershipOf(email)} AS is_active_member
      FROM teams t WHERE t.id = ${teamId}`,
  rowReader({
    isFull: flag("is_full").notNull(),
    canHaveAccount: flag("can_have_account").notNull(),
    openInvites: integer("open_invites").notNull(),
    isActiveMember: flag("is_active_member"),
  }),
);

export const insertInvite = prepared(
  ({
    teamId,
    hash,
    email,
    role,
    invitedBy,
    tokenId,
    maxPeople,
    now,
    expiresAt,
    limits,
    defaultPlan,
  }: Params<NewInvite>) =>
    sql`INSERT INTO invites
        (team_id, token_hash, email, is_addressed, role, invited_by, token_id, created_at, expires_at)
      SELECT t.id, ${hash}, ${email}, ${email} IS NOT NULL, ${role}, ${invitedBy}, ${tokenId}, ${now}, ${expiresAt}
      FROM teams t WHERE t.id = ${teamId} AND t.deleted_at IS NULL
        AND NOT ${isFull(limits, defaultPlan)} AND ${canHaveAccount(email, maxPeople)}
        AND ${otherOpenInvites(email, now)} < ${MAX_OPEN_INVITES}
        AND ${membershipOf(email)} IS NULL AND ${isUnrevoked(tokenId)}
      RETURNING id, email, is_addressed, role, invited_by, created_at, expires_at`,
  readInvite,
);

export const idOfInvite = (hash: string): SQL =>
  sql`(SELECT id FROM invites WHERE token_hash = ${hash})`;

export const teamOfInvite = (hash: string): SQL =>
  sql`(SELECT team_id FROM invites WHERE token_hash = ${hash})`;

/** Revokes expired invites and earlier ones to the same address. */
export const revokeReplaced = preparedWrite(
  ({ teamId, hash, email, now }: Params<NewInvite>) =>
    sql`UPDATE invites SET revoked_at = ${now}
      WHERE team_id = ${teamId} AND accepted_at IS NULL AND revoked_at IS NULL
        AND token_hash <> ${hash} AND (expires_at <= ${now} OR (is_addressed AND email = ${email}))
        AND EXISTS (SELECT 1 FROM invites WHERE token_hash = ${hash})`,
);

export const revokeInvite = preparedWrite(
  ({ teamId, id, now }: Params<{ teamId: number; id: number; now: Date }>) =>
    sql`UPDATE invites SET revoked_at = ${now} WHERE id = ${id} AND team_id = ${teamId}
      AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ${now}`,
);

const stateColumns = pickColumns(invites, [
  "teamId",
  "email",
  "isAddressed",
  "role",
  "expiresAt",
  "acceptedAt",
  "revokedAt",
]);
const state = sql`i.team_id, i.email, i.is_addressed, i.role, i.expires_at, i.accepted_at, i.revoked_at`;

/** No row for a deleted team. */
export const inviteByHash = prepared(
  ({ hash, maxPeople }: Params<{ hash: string; maxPeople: number }>) =>
    sql`SELECT ${state},
        t.name AS team, coalesce(u.name, u.email) AS inviter,
        ${hasPlaceForPerson(maxPeople)} AS has_place
      FROM invites i JOIN teams t ON t.id = i.team_id JOIN users u ON u.id = i.invited_by
      WHERE i.token_hash = ${hash} AND t.deleted_at IS NULL`,
  rowReader({
    ...stateColumns,
    team: text("team").notNull(),
    invitedBy: text("inviter").notNull(),
    hasPlace: flag("has_place").notNull(),
  }),
);

interface GivenAddress {
  hash: string;
  email: string;
  maxPeople: number;
  now: Date;
}

/** Inserts no address for an invite that names one, or that has its maximum. */
export const insertAddress = preparedWrite(
  ({ hash, email, maxPeople, now }: Params<GivenAddress>) =>
    sql`INSERT INTO invite_addresses (invite_id, email, given_at)
      SELECT i.id, ${email}, ${now} FROM invites i JOIN teams t ON t.id = i.team_id
      WHERE i.token_hash = ${hash} AND NOT i.is_addressed AND ${isOpen(now)}
        AND (SELECT count(*) FROM invite_addresses a WHERE a.invite_id = i.id)
          < ${MAX_GIVEN_ADDRESSES}
        AND ${hasPlaceForPerson(maxPeople)}
      ON CONFLICT DO NOTHING`,
);

export const addressFacts = prepared(
  ({ hash, email, maxPeople }: Params<GivenAddress>) =>
    sql`SELECT ${state}, ${hasPlaceForPerson(maxPeople)} AS has_place, EXISTS (SELECT 1 FROM invite_addresses a
          WHERE a.invite_id = i.id AND a.email = ${email}) AS is_given
      FROM invites i JOIN teams t ON t.id = i.team_id
      WHERE i.token_hash = ${hash} AND t.deleted_at IS NULL`,
  rowReader({
    ...stateColumns,
    hasPlace: flag("has_place").notNull(),
    isGiven: flag("is_given").notNull(),
  }),
);

interface Joining extends MemberLimits {
  hash: string;
  userId: number;
  email: string;
  now: Date;
}

export const joinFacts = prepared(
  ({ hash, userId, limits, defaultPlan }: Params<Joining>) =>
    sql`SELECT ${state},
        ${isFull(limits, defaultPlan)} AS is_full,
        (SELECT m.is_active FROM members m WHERE m.team_id = t.id AND m.user_id = ${userId})
          AS is_active_member
      FROM invites i JOIN teams t ON t.id = i.team_id
      WHERE i.token_hash = ${hash} AND t.deleted_at IS NULL`,
  rowReader({
    ...stateColumns,
    isFull: flag("is_full").notNull(),
    isActiveMember: flag("is_active_member"),
  }),
);

export const insertInvited = preparedWrite(
  ({ hash, userId, email, now, limits, defaultPlan }: Params<Joining>) =>
    sql`INSERT INTO members (team_id, user_id, role, joined_at)
      SELECT i.team_id, ${userId}, i.role, ${now} FROM invites i JOIN teams t ON t.id = i.team_id
      WHERE i.token_hash = ${hash} AND ${isOpen(now)}
        AND (NOT i.is_addressed OR i.email = ${email})
        AND NOT ${isFull(limits, defaultPlan)}
      ON CONFLICT DO NOTHING`,
);

/** Follows the statement that inserts the member. */
export const useInvite = preparedWrite(
  ({ hash, userId, now }: Params<Joining>) =>
    sql`UPDATE invites SET accepted_at = ${now}, accepted_by = ${userId}
      WHERE token_hash = ${hash} AND changes() > 0`,
);

export const removeEndedInvites = preparedWrite(
  ({ before, max }: Params<{ before: Date; max: number }>) =>
    sql`DELETE FROM invites WHERE id IN
      (SELECT id FROM invites WHERE expires_at <= ${before} LIMIT ${max})`,
);
