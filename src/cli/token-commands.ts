import { toEmail } from "../core/email.ts";
import { revocation } from "../features/tokens/repo/revocation.ts";
import { execute, migrateAndExecute, type Place, type Row } from "./d1.ts";
import { insertFirstOwner, SELECT_OWNER, toOwner } from "./owner.ts";
import { chooseOne, selectPerson } from "./people.ts";
import { Problem } from "./program.ts";
import { sql } from "./sql.ts";
import { formatTable } from "./table.ts";
import { createToken, insertToken, parseScopes } from "./tokens.ts";

export interface CreateOptions {
  name: string;
  scopes?: string;
  /** Id or slug. */
  team?: string;
  /** E-mail address or id. */
  user?: string;
}

/** @throws Problem when the team or user does not exist */
export async function createUserToken(place: Place, options: CreateOptions) {
  const scopes = parseScopes(options.scopes ?? "");
  const { team: teamName = null, user = null } = options;
  const [owners = [], users = [], teams = [], members = []] = await execute(place, [
    sql`SELECT DISTINCT users.email FROM users JOIN teams ON teams.owner_id = users.id
      WHERE teams.deleted_at IS NULL ORDER BY users.id LIMIT 20`,
    selectPerson(user),
    sql`SELECT id, slug FROM teams WHERE slug = ${teamName} OR CAST(id AS TEXT) = ${teamName}`,
    sql`SELECT users.email, members.team_id FROM members JOIN users ON users.id = members.user_id
      JOIN teams ON teams.id = members.team_id
      WHERE members.is_active = 1 AND (teams.slug = ${teamName} OR CAST(teams.id AS TEXT) = ${teamName})`,
  ]);
  const email = user === null ? chooseOwner(owners) : findUser(users, user);
  const team = teamName === null ? null : findTeam(teams, teamName);
  const isMember = members.some((row) => row.email === email && row.team_id === team?.id);
  if (team && !isMember) {
    throw new Problem(`${email} is not an active member of the team ${team.slug}.`);
  }
  const teamId = team ? Number(team.id) : null;
  return insert(place, [], { name: options.name, scopes, teamId }, email);
}

export async function createFirstToken(
  place: Place,
  options: { name: string; scopes?: string; email: string },
) {
  const { name } = options;
  const email = toEmail(options.email);
  if (!email) throw new Problem(`"${options.email}" is not an e-mail address.`);
  const scopes = parseScopes(options.scopes ?? "");
  const [users = []] = await migrateAndExecute(place, [SELECT_OWNER.part]);
  const [first] = users;
  if (first) throw new Problem(`There is an owner already: ${first.email}. Leave out --init.`);
  const owner = insertFirstOwner(toOwner(email), new Date());
  return insert(place, owner, { name, scopes, teamId: null }, email);
}

async function insert(
  place: Place,
  before: string[],
  fields: Omit<Parameters<typeof insertToken>[0], "token">,
  email: string,
) {
  const token = createToken();
  const results = await execute(place, [
    ...before,
    await insertToken({ ...fields, token }, email, new Date()),
  ]);
  const id = results.at(-1)?.[0]?.id;
  if (typeof id !== "number") throw new Problem("The token was not stored; please try again.");
  return { id, token };
}

function chooseOwner(owners: Row[]): string {
  const [only, ...others] = owners.map(({ email }) => String(email));
  if (only === undefined) {
    throw new Problem("There is no user yet. Add --init --email you@example.com");
  }
  if (others.length === 0) return only;
  throw new Problem(`Whose token? Add --user with one of: ${[only, ...others].join(", ")}`);
}

function findUser(users: Row[], name: string): string {
  const user = chooseOne(users, name);
  if (user) return String(user.email);
  throw new Problem(`There is no user ${name}.`);
}

function findTeam(teams: Row[], name: string): Row {
  const [team] = teams;
  if (team) return team;
  throw new Problem(`There is no team ${name}.`);
}

export async function describeTokens(place: Place): Promise<string> {
  const [rows = []] = await execute(place, [
    sql`SELECT tokens.id, tokens.name, tokens.hint, tokens.scopes, tokens.created_at,
        tokens.revoked_at, users.email, teams.slug
      FROM tokens JOIN users ON users.id = tokens.user_id
      LEFT JOIN teams ON teams.id = tokens.team_id
      ORDER BY tokens.id DESC`,
  ]);
  if (rows.length === 0) return "There are no tokens.";
  return formatTable(
    ["Id", "Name", "Token", "User", "Team", "Created", "State", "Scopes"],
    rows.map((row) => [
      String(row.id),
      String(row.name),
      String(row.hint),
      String(row.email),
      String(row.slug ?? "any"),
      toDay(row.created_at),
      row.revoked_at === null ? "active" : `revoked ${toDay(row.revoked_at)}`,
      (JSON.parse(String(row.scopes)) as string[]).join(","),
    ]),
  );
}

const toDay = (ms: Row[string] | undefined): string =>
  new Date(Number(ms)).toISOString().slice(0, 10);

/** @throws Problem when the token does not exist or is already revoked */
export async function revokeToken(place: Place, id: string): Promise<string> {
  if (!/^\d{1,15}$/.test(id)) {
    throw new Problem(`"${id}" is not a token id; \`token list\` shows the ids.`);
  }
  const [rows = []] = await execute(place, [...revocation({ id: Number(id), atMs: Date.now() })]);
  const row = rows.find((one) => one.id === Number(id));
  if (!row) throw new Problem(`There is no working token ${id}.`);
  return `${row.name} (${row.hint})`;
}
