import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import type { Platform } from "../../core/platforms.ts";
import { SECOND } from "../../core/time.ts";
import { readSandboxName } from "./login.ts";
import type { CallOrigin } from "./origin.ts";

/**
 * `short`: a token of an hour or so, as a login in the browser first leads to at Meta, there to be
 * exchanged. `person`: a person's own token where those of their pages are others.
 */
export type TokenKind = "access" | "refresh" | "short" | "person";

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

/** Far away: where no life is given, what a person gave consent to does not end by itself here. */
const FOR_EVER = 8_640_000_000_000_000;

/** How long tokens live that a person's consent led to, in seconds from the first use of the login. */
export type GivenLives = Partial<Record<"access" | "refresh" | "short", number>>;

/** How such tokens begin, by their kind. */
const GIVEN = { access: "sandbox", refresh: "sandbox-refresh", short: "sandbox-short" } as const;

export interface Login {
  name: string;
  kind: TokenKind;
  /** Epoch ms. */
  expiresAt: number;
}

/**
 * Tokens of a simulated platform, and whose they are. Those that a person's consent led to name the
 * account themselves (see `sandboxCredentials`).
 */
export class Logins {
  readonly #sql: SqlStorage;
  readonly #platform: Platform;
  readonly #teamId: number;
  readonly #lives: GivenLives;

  constructor(
    sql: SqlStorage,
    platform: Platform,
    { teamId }: Pick<CallOrigin, "teamId">,
    lives: GivenLives = {},
  ) {
    this.#sql = sql;
    this.#platform = platform;
    this.#teamId = teamId;
    this.#lives = lives;
  }

  /** The name of the account whose token it is; `expired` once it has ended, null for a stranger's. */
  nameOf(token: string, ...kinds: TokenKind[]): string | "expired" | null {
    const login = this.find(token);
    if (!login || !kinds.includes(login.kind)) return null;
    return login.expiresAt > now().getTime() ? login.name : "expired";
  }

  /** The name of the account whose token it is, while the token lives. */
  liveNameOf(token: string, ...kinds: TokenKind[]): string | null {
    const name = this.nameOf(token, ...kinds);
    return name === "expired" ? null : name;
  }

  /** A token of this platform, ended or not; null for a stranger's. */
  find(token: string): Login | null {
    return this.#stored(token) ?? this.#welcome(token);
  }

  /** A new token of this account, which begins with `lead`. */
  issue(
    name: string,
    kind: TokenKind,
    lifeSeconds: number,
    lead = `${this.#platform}-${kind}-`,
  ): string {
    const token = `${lead}${randomHex(20)}`;
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

  #stored(token: string): Login | null {
    const [row] = this.#sql
      .exec<{ name: string; kind: TokenKind; expires_at: number }>(
        "SELECT name, kind, expires_at FROM logins WHERE platform = ? AND team_id = ? AND token = ?",
        this.#platform,
        this.#teamId,
        token,
      )
      .toArray();
    return row ? { name: row.name, kind: row.kind, expiresAt: row.expires_at } : null;
  }

  /** All tokens of a consent come into being with the first of them. */
  #welcome(token: string): Login | null {
    const kinds = ["access", "refresh", "short"] as const;
    const kind = kinds.find((one) => token.startsWith(`${GIVEN[one]}.${this.#platform}.`));
    if (!kind) return null;
    const login = token.slice(`${GIVEN[kind]}.${this.#platform}.`.length);
    const name = readSandboxName(login);
    if (name === null) return null;
    for (const one of kind === "short" ? [kind] : (["access", "refresh"] as const)) {
      const life = this.#lives[one];
      const expiresAt = life === undefined ? FOR_EVER : now().getTime() + life * SECOND;
      this.#write(`${GIVEN[one]}.${this.#platform}.${login}`, one, name, expiresAt);
    }
    return this.#stored(token);
  }

  #end(which: string, value: string): void {
    this.#sql.exec(
      `UPDATE logins SET expires_at = 0 WHERE platform = ?1 AND team_id = ?2 AND ${which}`,
      this.#platform,
      this.#teamId,
      value,
    );
  }

  #write(token: string, kind: TokenKind, name: string, expiresAt: number): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO logins (platform, team_id, token, kind, name, expires_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      this.#platform,
      this.#teamId,
      token,
      kind,
      name,
      expiresAt,
    );
  }
}

/** Ends the login that a token belongs to, whichever platform gave it out. */
export function endLogin(sql: SqlStorage, origin: CallOrigin, token: string): void {
  const [row] = sql
    .exec<{ platform: Platform; name: string }>(
      "SELECT platform, name FROM logins WHERE team_id = ? AND token = ?",
      origin.teamId,
      token,
    )
    .toArray();
  if (row) new Logins(sql, row.platform, origin).endAll(row.name);
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
