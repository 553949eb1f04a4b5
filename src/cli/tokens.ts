import { randomHex } from "../core/ids.ts";
import { SCOPES, type Scope } from "../core/scopes.ts";
import { sha256Hex } from "../core/signature.ts";
import { Problem } from "./program.ts";
import { sql } from "./sql.ts";

/** Source: spec, "Authentication" 1. */
const TOKEN_FORMAT = /^kmb_[0-9a-f]{64}$/;
const TOKEN_BYTES = 32;

export const isToken = (text: string): boolean => TOKEN_FORMAT.test(text);

export const createToken = (): string => `kmb_${randomHex(TOKEN_BYTES)}`;

export const tokenHint = (token: string): string => `${token.slice(0, 8)}…${token.slice(-4)}`;

/**
 * Empty text means all scopes.
 *
 * @throws Problem that lists unknown scopes
 */
export function parseScopes(text: string): Scope[] {
  const names = text.split(",").map((name) => name.trim());
  const requested = [...new Set(names.filter((name) => name !== ""))];
  const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name);
  const unknown = requested.filter((name) => !isScope(name));
  if (unknown.length > 0) {
    throw new Problem(`Unknown scope ${unknown.join(", ")}. Choose from ${SCOPES.join(", ")}.`);
  }
  return requested.length > 0 ? requested.filter(isScope) : ["*"];
}

interface NewToken {
  token: string;
  name: string;
  scopes: Scope[];
  /** Null allows every team of the user. */
  teamId: number | null;
}

export async function insertToken(token: NewToken, email: string, at: Date): Promise<string> {
  const hash = await sha256Hex(token.token);
  return sql`INSERT INTO tokens (hash, name, hint, user_id, team_id, scopes, created_at)
    SELECT ${hash}, ${token.name}, ${tokenHint(token.token)}, id,
      ${token.teamId}, ${JSON.stringify(token.scopes)}, ${at.getTime()}
    FROM users
    WHERE email = ${email} AND NOT EXISTS (SELECT 1 FROM tokens WHERE hash = ${hash}) RETURNING id`;
}

export async function countWorkingTokens(token: string): Promise<string> {
  return sql`SELECT count(*) AS count FROM tokens
    WHERE hash = ${await sha256Hex(token)} AND revoked_at IS NULL`;
}
