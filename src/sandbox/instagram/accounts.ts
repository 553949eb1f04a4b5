import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { SECOND } from "../../core/time.ts";
import { readSandboxName } from "../login.ts";
import { type GraphCall, GraphError, invalidParameter, pickFields } from "../meta-graph.ts";
import type { SandboxStore } from "../store.ts";

export const ACCOUNTS_SCHEMA = `
CREATE TABLE IF NOT EXISTS instagram_accounts (
  user_id TEXT PRIMARY KEY,
  username TEXT NOT NULL,
  name TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS instagram_tokens (
  token TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS instagram_tokens_by_expiry ON instagram_tokens (expires_at);
`;

export interface Account {
  userId: string;
  username: string;
  name: string;
}

/** Life of a refreshed token, as Instagram itself writes it. Source: Meta, "Refresh Access Token". */
const TOKEN_SECONDS = 5_183_944;

/** A token that a person's consent would have led to: it names the account that it is for. */
const GIVEN_TOKEN = /^sandbox\.instagram\.([^.\s].*)$/;

const MAX_USERNAME = 30;

/** Digits that are the same for the same name. */
async function digitsOf(name: string, count: number): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
  return String(new DataView(hash).getBigUint64(0)).padStart(20, "0").slice(-count);
}

async function toAccount(name: string): Promise<Account> {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const label = plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  const isTold = /^[a-z0-9 _]+$/.test(plain) && label !== "" && label.length <= MAX_USERNAME;
  const mark = await digitsOf(name, 8);
  return {
    // Professional accounts have ids of 17 digits that begin like this.
    userId: `17841${await digitsOf(name, 12)}`,
    username: isTold ? label : `${label.slice(0, MAX_USERNAME - 9) || "account"}_${mark}`,
    name,
  };
}

const invalidToken = (): GraphError =>
  new GraphError(190, "Invalid OAuth access token - Cannot parse access token", { status: 401 });

export const expiredToken = (): GraphError =>
  new GraphError(190, "Error validating access token: Session has expired", {
    subcode: 463,
    status: 401,
  });

function findAccount(store: SandboxStore, userId: string): Account | null {
  const [row] = store.sql
    .exec<{ user_id: string; username: string; name: string }>(
      "SELECT user_id, username, name FROM instagram_accounts WHERE user_id = ?",
      userId,
    )
    .toArray();
  return row ? { userId: row.user_id, username: row.username, name: row.name } : null;
}

/**
 * Whose token the call carries; the account of a sandbox token comes into being here.
 *
 * @throws GraphError 104 without a token, 190 for one that is not good
 */
export async function authenticate({ store, token }: GraphCall) {
  if (token === null) {
    throw new GraphError(104, "An access token is required to request this resource.");
  }
  const name = readSandboxName(GIVEN_TOKEN.exec(token)?.[1] ?? "");
  if (name !== null) {
    const account = await toAccount(name);
    store.sql.exec(
      "INSERT OR IGNORE INTO instagram_accounts (user_id, username, name) VALUES (?, ?, ?)",
      account.userId,
      account.username,
      account.name,
    );
    return { account, token };
  }
  const [row] = store.sql
    .exec<{ user_id: string; expires_at: number }>(
      "SELECT user_id, expires_at FROM instagram_tokens WHERE token = ?",
      token,
    )
    .toArray();
  const account = row && findAccount(store, row.user_id);
  if (!account) throw invalidToken();
  if (row.expires_at <= now().getTime()) throw expiredToken();
  return { account, token };
}

const ME_FIELDS = ["id", "username"];

export async function getMe(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  const [posts] = call.store.sql
    .exec<{ count: number }>(
      "SELECT count(*) AS count FROM instagram_media WHERE user_id = ?",
      account.userId,
    )
    .toArray();
  const me = {
    // The id that the app knows the person by is another one.
    id: `2${account.userId.slice(1)}`,
    user_id: account.userId,
    username: account.username,
    name: account.name,
    account_type: "BUSINESS",
    profile_picture_url: undefined,
    followers_count: 0,
    follows_count: 0,
    media_count: posts?.count ?? 0,
  };
  return Response.json(pickFields(call, me, ME_FIELDS));
}

/** Gives out a new token; the old one lives on to its end, as it does there. */
export async function refreshToken(call: GraphCall): Promise<Response> {
  if (call.params.get("grant_type") !== "ig_refresh_token") {
    throw invalidParameter("Invalid grant_type: must be ig_refresh_token");
  }
  const { account } = await authenticate(call);
  const at = now().getTime();
  const token = `IGSANDBOX${randomHex(40)}`;
  call.store.sql.exec("DELETE FROM instagram_tokens WHERE expires_at < ?", at);
  call.store.sql.exec(
    "INSERT INTO instagram_tokens (token, user_id, expires_at) VALUES (?, ?, ?)",
    token,
    account.userId,
    at + TOKEN_SECONDS * SECOND,
  );
  return Response.json({ access_token: token, token_type: "bearer", expires_in: TOKEN_SECONDS });
}
