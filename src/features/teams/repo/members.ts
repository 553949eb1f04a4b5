import { type SQL, sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import { users } from "../../auth/table.ts";
import { members, teams } from "../table.ts";
import { isFull, type MemberLimits } from "./limits.ts";

const readTeam = rowReader(pickColumns(teams, ["id", "name", "slug", "createdAt", "updatedAt"]));

export type TeamRow = ReturnType<typeof readTeam>;

export const teamById = prepared(
  ({ team }: Params<{ team: number | SQL }>) =>
    sql`SELECT id, name, slug, created_at, updated_at FROM teams WHERE id = ${team}`,
  readTeam,
);

export const renameTeam = preparedWrite(
  ({ teamId, name, now }: Params<{ teamId: number; name: string; now: Date }>) =>
    sql`UPDATE teams SET name = ${name}, updated_at = ${now} WHERE id = ${teamId}`,
);

const readMember = rowReader({
  userId: members.userId,
  email: users.email,
  role: members.role,
  isActive: members.isActive,
  joinedAt: members.joinedAt,
});

export type MemberRow = ReturnType<typeof readMember>;

export const membersOf = prepared(
  ({ team }: Params<{ team: number | SQL }>) =>
    sql`SELECT m.user_id, u.email, m.role, m.is_active, m.joined_at
      FROM members m JOIN users u ON u.id = m.user_id WHERE m.team_id = ${team}
      ORDER BY m.joined_at, m.user_id`,
  readMember,
);

export const memberOf = prepared(
  ({ team, user }: Params<{ team: SQL; user: SQL }>) =>
    sql`SELECT role, joined_at FROM members WHERE team_id = ${team} AND user_id = ${user}`,
  rowReader(pickColumns(members, ["role", "joinedAt"])),
);

export interface Target {
  teamId: number;
  userId: number;
}

export const memberFacts = prepared(
  ({ teamId, userId, limits, defaultPlan }: Params<Target & MemberLimits>) =>
    sql`SELECT m.role, m.is_active, ${isFull(limits, defaultPlan)} AS is_full
      FROM members m JOIN teams t ON t.id = m.team_id
      WHERE m.team_id = ${teamId} AND m.user_id = ${userId}`,
  rowReader({ role: members.role, isActive: members.isActive, isFull: flag("is_full").notNull() }),
);

interface MemberChange extends Target, MemberLimits {
  /** Null keeps the current value. */
  role: Role | null;
  isActive: boolean | null;
}

/** Never changes the owner's membership. In a full team, no member is activated. */
export const updateMember = prepared(
  ({ teamId, userId, role, isActive, limits, defaultPlan }: Params<MemberChange>) =>
    sql`UPDATE members
      SET role = coalesce(${role}, role), is_active = coalesce(${isActive}, is_active)
      WHERE team_id = ${teamId} AND user_id = ${userId} AND role <> 'OWNER'
        AND (is_active = 1 OR ${isActive} IS NOT 1 OR NOT
          (SELECT ${isFull(limits, defaultPlan)} FROM teams t WHERE t.id = ${teamId}))
      RETURNING user_id, role, is_active`,
  rowReader(pickColumns(members, ["userId", "role", "isActive"])),
);

/** `roles`: JSON list of roles that may be removed. */
export const deleteMember = preparedWrite(
  ({ teamId, userId, roles }: Params<Target & { roles: string }>) =>
    sql`DELETE FROM members WHERE team_id = ${teamId} AND user_id = ${userId}
      AND role <> 'OWNER' AND role IN (SELECT value FROM json_each(${roles}))`,
);

/** Follows the statement that removes the member. */
export const revokeInvitesTo = preparedWrite(
  ({ teamId, userId, now }: Params<Target & { now: Date }>) =>
    sql`UPDATE invites SET revoked_at = ${now}
      WHERE team_id = ${teamId} AND is_addressed
        AND email = (SELECT lower(email) FROM users WHERE id = ${userId})
        AND accepted_at IS NULL AND revoked_at IS NULL AND changes() > 0`,
);
