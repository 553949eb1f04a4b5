import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import type { Platform } from "../../core/platforms.ts";
import { SECOND } from "../../core/time.ts";
import { readSandboxName } from "./login.ts";
import type { CallOrigin } from "./origin.ts";
import { integer, type RowOf, Table, text } from "./table.ts";

/**
 * `short`: a token of an hour or so, as a login in the browser first leads to at Meta, there to be
 * exchanged. `person`: a person's own token where those of their pages are others. `service`: a token
 * for one method of another server, as Bluesky has them.
 */
export type TokenKind = "access" | "refresh" | "short" | "person" | "service";

/** Tokens belong to a team, so that a refresh for one of two teams with the same name spares the other. */
export const loginsTable = new Table(
  "logins",
  {
    platform: text<Platform>(),
    team_id: integer(),
    token: text(),
    kind: text<TokenKind>(),
    name: text(),
    /** Epoch ms; `REVOKED` for a token that was ended at once. */
    expires_at: integer(),
  },
  {
    constraint: "PRIMARY KEY (platform, team_id, token)",
    indexes: { by_name: "platform, team_id, name" },
  },
);

/** The origin of tokens that every team may use. */
export const ANY_TEAM = { teamId: 0 };

/** The last moment there is: without a life given, the tokens of a consent never expire. */
const FOR_EVER = 8_640_000_000_000_000;

/** The `expires_at` of a token that was ended at once. */
export const REVOKED = 0;

/** Life of the tokens of a person's consent, in seconds from the first use of the login. */
type GivenLives = Partial<Record<"access" | "refresh" | "short", number>>;

/** The prefixes of such tokens, by their kind. */
const GIVEN = { access: "sandbox", refresh: "sandbox-refresh", short: "sandbox-short" } as const;

export type Login = RowOf<typeof loginsTable>;

/**
 * Tokens of a simulated platform, and their accounts. Tokens that come from a person's consent name the
 * account themselves (see `sandboxCredentials`).
 */
export class Logins {
  readonly #store: { sql: SqlStorage };
  readonly #platform: Platform;
  /** Limits rows to this platform and team. */
  readonly #own: { platform: Platform; team_id: number };
  readonly #lives: GivenLives;

  constructor(
    sql: SqlStorage,
    platform: Platform,
    { teamId }: Pick<CallOrigin, "teamId">,
    lives: GivenLives = {},
  ) {
    this.#store = { sql };
    this.#platform = platform;
    this.#own = { platform, team_id: teamId };
    this.#lives = lives;
  }

  /** The name of the account whose token it is; `expired` once it has ended, null for a stranger's. */
  nameOf(token: string, ...kinds: TokenKind[]): string | "expired" | null {
    const login = this.find(token);
    if (!login || !kinds.includes(login.kind)) return null;
    return login.expires_at > now().getTime() ? login.name : "expired";
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
    const expires_at = Math.min(this.#stored(token)?.expires_at ?? at, at);
    loginsTable.update(this.#store, { ...this.#own, token }, { expires_at });
  }

  /** Ends every token of an account that was in use, or those of one kind. */
  endAll(name: string, kind: TokenKind | null = null): void {
    const ended = { ...this.#own, name, ...(kind && { kind }) };
    loginsTable.update(this.#store, ended, { expires_at: REVOKED });
  }

  /** Forgets tokens that expired by themselves before a moment in epoch ms. */
  forget(before: number): void {
    const between = "AND expires_at > ? AND expires_at < ?";
    loginsTable.delete(this.#store, this.#own, between, REVOKED, before);
  }

  #stored(token: string): Login | null {
    return loginsTable.find(this.#store, { ...this.#own, token });
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
    loginsTable.insert(
      this.#store,
      { ...this.#own, token, kind, name, expires_at: expiresAt },
      "OR IGNORE",
    );
  }
}

/** Ends the login that a token belongs to, whichever platform gave it out. */
export function endLogin(sql: SqlStorage, { teamId }: CallOrigin, token: string): void {
  const row = loginsTable.find(
    { sql },
    { token },
    "AND team_id IN (?, ?)",
    teamId,
    ANY_TEAM.teamId,
  );
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
