import { sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { json } from "../../../db/columns.ts";
import { valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";

export interface Challenge {
  type: "registration" | "authentication";
  expectedChallenge: string;
  /** A decimal id; empty for a sign-in. */
  userData: { id: string };
}

/** JSON of a row's `value`. */
export type Verification = Challenge | { type: "magic-link"; email: string };

/** Of concurrent callers, only one gets the value, which is null for an ended row. */
export const takeVerification = prepared(
  ({ identifier, now }: Params<{ identifier: string; now: Date }>) =>
    sql`DELETE FROM verifications WHERE identifier = ${identifier}
      RETURNING iif(expires_at > ${now}, value, NULL) AS value`,
  valueReader(json<Verification>("value")),
);

interface NewChallenge {
  identifier: string;
  value: string;
  at: Date;
  expiresAt: Date;
}

export const insertChallenge = preparedWrite(
  ({ identifier, value, at, expiresAt }: Params<NewChallenge>) =>
    sql`INSERT INTO verifications (identifier, value, created_at, updated_at, expires_at)
      VALUES (${identifier}, ${value}, ${at}, ${at}, ${expiresAt})`,
);

export const removeEndedVerifications = preparedWrite(
  ({ now, max }: Params<{ now: Date; max: number }>) =>
    sql`DELETE FROM verifications WHERE id IN
      (SELECT id FROM verifications WHERE expires_at <= ${now} LIMIT ${max})`,
);
