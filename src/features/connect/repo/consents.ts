import { sql } from "drizzle-orm";
import { orm } from "../../../db/builder.ts";
import { prepared, preparedWrite, sqlWrite } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { type ConsentRow, type ConsentStep, consents } from "../table.ts";

const readConsent = rowReader(consents);

export const insertConsent = (row: typeof consents.$inferInsert) =>
  sqlWrite(orm.insert(consents).values(row));

/** Holds for tries of teams that have not been deleted: theirs stay until they are erased. */
const teamLives = sql`EXISTS
  (SELECT 1 FROM teams WHERE teams.id = consents.team_id AND teams.deleted_at IS NULL)`;

export const consentByOpener = prepared(
  ({ hash }: Params<{ hash: string }>) =>
    sql`SELECT * FROM consents WHERE opener_hash = ${hash} AND ${teamLives}`,
  readConsent,
);

export const consentByState = prepared(
  ({ hash }: Params<{ hash: string }>) =>
    sql`SELECT * FROM consents WHERE state_hash = ${hash} AND ${teamLives}`,
  readConsent,
);

export const consentById = prepared(
  ({ id }: Params<{ id: number }>) => sql`SELECT * FROM consents WHERE id = ${id} AND ${teamLives}`,
  readConsent,
);

type Sent = Required<Pick<ConsentRow, "id" | "memory" | "expiresAt">> & {
  stateHash: string;
  browserHash: string;
};

/** Notes that a browser was sent to the consent page; whichever was sent last may come back. */
export const markSent = preparedWrite(
  ({ id, stateHash, browserHash, memory, expiresAt }: Params<Sent>) =>
    sql`UPDATE consents SET step = 'sent', state_hash = ${stateHash}, browser_hash = ${browserHash},
        memory = ${memory}, expires_at = ${expiresAt}
      WHERE id = ${id} AND step IN ('open', 'sent')`,
);

interface Claim {
  id: number;
  from: ConsentStep;
  to: ConsentStep;
  browserHash: string;
  now: Date;
}

/** Takes the step from here to there, for the browser that was sent: one of several who try. */
export const claimConsent = preparedWrite(
  ({ id, from, to, browserHash, now }: Params<Claim>) =>
    sql`UPDATE consents SET step = ${to}
      WHERE id = ${id} AND step = ${from} AND browser_hash = ${browserHash} AND expires_at > ${now}
        AND ${teamLives}`,
);

type Kept = Pick<ConsentRow, "id" | "step" | "memory" | "expiresAt">;

/** Writes where a try has come to. */
export const keepConsent = preparedWrite(
  ({ id, step, memory, expiresAt }: Params<Kept>) =>
    sql`UPDATE consents SET step = ${step}, memory = ${memory}, expires_at = ${expiresAt}
      WHERE id = ${id}`,
);

/** Removes tries that ended before then, up to `most`. */
export const forgetConsents = preparedWrite(
  ({ before, most }: Params<{ before: Date; most: number }>) =>
    sql`DELETE FROM consents WHERE id IN
      (SELECT id FROM consents WHERE expires_at < ${before} ORDER BY expires_at LIMIT ${most})`,
);
