import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { prepared } from "../../../db/client.ts";
import { json } from "../../../db/columns.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import { sessions, users } from "../table.ts";

/** A person's session, and the team that they want to see. */
interface WantedSession {
  hash: string;
  requestedTeamId: number | null;
  now: Date;
}

const isLive = (hash: SQL | string, now: SQL | number) =>
  sql`s.token_hash = ${hash} AND s.expires_at > ${now}`;

/** The team asked for, where the person belongs to it; else their own. */
const shownTeam = (requestedTeamId: SQL | number | null): SQL =>
  sql`coalesce((SELECT shown.team_id FROM members shown WHERE shown.team_id = ${requestedTeamId}
      AND shown.user_id = s.user_id AND shown.is_active = 1),
    (SELECT own.id FROM teams own WHERE own.owner_id = s.user_id))`;

const readSession = rowReader({
  sessionId: sessions.id,
  userId: sessions.userId,
  signedInAt: sessions.createdAt,
  email: users.email,
  name: users.name,
  teamId: integer("team"),
  teams: json<[id: number, name: string, role: Role][]>("teams").notNull(),
});

/** Finds the person of a session, their teams, and the one that is shown; no row for an ended session. */
export const sessionQuery = prepared(
  ({ hash, requestedTeamId, now }: Params<WantedSession>) =>
    sql`SELECT s.id, s.user_id, s.created_at, u.email, u.name, ${shownTeam(requestedTeamId)} AS team,
        (SELECT json_group_array(json_array(t.id, t.name, m.role)) FROM members m
          JOIN teams t ON t.id = m.team_id WHERE m.user_id = s.user_id AND m.is_active = 1) AS teams
      FROM sessions s JOIN users u ON u.id = s.user_id WHERE ${isLive(hash, now)}`,
  (row) => {
    const { teams, ...session } = readSession(row);
    return { ...session, teams: teams.map(([id, name, role]) => ({ id, name, role })) };
  },
);

export type SessionRecord = ReturnType<ReturnType<typeof sessionQuery>["read"]>[number];

/** The same team as a value inside another statement; NULL, so no row, for an ended session. */
export const teamOfSession = ({ hash, requestedTeamId, now }: WantedSession): SQL =>
  sql`(SELECT ${shownTeam(requestedTeamId)} FROM sessions s WHERE ${isLive(hash, now.getTime())})`;

/** The person of a session as such a value. */
export const userOfSession = ({ hash, now }: WantedSession): SQL =>
  sql`(SELECT s.user_id FROM sessions s WHERE ${isLive(hash, now.getTime())})`;
