import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import type { Platform } from "../../core/platforms.ts";
import { SECOND } from "../../core/time.ts";
import { readSandboxName } from "./login.ts";
import type { CallOrigin } from "./origin.ts";
import { integer, type RowOf, Table, text } from "./table.ts";

/**
 * `short`: Meta's token of about an hour. `person`: a Facebook user's token, not a Page's. `service`: Bluesky's token
 * for one method of another server.
 */
export type TokenKind = "access" | "refresh" | "short" | "person" | "service";

export const loginsTable = new Table(
  "logins",
  {
    platform: text<Platform>(),
    team_id: integer(),
    token: text(),
    kind: text<TokenKind>(),
    name: text(),
    /** Epoch ms; `REVOKED` for a revoked token. */
    expires_at: integer(),
  },
  {
    constraint: "PRIMARY KEY (platform, team_id, token)",
    indexes: { by_name: "platform, team_id, name" },
  },
);

export const ANY_TEAM = { teamId: 0 };

/** The latest `Date`, for tokens of a consent without lifetime. */
const FOR_EVER = 8_640_000_000_000_000;

export const REVOKED = 0;

/** In seconds from the login's first use. */
type ConsentLives = Partial<Record<"access" | "refresh" | "short", number>>;

const CONSENT_PREFIXES = {
  access: "sandbox",
  refresh: "sandbox-refresh",
  short: "sandbox-short",
} as const;

export type Login = RowOf<typeof loginsTable>;

export class Logins {
  readonly #store: { sql: SqlStorage };
  readonly #platform: Platform;
  readonly #own: { platform: Platform; team_id: number };
  readonly #lives: ConsentLives;

  constructor(
    sql: SqlStorage,
    platform: Platform,
    { teamId }: Pick<CallOrigin, "teamId">,
    lives: ConsentLives = {},
  ) {
    this.#store = { sql };
    this.#platform = platform;
    this.#own = { platform, team_id: teamId };
    this.#lives = lives;
  }

  nameOf(token: string, ...kinds: TokenKind[]): string | "expired" | null {
    const login = this.find(token);
    if (!login || !kinds.includes(login.kind)) return null;
    return login.expires_at > now().getTime() ? login.name : "expired";
  }

  liveNameOf(token: string, ...kinds: TokenKind[]): string | null {
    const name = this.nameOf(token, ...kinds);
    return name === "expired" ? null : name;
  }

  find(token: string): Login | null {
    return this.#stored(token) ?? this.#accept(token);
  }

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

  /** `at` is epoch ms. */
  end(token: string, at = REVOKED): void {
    const expires_at = Math.min(this.#stored(token)?.expires_at ?? at, at);
    loginsTable.update(this.#store, { ...this.#own, token }, { expires_at });
  }

  /** Without a kind, revokes all. */
  endAll(name: string, kind: TokenKind | null = null): void {
    const ended = { ...this.#own, name, ...(kind && { kind }) };
    loginsTable.update(this.#store, ended, { expires_at: REVOKED });
  }

  /** Deletes tokens that expired before `before` (epoch ms). Revoked tokens stay. */
  forget(before: number): void {
    const between = "AND expires_at > ? AND expires_at < ?";
    loginsTable.delete(this.#store, this.#own, between, REVOKED, before);
  }

  #stored(token: string): Login | null {
    return loginsTable.find(this.#store, { ...this.#own, token });
  }

  /** The first use of either token of a consent stores both. */
  #accept(token: string): Login | null {
    const kinds = ["access", "refresh", "short"] as const;
    const kind = kinds.find((one) =>
      token.startsWith(`${CONSENT_PREFIXES[one]}.${this.#platform}.`),
    );
    if (!kind) return null;
    const login = token.slice(`${CONSENT_PREFIXES[kind]}.${this.#platform}.`.length);
    const name = readSandboxName(login);
    if (name === null) return null;
    for (const one of kind === "short" ? [kind] : (["access", "refresh"] as const)) {
      const life = this.#lives[one];
      const expiresAt = life === undefined ? FOR_EVER : now().getTime() + life * SECOND;
      this.save(`${CONSENT_PREFIXES[one]}.${this.#platform}.${login}`, one, name, expiresAt);
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

/** `count` is at most 18. */
export async function digitsOf(platform: Platform, name: string, count: number): Promise<string> {
  const bytes = new TextEncoder().encode(`${platform} ${name}`);
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return String(new DataView(hash).getBigUint64(0)).padStart(20, "1").slice(-count);
}

export function usernameOf(name: string, max: number): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const label = plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  return label.slice(0, max) || "account";
}
