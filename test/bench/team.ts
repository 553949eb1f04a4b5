import { quote } from "../../src/cli/sql.ts";
import { createToken, tokenHint } from "../../src/cli/tokens.ts";
import { sha256Hex } from "../../src/core/signature.ts";
import { sessionCookie } from "../support/session-cookie.ts";
import { type Instance, VARIABLES } from "./instance.ts";

export interface Team {
  id: number;
  token: string;
  /** The session of its owner, who is signed in. */
  cookie: string;
}

const SESSION_MS = 86_400_000;

/** A person, who is number `id` too, with a team and a token for everything. */
export async function createTeam(instance: Instance, id: number): Promise<Team> {
  const token = createToken();
  const hash = quote(await sha256Hex(token));
  const name = quote(`Bench ${id}`);
  const session = createToken();
  const sessionHash = quote(await sha256Hex(session));
  const end = Date.now() + SESSION_MS;
  await instance.store([
    `INSERT INTO users (id, email, created_at) VALUES (${id}, 'bench-${id}@example.com', 0)`,
    `INSERT INTO teams (id, name, slug, owner_id, created_at, updated_at)
      VALUES (${id}, ${name}, 'bench-${id}', ${id}, 0, 0)`,
    `INSERT INTO members (team_id, user_id, role, joined_at) VALUES (${id}, ${id}, 'OWNER', 0)`,
    `INSERT INTO tokens (hash, name, hint, user_id, scopes, created_at)
      VALUES (${hash}, 'bench', ${quote(tokenHint(token))}, ${id}, '["*"]', 0)`,
    `INSERT INTO sessions (token_hash, user_id, created_at, updated_at, expires_at)
      VALUES (${sessionHash}, ${id}, 0, 0, ${end})`,
  ]);
  const keeper = { origin: instance.url, signingKey: VARIABLES.SIGNING_KEY };
  const cookie = (await sessionCookie(session, keeper)).join("=");
  return { id, token, cookie };
}
