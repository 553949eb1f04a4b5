import { and, desc, eq, gt, ne, type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { orm } from "../../../db/builder.ts";
import { prepared, preparedWrite, type Query } from "../../../db/client.ts";
import { json } from "../../../db/columns.ts";
import { type RawRow, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import { sessions, users } from "../table.ts";
import { IS_OPEN } from "./people.ts";

/** A person's session, and the team that they want to see. */
interface WantedSession {
  hash: string;
  requestedTeamId: number | null;
  now: Date;
}

const isLive = (hash: SQL | string, now: SQL | number) =>
  sql`s.token_hash = ${hash} AND s.expires_at > ${now}`;

/** The team asked for, where the person belongs to it; else their own, else the oldest of theirs. */
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

/** Finds the person of a session, their teams, and the one that is shown; no row for an ended session. */
export const sessionQuery = prepared(
  ({ hash, requestedTeamId, now }: Params<WantedSession>) =>
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

/** The same team as a value inside another statement; NULL, so no row, for an ended session. */
export const teamOfSession = ({ hash, requestedTeamId, now }: WantedSession): SQL =>
  sql`(SELECT ${shownTeam(requestedTeamId)} FROM sessions s WHERE ${isLive(hash, now.getTime())})`;

/** The person as a value inside another statement; NULL, so no row, for an ended session. */
export const userOfSession = ({ hash, now }: WantedSession): SQL =>
  sql`(SELECT s.user_id FROM sessions s WHERE ${isLive(hash, now.getTime())})`;

/** More sessions than a person has; the rest is no concern of a page. */
const MAX_SHOWN = 100;

/** The live sessions of a person, newest first. `user`: their id, or SQL that is it inside the batch. */
export const sessionsOf = prepared(
  ({ user, now }: Params<{ user: number | SQL; now: Date }>) =>
    orm
      .select()
      .from(sessions)
      .where(and(sql`${sessions.userId} = ${user}`, gt(sessions.expiresAt, now)))
      .orderBy(desc(sessions.id))
      .limit(MAX_SHOWN),
  rowReader(sessions),
);

interface NewSession {
  tokenHash: string;
  userId: number;
  ipAddress: string | null;
  userAgent: string | null;
  at: Date;
  expiresAt: Date;
}

const insert = prepared(
  ({ tokenHash, userId, ipAddress, userAgent, at, expiresAt }: Params<NewSession>) =>
    sql`INSERT INTO sessions
        (token_hash, user_id, ip_address, user_agent, created_at, updated_at, expires_at)
      SELECT ${tokenHash}, users.id, ${ipAddress}, ${userAgent}, ${at}, ${at}, ${expiresAt}
      FROM users WHERE users.id = ${userId} AND ${sql.raw(IS_OPEN)} RETURNING *`,
  (row): RawRow => row,
);
/** Stores a session and answers its row; none for somebody whose account was closed meanwhile. */
export const insertSession = (session: NewSession): Query<RawRow[]> => insert(session);

/** Ends the session of a browser. */
export const endSessionByHash = preparedWrite(({ hash }: Params<{ hash: string }>) =>
  orm.delete(sessions).where(eq(sessions.tokenHash, hash)),
);

interface OwnSession {
  user: number | SQL;
  id: number;
}

export const endSession = preparedWrite(({ user, id }: Params<OwnSession>) =>
  orm.delete(sessions).where(and(eq(sessions.id, id), sql`${sessions.userId} = ${user}`)),
);

/** Ends all sessions of a person but one. */
export const endOtherSessions = preparedWrite(({ user, id }: Params<OwnSession>) =>
  orm.delete(sessions).where(and(ne(sessions.id, id), sql`${sessions.userId} = ${user}`)),
);

/** Removes sessions that are over, up to `most`. */
export const removeEndedSessions = preparedWrite(
  ({ now, most }: Params<{ now: Date; most: number }>) =>
    sql`DELETE FROM sessions WHERE id IN
      (SELECT id FROM sessions WHERE expires_at <= ${now} LIMIT ${most})`,
);
