import { IS_OPEN, OWNER_ID } from "../../../db/open-accounts.ts";

/** Makes a statement; what it does with the values is its own. */
type Tag<S> = (parts: TemplateStringsArray, ...values: never[]) => S;

interface Owner<V> {
  email: V;
  teamName: V;
  teamSlug: V;
  /** Epoch ms. */
  at: V;
}

/** SQL for the owner's id and address. There is no row before the first account exists. */
export const SELECT_OWNER = `SELECT users.id, users.email FROM users WHERE users.id = ${OWNER_ID}`;

/**
 * The statements insert nothing when an account exists.
 *
 * @param sql a template that quotes values, or binds them
 * @param part what the template takes as SQL
 */
export function firstOwnerStatements<S, V>(
  sql: Tag<S>,
  part: (text: string) => unknown,
  { email, teamName, teamSlug, at }: Owner<V>,
): [user: S, team: S, member: S] {
  const tag = sql as (parts: TemplateStringsArray, ...values: unknown[]) => S;
  const owner = part(`(${SELECT_OWNER})`);
  return [
    tag`INSERT INTO users (email, created_at)
      SELECT ${email}, ${at} WHERE NOT EXISTS (SELECT 1 FROM users WHERE ${part(IS_OPEN)})`,
    // The new team gets another slug while a former owner's team still has this one.
    tag`INSERT INTO teams (name, slug, owner_id, created_at, updated_at)
      SELECT ${teamName}, iif(EXISTS (SELECT 1 FROM teams WHERE slug = ${teamSlug}),
        ${teamSlug} || '-' || lower(hex(randomblob(6))), ${teamSlug}), owner.id, ${at}, ${at}
      FROM ${owner} AS owner
      WHERE owner.email = ${email} AND NOT EXISTS (SELECT 1 FROM teams WHERE owner_id = owner.id)`,
    tag`INSERT INTO members (team_id, user_id, role, joined_at)
      SELECT teams.id, owner.id, 'OWNER', ${at}
      FROM ${owner} AS owner JOIN teams ON teams.owner_id = owner.id
      WHERE owner.email = ${email} ON CONFLICT DO NOTHING`,
  ];
}
