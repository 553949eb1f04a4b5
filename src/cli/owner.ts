import { ownTeam } from "../features/teams/rules.ts";
import { sql } from "./sql.ts";

interface Owner {
  email: string;
  teamName: string;
  teamSlug: string;
}

/** The owner of a fresh deployment; the team is called after the address until renamed. */
export function toOwner(email: string): Owner {
  const { name, slug } = ownTeam(email);
  return { email, teamName: name, teamSlug: slug };
}

/** Creates the user, their team and their membership, but only in a database without users. */
export function insertFirstOwner({ email, teamName, teamSlug }: Owner, at: Date): string[] {
  const ms = at.getTime();
  return [
    sql`INSERT INTO users (email, created_at)
      SELECT ${email}, ${ms} WHERE NOT EXISTS (SELECT 1 FROM users)`,
    sql`INSERT INTO teams (name, slug, owner_id, created_at, updated_at)
      SELECT ${teamName}, ${teamSlug}, id, ${ms}, ${ms} FROM users
      WHERE email = ${email} AND NOT EXISTS (SELECT 1 FROM teams)`,
    sql`INSERT INTO members (team_id, user_id, role, joined_at)
      SELECT teams.id, users.id, 'OWNER', ${ms}
      FROM users JOIN teams ON teams.owner_id = users.id
      WHERE users.email = ${email} AND NOT EXISTS (SELECT 1 FROM members)`,
  ];
}
