import { createLinkToken, signInPath } from "../core/sign-in-link.ts";
import { HOUR } from "../core/time.ts";
import { execute, type Place } from "./d1.ts";
import { Problem } from "./program.ts";
import { readPort } from "./server.ts";
import { sql } from "./sql.ts";
import { readDeployedVars, readLocalVars } from "./team-database.ts";

/** How long a link of the operator works: it is copied by hand. Spec is silent. */
const LIFETIME_MS = HOUR;

interface OperatorLink {
  /** The part of its address after the origin. */
  path: string;
  /** Stores it, and answers the address of whoever it is for; no row for somebody who may not sign in. */
  statement: string;
}

/** The owner of the instance: its first person. */
/** Ids are never used again: the first person of an instance is its owner, until they close their account. */
const OWNER = "SELECT email FROM users WHERE id = 1 AND email NOT LIKE 'deleted-%@akimbo.invalid'";

/** A person, or somebody whom an open invite names. */
const personOrInvited = (email: string, at: Date): string =>
  sql`SELECT email FROM users WHERE email = ${email}
    UNION SELECT email FROM invites WHERE email = ${email}
      AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ${at.getTime()}`;

/** A link that signs in once. `email`: null for the owner of the instance. */
export async function prepareLink(email: string | null, at: Date): Promise<OperatorLink> {
  const { token, identifier } = await createLinkToken();
  const now = at.getTime();
  const insert = sql`INSERT INTO verifications (identifier, value, created_at, updated_at, expires_at)
    SELECT ${identifier}, json_object('type', 'magic-link', 'email', lower(email)),
      ${now}, ${now}, ${now + LIFETIME_MS}`;
  const people = email === null ? OWNER : personOrInvited(email.toLowerCase(), at);
  const statement = `${insert} FROM (${people}) RETURNING json_extract(value, '$.email') AS email`;
  return { path: signInPath(token), statement };
}

/** Stores a link and returns its path. @throws Problem for somebody who may not sign in */
export async function createLink(
  place: Place,
  email: string | null,
): Promise<{ path: string; email: string }> {
  const { path, statement } = await prepareLink(email, new Date());
  const [rows = []] = await execute(place, [statement]);
  const [row] = rows;
  if (row) return { path, email: String(row.email) };
  throw new Problem(
    email === null
      ? "There is nobody yet who could sign in. Run `npm start`, or `npm run deploy` with --remote."
      : `${email} is nobody here, and no open invite names that address. Invite them first.`,
  );
}

/** Returns the address of an instance without a path. @throws Problem where nothing tells it */
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
