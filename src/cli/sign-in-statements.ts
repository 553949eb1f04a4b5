import { OWN_DOMAIN } from "../core/email.ts";
import { createLinkToken, signInPath } from "../core/sign-in-link.ts";
import { HOUR } from "../core/time.ts";
import { HAS_ACCOUNT, SELECT_OWNER } from "./owner.ts";
import { sql, sqlPart } from "./sql.ts";

/** Operators need time to copy the link by hand. Spec is silent. */
const LIFETIME_MS = HOUR;

/** Recipient of a sign-in link. Null means the owner of the instance. */
export type Addressee = { email: string } | { id: string } | null;

/** An invited e-mail address without an account has a null id. */
function selectPeople(to: Addressee, at: Date): string {
  if (to === null) return SELECT_OWNER.part;
  if ("id" in to) {
    return sql`SELECT id, email FROM users WHERE CAST(id AS TEXT) = ${to.id} AND ${HAS_ACCOUNT}`;
  }
  const email = to.email.toLowerCase();
  return sql`SELECT id, email FROM users WHERE lower(email) = ${email} AND ${HAS_ACCOUNT}
    UNION ALL SELECT DISTINCT NULL AS id, ${email} AS email FROM invites
      WHERE accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ${at.getTime()}
      AND id IN (SELECT id FROM invites WHERE email = ${email}
        UNION ALL SELECT invite_id FROM invite_addresses WHERE email = ${email})
      AND NOT EXISTS (SELECT 1 FROM users WHERE lower(email) = ${email})`;
}

/** `insert` is SQL that stores the link if exactly one person matches. */
export async function prepareLink(to: Addressee, at: Date) {
  const { token, identifier } = await createLinkToken();
  const now = at.getTime();
  const lookUp = selectPeople(to, at);
  const people = sqlPart(lookUp);
  // Links name addresses in lower case, so an address with capitals becomes one with the person's id.
  const insert = sql`INSERT INTO verifications (identifier, value, created_at, updated_at, expires_at)
    SELECT ${identifier}, json_object('type', 'magic-link', 'email',
        iif(email = lower(email), email, 'person-' || id || ${`@${OWN_DOMAIN}`})),
      ${now}, ${now}, ${now + LIFETIME_MS}
    FROM (${people}) WHERE (SELECT count(*) FROM (${people})) = 1`;
  return { path: signInPath(token), lookUp, insert };
}
