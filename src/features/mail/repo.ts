import { sql } from "drizzle-orm";
import { preparedWrite } from "../../db/client.ts";
import type { Params } from "../../db/text.ts";

interface NewLink {
  identifier: string;
  value: string;
  at: Date;
  expiresAt: Date;
  /** Unused links per address. */
  max: number;
  /** The mailed invite, inserted earlier in the batch; null for a sign-in link. */
  inviteHash: string | null;
}

export const insertLink = preparedWrite(
  ({ identifier, value, at, expiresAt, max, inviteHash }: Params<NewLink>) =>
    sql`INSERT INTO verifications (identifier, value, created_at, updated_at, expires_at)
      SELECT ${identifier}, ${value}, ${at}, ${at}, ${expiresAt}
      WHERE (${inviteHash} IS NULL OR EXISTS (SELECT 1 FROM invites WHERE token_hash = ${inviteHash}))
        AND (SELECT count(*) FROM verifications waiting
          WHERE waiting.identifier >= 'magic-link' AND waiting.identifier < 'magic-link;'
            AND waiting.value = ${value} AND waiting.expires_at > ${at}) < ${max}`,
);
