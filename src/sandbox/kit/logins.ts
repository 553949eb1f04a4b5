import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import type { Platform } from "../../core/platforms.ts";
import { SECOND } from "../../core/time.ts";
import { readSandboxName } from "./login.ts";
import type { CallOrigin } from "./origin.ts";

/**
 * `short`: a token of an hour or so, as a login in the browser first leads to at Meta, there to be
 * exchanged. `person`: a person's own token where those of their pages are others. `service`: a token
 * for one method of another server, as Bluesky has them.
 */
export type TokenKind = "access" | "refresh" | "short" | "person" | "service";

/** Tokens belong to a team, so that a refresh for one of two teams with the same name spares the other. */
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

/** The origin of tokens that every team may use. */
export const ANY_TEAM = { teamId: 0 };

/** The last moment there is: without a life given, the tokens of a consent never expire. */
const FOR_EVER = 8_640_000_000_000_000;

/** The `expiresAt` of a token that was ended at once. */
export const REVOKED = 0;

/** Life of the tokens of a person's consent, in seconds from the first use of the login. */
type GivenLives = Partial<Record<"access" | "refresh" | "short", number>>;

/** The prefixes of such tokens, by their kind. */
const GIVEN = { access: "sandbox", refresh: "sandbox-refresh", short: "sandbox-short" } as const;

export interface Login {
  name: string;
  kind: TokenKind;
  /** Epoch ms; `REVOKED` for a token that was ended at once. */
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
    return this.#stored(token) ?? this.#accept(token);
  }

  /** A new token of this account, which begins with `lead`. */
  issue(
    name: string,
    kind: TokenKind,
    lifeSeconds: number,
    lead = `${this.#platform}-${kind}-`,
  ): string {
    const token = `${lead}${randomHex(20)}`;
    this.save(token, kind, name, now().getTime() + lifeSeconds * SECOND);
    return token;
  }

  /** Ends a token: at once, or at a moment in epoch ms. It is refused as expired from then on. */
  end(token: string, at = REVOKED): void {
    this.#sql.exec(
      `UPDATE logins SET expires_at = min(expires_at, ?)
       WHERE platform = ? AND team_id = ? AND token = ?`,
      at,
      this.#platform,
      this.#teamId,
      token,
    );
  }

  /** Ends every token of an account that was in use, or those of one kind. */
  endAll(name: string, kind: TokenKind | null = null): void {
    this.#sql.exec(
      `UPDATE logins SET expires_at = ?1
       WHERE platform = ?2 AND team_id = ?3 AND name = ?4 AND (?5 IS NULL OR kind = ?5)`,
      REVOKED,
      this.#platform,
      this.#teamId,
      name,
      kind,
    );
  }

  /** Forgets tokens that expired by themselves before a moment in epoch ms. */
  forget(before: number): void {
    this.#sql.exec(
      "DELETE FROM logins WHERE platform = ? AND team_id = ? AND expires_at > ? AND expires_at < ?",
      this.#platform,
      this.#teamId,
      REVOKED,
      before,
    );
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
  #accept(token: string): Login | null {
    const kinds = ["access", "refresh", "short"] as const;
    const kind = kinds.find((one) => token.startsWith(`${GIVEN[one]}.${this.#platform}.`));
    if (!kind) return null;
    const login = token.slice(`${GIVEN[kind]}.${this.#platform}.`.length);
    const name = readSandboxName(login);
    if (name === null) return null;
    for (const one of kind === "short" ? [kind] : (["access", "refresh"] as const)) {
      const life = this.#lives[one];
      const expiresAt = life === undefined ? FOR_EVER : now().getTime() + life * SECOND;
      this.save(`${GIVEN[one]}.${this.#platform}.${login}`, one, name, expiresAt);
    }
    return this.#stored(token);
  }

  /** @param expiresAt epoch ms */
  save(token: string, kind: TokenKind, name: string, expiresAt: number): void {
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
export function endLogin(sql: SqlStorage, { teamId }: CallOrigin, token: string): void {
  const [row] = sql
    .exec<{ platform: Platform; team_id: number; name: string }>(
      "SELECT platform, team_id, name FROM logins WHERE team_id IN (?, ?) AND token = ?",
      teamId,
      ANY_TEAM.teamId,
      token,
    )
    .toArray();
  if (row) new Logins(sql, row.platform, { teamId: row.team_id }).endAll(row.name);
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
