import { sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { insertInto } from "../../../db/assignments.ts";
import { prepared, preparedWrite, sqlWrite } from "../../../db/client.ts";
import { renamed, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { stillMay } from "../../auth/repo/people.ts";
import { users } from "../../auth/table.ts";
import { teams } from "../../teams/table.ts";
import { type ConsentRow, type ConsentStep, consents } from "../table.ts";

const readConsent = rowReader(consents);

export const insertConsent = (row: typeof consents.$inferInsert) =>
  sqlWrite(insertInto(consents, row));

/** SQL condition: the team exists, and the person and token may still act for it. */
const mayGoOn = sql`EXISTS
    (SELECT 1 FROM teams WHERE teams.id = consents.team_id AND teams.deleted_at IS NULL)
  AND (consents.user_id IS NULL OR ${stillMay({
    teamId: sql`consents.team_id`,
    userId: sql`consents.user_id`,
    tokenId: sql`consents.token_id`,
  })})`;

export interface AskedConsent extends ConsentRow {
  team: string;
  person: { name: string | null; email: string } | null;
}

const readAsker = rowReader({
  team: teams.name,
  name: renamed(users.name, "person_name"),
  email: text("person_email"),
});

export const consentByOpener = prepared(
  ({ hash }: Params<{ hash: string }>) =>
    sql`SELECT consents.*, t.name, u.name AS person_name, u.email AS person_email
      FROM consents JOIN teams t ON t.id = consents.team_id
      LEFT JOIN users u ON u.id = consents.user_id
      WHERE opener_hash = ${hash} AND ${mayGoOn}`,
  (row): AskedConsent => {
    const { team, name, email } = readAsker(row);
    return { ...readConsent(row), team, person: email === null ? null : { name, email } };
  },
);

export const consentByState = prepared(
  ({ hash }: Params<{ hash: string }>) =>
    sql`SELECT * FROM consents WHERE state_hash = ${hash} AND ${mayGoOn}`,
  readConsent,
);

export const consentById = prepared(
  ({ id }: Params<{ id: number }>) => sql`SELECT * FROM consents WHERE id = ${id} AND ${mayGoOn}`,
  readConsent,
);

type SentConsent = Required<Pick<ConsentRow, "id" | "memory" | "expiresAt">> & {
  stateHash: string;
  browserHash: string;
};

/** Only the browser that was sent to the platform last may return. */
export const markSent = preparedWrite(
  ({ id, stateHash, browserHash, memory, expiresAt }: Params<SentConsent>) =>
    sql`UPDATE consents SET step = 'sent', state_hash = ${stateHash}, browser_hash = ${browserHash},
        memory = ${memory}, expires_at = ${expiresAt}
      WHERE id = ${id} AND step IN ('open', 'sent') AND ${mayGoOn}`,
);

interface Claim {
  id: number;
  from: ConsentStep;
  to: ConsentStep;
  browserHash: string;
  now: Date;
}

/** Of several simultaneous calls, only one succeeds. */
export const claimConsent = preparedWrite(
  ({ id, from, to, browserHash, now }: Params<Claim>) =>
    sql`UPDATE consents SET step = ${to}
      WHERE id = ${id} AND step = ${from} AND browser_hash = ${browserHash} AND expires_at > ${now}
        AND ${mayGoOn}`,
);

type StoredStep = Pick<ConsentRow, "id" | "step" | "memory" | "expiresAt">;

export const keepConsent = preparedWrite(
  ({ id, step, memory, expiresAt }: Params<StoredStep>) =>
    sql`UPDATE consents SET step = ${step}, memory = ${memory}, expires_at = ${expiresAt}
      WHERE id = ${id}`,
);

export const forgetConsents = preparedWrite(
  ({ before, max }: Params<{ before: Date; max: number }>) =>
    sql`DELETE FROM consents WHERE id IN
      (SELECT id FROM consents WHERE expires_at < ${before} ORDER BY expires_at LIMIT ${max})`,
);
