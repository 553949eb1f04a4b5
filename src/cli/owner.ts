import { IS_OPEN, OWNER_ID } from "../features/auth/repo/people.ts";
import { ownTeam } from "../features/teams/rules.ts";
import { sql, sqlPart } from "./sql.ts";

interface Owner {
  email: string;
  teamName: string;
  teamSlug: string;
}

export function toOwner(email: string): Owner {
  const { name, slug } = ownTeam(email);
  return { email, teamName: name, teamSlug: slug };
}

/** The query returns no row before the first account exists. */
export const SELECT_OWNER = sqlPart(
  `SELECT users.id, users.email FROM users WHERE users.id = ${OWNER_ID}`,
);

export const HAS_ACCOUNT = sqlPart(IS_OPEN);

/** The statements insert nothing when an account exists. */
export function insertFirstOwner({ email, teamName, teamSlug }: Owner, at: Date): string[] {
  const ms = at.getTime();
  return [
    sql`INSERT INTO users (email, created_at)
      SELECT ${email}, ${ms} WHERE NOT EXISTS (SELECT 1 FROM users WHERE ${HAS_ACCOUNT})`,
    // The new team gets another slug while a former owner's team still has this one.
    sql`INSERT INTO teams (name, slug, owner_id, created_at, updated_at)
      SELECT ${teamName}, iif(EXISTS (SELECT 1 FROM teams WHERE slug = ${teamSlug}),
        ${teamSlug} || '-' || lower(hex(randomblob(6))), ${teamSlug}), owner.id, ${ms}, ${ms}
      FROM (${SELECT_OWNER}) AS owner
      WHERE owner.email = ${email} AND NOT EXISTS (SELECT 1 FROM teams WHERE owner_id = owner.id)`,
    sql`INSERT INTO members (team_id, user_id, role, joined_at)
      SELECT teams.id, owner.id, 'OWNER', ${ms}
      FROM (${SELECT_OWNER}) AS owner JOIN teams ON teams.owner_id = owner.id
      WHERE owner.email = ${email} ON CONFLICT DO NOTHING`,
  ];
}
