import { type SQL, sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { IS_OPEN } from "../../../db/open-accounts.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { sessions, users } from "../../auth/table.ts";

const MAX_SHOWN = 100;

export const sessionsOf = prepared(
  ({ user, now }: Params<{ user: number | SQL; now: Date }>) =>
    sql`SELECT * FROM sessions WHERE user_id = ${user} AND expires_at > ${now}
      ORDER BY id DESC LIMIT ${MAX_SHOWN}`,
  rowReader(sessions),
);

type NewSession = Omit<typeof sessions.$inferSelect, "id" | "createdAt" | "updatedAt"> & {
  at: Date;
};

/** No row for an account that was closed meanwhile. */
export const insertSession = preparedWrite(
  ({ tokenHash, userId, ipAddress, userAgent, at, expiresAt }: Params<NewSession>) =>
    sql`INSERT INTO sessions
        (token_hash, user_id, ip_address, user_agent, created_at, updated_at, expires_at)
      SELECT ${tokenHash}, users.id, ${ipAddress}, ${userAgent}, ${at}, ${at}, ${expiresAt}
      FROM users WHERE users.id = ${userId} AND ${sql.raw(IS_OPEN)}`,
);

interface SessionLookup {
  hash: string;
  now: Date;
}

export const userOfSession = ({ hash, now }: Params<SessionLookup>): SQL =>
  sql`(SELECT user_id FROM sessions WHERE token_hash = ${hash} AND expires_at > ${now})`;

export const personOfSession = prepared(
  (lookup: Params<SessionLookup>) =>
    sql`SELECT u.id, u.email, s.created_at FROM users u JOIN sessions s ON s.token_hash = ${lookup.hash}
      WHERE u.id = ${userOfSession(lookup)}`,
  rowReader({ id: users.id, email: users.email, signedInAt: sessions.createdAt }),
);

export const endSessionByHash = preparedWrite(
  ({ hash }: Params<{ hash: string }>) => sql`DELETE FROM sessions WHERE token_hash = ${hash}`,
);

interface OwnSession {
  user: number | SQL;
  id: number;
}

export const endSession = preparedWrite(
  ({ user, id }: Params<OwnSession>) =>
    sql`DELETE FROM sessions WHERE id = ${id} AND user_id = ${user}`,
);

export const endOtherSessions = preparedWrite(
  ({ user, id }: Params<OwnSession>) =>
    sql`DELETE FROM sessions WHERE id <> ${id} AND user_id = ${user}`,
);

export const removeEndedSessions = preparedWrite(
  ({ now, max }: Params<{ now: Date; max: number }>) =>
    sql`DELETE FROM sessions WHERE id IN
      (SELECT id FROM sessions WHERE expires_at <= ${now} LIMIT ${max})`,
);
