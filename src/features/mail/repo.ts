import { sql } from "drizzle-orm";
import { preparedWrite } from "../../db/client.ts";
import type { Params } from "../../db/text.ts";

interface NewLink {
  identifier: string;
  /** Names the address. */
  value: string;
  at: Date;
  expiresAt: Date;
  /** Links mailed to one address, to sign in and of invites, that may wait at a time. */
  most: number;
  /** Hash of the invite that is mailed, which is stored in front of this; null for a sign-in link. */
  inviteHash: string | null;
}

/** Stores a link that is mailed, unless as many as there may be for its address wait. */
export const insertLink = preparedWrite(
  ({ identifier, value, at, expiresAt, most, inviteHash }: Params<NewLink>) =>
    sql`INSERT INTO verifications (identifier, value, created_at, updated_at, expires_at)
      SELECT ${identifier}, ${value}, ${at}, ${at}, ${expiresAt}
      WHERE (${inviteHash} IS NULL OR EXISTS (SELECT 1 FROM invites WHERE token_hash = ${inviteHash}))
        AND (SELECT count(*) FROM verifications waiting
          WHERE waiting.identifier >= 'magic-link' AND waiting.identifier < 'magic-link;'
            AND waiting.value = ${value} AND waiting.expires_at > ${at}) < ${most}`,
);
