import { env } from "cloudflare:workers";
import { randomHex } from "../../src/core/ids.ts";
import { sha256Hex } from "../../src/core/signature.ts";
import { sessionToken } from "../../src/features/auth/cookie.ts";
import { TEAM_COOKIE } from "../../src/features/auth/signed-in.ts";
import { FORM_TEAM } from "../../src/pages/team-form.tsx";
import type { Harness } from "./harness.ts";
import { sessionCookie } from "./session-cookie.ts";

const ORIGIN = "https://akimbo.test";
const SESSION_MS = 30 * 86_400_000;

type Fields = Record<string, string | string[] | Blob>;

/** The addresses that the forms of a page are sent to. */
export const formsOf = (html: string): string[] =>
  [...html.matchAll(/<form\b[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => tag.includes('method="post"'))
    .map((tag) => (/ action="([^"]*)"/.exec(tag)?.[1] ?? "").replaceAll("&amp;", "&"));

/** A person's browser: it keeps cookies, says where its forms come from, and follows no redirect. */
export class Browser {
  private readonly cookies = new Map<string, string>();
  private readonly harness: Harness;

  constructor(harness: Harness) {
    this.harness = harness;
  }

  /** Signs in without the sign-in: a session row and its cookie. */
  async signIn({ userId }: { userId: number }, origin = ORIGIN): Promise<this> {
    const token = randomHex(16);
    const now = this.harness.deps.now().getTime();
    await env.DB.prepare(
      `INSERT INTO sessions (token_hash, user_id, created_at, updated_at, expires_at)
       VALUES (?1, ?2, ?3, ?3, ?4)`,
    )
      .bind(await sha256Hex(token), userId, now, now + SESSION_MS)
      .run();
    return this.keepSession(token, this.signingKey(), origin);
  }

  private async keepSession(token: string, signingKey: string, origin = ORIGIN): Promise<this> {
    const [name, value] = await sessionCookie(token, { origin, signingKey });
    this.cookies.set(name, value);
    return this;
  }

  /** Looks at this team from now on. */
  show(teamId: number): this {
    this.cookies.set(TEAM_COOKIE, String(teamId));
    return this;
  }

  /** Has a session's cookie that another key has signed. */
  async forgeSession(): Promise<this> {
    return this.keepSession(randomHex(16), "another signing key");
  }

  get(path: string): Promise<Page> {
    return this.send(path, { method: "GET" });
  }

  /** Sends a form of a page: one behind the sign-in names the team that the person looks at. */
  async post(path: string, fields: Fields = {}): Promise<Page> {
    return this.sendForm(await this.withTeam(path), fields);
  }

  /** Sends a form to the address as it is given. */
  sendForm(path: string, fields: Fields = {}): Promise<Page> {
    const hasFile = Object.values(fields).some((value) => value instanceof Blob);
    const body = hasFile ? new FormData() : new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) {
      for (const one of [value].flat()) body.append(name, one as string);
    }
    return this.send(path, { method: "POST", body });
  }

  private async withTeam(path: string): Promise<string> {
    const { pathname, searchParams } = new URL(path, ORIGIN);
    if (!pathname.startsWith("/app/") || searchParams.has(FORM_TEAM)) return path;
    const team = this.cookies.get(TEAM_COOKIE) ?? (await this.ownTeam());
    return team === null ? path : `${path}${path.includes("?") ? "&" : "?"}${FORM_TEAM}=${team}`;
  }

  /** The team that is shown to somebody who has chosen none; null for nobody. */
  private async ownTeam(): Promise<string | null> {
    const token = await sessionToken(this.cookieHeader(), ORIGIN, this.signingKey());
    if (token === null) return null;
    const row = await env.DB.prepare(
      `SELECT t.id FROM sessions s JOIN teams t ON t.owner_id = s.user_id WHERE s.token_hash = ?`,
    )
      .bind(await sha256Hex(token))
      .first<{ id: number }>();
    return row ? String(row.id) : null;
  }

  private signingKey(): string {
    return this.harness.deps.config.signingKey;
  }

  private cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** A file of a page. */
  async bytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const headers = { cookie: this.cookieHeader(), "sec-fetch-site": "same-origin" };
    const response = await this.harness.request(path, { headers });
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  async send(path: string, init: RequestInit): Promise<Page> {
    const headers = new Headers(init.headers);
    if (this.cookies.size > 0) headers.set("cookie", this.cookieHeader());
    if (!headers.has("sec-fetch-site")) headers.set("sec-fetch-site", "same-origin");
    const response = await this.harness.request(path, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    const { status } = response;
    const location = response.headers.get("location");
    return { status, location, headers: response.headers, html: await response.text() };
  }

  private keep(setCookie: string): void {
    const [pair = "", ...attributes] = setCookie.split(";");
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    const isOver = attributes.some((one) => /^\s*max-age=0$/i.test(one));
    if (isOver) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(at + 1));
  }
}

export interface Page {
  status: number;
  location: string | null;
  headers: Headers;
  html: string;
}
