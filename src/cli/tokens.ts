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

/** Returns the part of a token that is shown again later. */
export const tokenHint = (token: string): string => `${token.slice(0, 8)}…${token.slice(-4)}`;

/**
 * Scopes written `a,b`; nothing means all.
 *
 * @throws Problem naming what is no scope
 */
export function parseScopes(text: string): Scope[] {
  const names = text.split(",").map((name) => name.trim());
  const wanted = [...new Set(names.filter((name) => name !== ""))];
  const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name);
  const unknown = wanted.filter((name) => !isScope(name));
  if (unknown.length > 0) {
    throw new Problem(`Unknown scope ${unknown.join(", ")}. Choose from ${SCOPES.join(", ")}.`);
  }
  return wanted.length > 0 ? wanted.filter(isScope) : ["*"];
}

interface NewToken {
  token: string;
  name: string;
  scopes: Scope[];
  /** The team it is pinned to; null: any team of its user. */
  teamId: number | null;
}

/** Adds the token for the user with that address, unless it is there already; gives its id back. */
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
