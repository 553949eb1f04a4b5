import { OWN_DOMAIN } from "../core/email.ts";
import { createLinkToken, signInPath } from "../core/sign-in-link.ts";
import { addSeconds, HOUR } from "../core/time.ts";
import { execute, type Place } from "./d1.ts";
import { HAS_ACCOUNT, SELECT_OWNER } from "./owner.ts";
import { chooseOne } from "./people.ts";
import { Problem } from "./program.ts";
import { readPort } from "./server.ts";
import { sql, sqlPart } from "./sql.ts";
import { readDeployedVars, readLocalVars } from "./team-database.ts";

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

/** @throws Problem for a person who may not sign in */
export async function createLink(
  place: Place,
  to: Addressee,
): Promise<{ path: string; email: string }> {
  const { path, lookUp, insert } = await prepareLink(to, await timeAt(place));
  const [people = []] = await execute(place, [lookUp, insert]);
  const recipient = to && ("id" in to ? to.id : to.email);
  const person = recipient === null ? people[0] : chooseOne(people, recipient);
  if (person) return { path, email: String(person.email) };
  throw new Problem(
    recipient === null
      ? "There is nobody yet who could sign in. Run `npm start`, or `npm run deploy` with --remote."
      : `${recipient} is not the address of anybody here, and no open invite names it. Invite them first.`,
  );
}

async function timeAt(place: Place): Promise<Date> {
  const offset = place.kind === "local" ? (await readLocalVars()).CLOCK_OFFSET : "";
  return addSeconds(new Date(), Number(offset || 0));
}

/** @throws Problem when no setting contains the instance's address */
export async function findOrigin(
  place: Place,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  if (place.kind === "local") {
    return (await readLocalVars()).PUBLIC_URL || `http://localhost:${readPort(env)}`;
  }
  const origin = (await readDeployedVars(place.config)).PUBLIC_URL || env.AKIMBO_URL;
  if (origin) return new URL(origin).origin;
  throw new Problem("Say where the instance is: AKIMBO_URL=https://akimbo.example.workers.dev");
}
