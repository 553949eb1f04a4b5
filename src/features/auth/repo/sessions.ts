import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { prepared } from "../../../db/client.ts";
import { json } from "../../../db/columns.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import { sessions, users } from "../table.ts";

interface SessionLookup {
  hash: string;
  requestedTeamId: number | null;
  now: Date;
}

const isLive = (hash: SQL | string, now: SQL | number) =>
  sql`s.token_hash = ${hash} AND s.expires_at > ${now}`;

/** SQL for the requested team if the person is a member, else their own team, else their oldest. */
const shownTeam = (requestedTeamId: SQL | number | null): SQL =>
  sql`(SELECT own.id FROM members shown JOIN teams own ON own.id = shown.team_id
    WHERE shown.user_id = s.user_id AND shown.is_active = 1 AND own.deleted_at IS NULL
    ORDER BY own.id IS ${requestedTeamId} DESC, own.owner_id = s.user_id DESC, own.id LIMIT 1)`;

const readSession = rowReader({
  sessionId: sessions.id,
  userId: sessions.userId,
  signedInAt: sessions.createdAt,
  email: users.email,
  name: users.name,
  teamId: integer("team"),
  teams: json<[id: number, name: string, role: Role, needsApproval: 0 | 1][]>("teams").notNull(),
});

export const sessionQuery = prepared(
  ({ hash, requestedTeamId, now }: Params<SessionLookup>) =>
    sql`SELECT s.id, s.user_id, s.created_at, u.email, u.name, ${shownTeam(requestedTeamId)} AS team,
        (SELECT json_group_array(json_array(t.id, t.name, m.role,
            m.role = 'MEMBER' AND t.requires_approval)) FROM members m
          JOIN teams t ON t.id = m.team_id WHERE m.user_id = s.user_id AND m.is_active = 1
            AND t.deleted_at IS NULL) AS teams
      FROM sessions s JOIN users u ON u.id = s.user_id WHERE ${isLive(hash, now)}`,
  (row) => {
    const { teams, ...session } = readSession(row);
    const own = teams.map(([id, name, role, needsApproval]) => {
      return { id, name, role, needsApproval: needsApproval === 1 };
    });
    return { ...session, teams: own };
  },
);

export type SessionRecord = ReturnType<ReturnType<typeof sessionQuery>["read"]>[number];

/** NULL for an ended session. */
export const teamOfSession = ({ hash, requestedTeamId, now }: SessionLookup): SQL =>
  sql`(SELECT ${shownTeam(requestedTeamId)} FROM sessions s WHERE ${isLive(hash, now.getTime())})`;

/** NULL for an ended session. */
export const userOfSession = ({ hash, now }: SessionLookup): SQL =>
  sql`(SELECT s.user_id FROM sessions s WHERE ${isLive(hash, now.getTime())})`;
