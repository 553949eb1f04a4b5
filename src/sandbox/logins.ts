import { now } from "../core/clock.ts";
import { randomHex } from "../core/ids.ts";
import type { Platform } from "../core/platforms.ts";
import { SECOND } from "../core/time.ts";
import { readSandboxName } from "./login.ts";
import type { CallOrigin } from "./simulator.ts";
import type { SandboxStore } from "./store.ts";

export type TokenKind = "access" | "refresh";

/** Tokens belong to a team: a refresh for one of two teams that use the same name spares the other. */
export const LOGINS_SCHEMA = `
CREATE TABLE IF NOT EXISTS logins (
  platform TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  token TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (platform, team_id, token)
);
CREATE INDEX IF NOT EXISTS logins_by_name ON logins (platform, team_id, name);
`;

/** Far away: what a person gave consent to does not end by itself here. */
const FOR_EVER = 8_640_000_000_000_000;

/**
 * Tokens of a simulated platform, and whose they are. Those that a person's consent led to name the
 * account themselves (see `sandboxCredentials`): they are good until they are ended.
 */
export class Logins {
  readonly #store: SandboxStore;
  readonly #platform: Platform;
  readonly #teamId: number;

  constructor(store: SandboxStore, platform: Platform, { teamId }: CallOrigin) {
    this.#store = store;
    this.#platform = platform;
    this.#teamId = teamId;
  }

  /** The name of the account whose token it is; `expired` once it has ended, null for a stranger's. */
  nameOf(token: string, kind: TokenKind): string | "expired" | null {
    const [row] = this.#store.sql
      .exec<{ name: string; expires_at: number }>(
        "SELECT name, expires_at FROM logins WHERE platform = ? AND team_id = ? AND token = ? AND kind = ?",
        this.#platform,
        this.#teamId,
        token,
        kind,
      )
      .toArray();
    if (row) return row.expires_at > now().getTime() ? row.name : "expired";
    const name = this.#nameIn(token, kind);
    if (name !== null) this.#write(token, kind, name, FOR_EVER);
    return name;
  }

  /** A new token of this account. */
  issue(name: string, kind: TokenKind, lifeSeconds: number): string {
    const token = `${this.#platform}-${kind}-${randomHex(20)}`;
    this.#write(token, kind, name, now().getTime() + lifeSeconds * SECOND);
    return token;
  }

  /** Ends a token; what it was good for is refused as expired from now on. */
  end(token: string): void {
    this.#end("token = ?3", token);
  }

  /** Ends every token of an account that was in use. */
  endAll(name: string): void {
    this.#end("name = ?3", name);
  }

  #end(which: string, value: string): void {
    this.#store.sql.exec(
      `UPDATE logins SET expires_at = 0 WHERE platform = ?1 AND team_id = ?2 AND ${which}`,
      this.#platform,
      this.#teamId,
      value,
    );
  }

  #write(token: string, kind: TokenKind, name: string, expiresAt: number): void {
    this.#store.sql.exec(
      "INSERT INTO logins (platform, team_id, token, kind, name, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
      this.#platform,
      this.#teamId,
      token,
      kind,
      name,
      expiresAt,
    );
  }

  #nameIn(token: string, kind: TokenKind): string | null {
    const prefix = `${kind === "access" ? "sandbox" : "sandbox-refresh"}.${this.#platform}.`;
    return token.startsWith(prefix) ? readSandboxName(token.slice(prefix.length)) : null;
  }
}

/** `count` digits, up to 18, that are the same for the same name and differ from platform to platform. */
export async function digitsOf(platform: Platform, name: string, count: number): Promise<string> {
  const bytes = new TextEncoder().encode(`${platform} ${name}`);
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return String(new DataView(hash).getBigUint64(0)).padStart(20, "1").slice(-count);
}

/** A user name of lower-case letters, digits and underscores for an account of this name. */
export function usernameOf(name: string, most: number): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const label = plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  return label.slice(0, most) || "account";
}
