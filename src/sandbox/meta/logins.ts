import { now } from "../../core/clock.ts";
import { DAY, HOUR, SECOND } from "../../core/time.ts";
import { Logins } from "../kit/logins.ts";
import type { Refusal } from "../kit/refusal.ts";
import { type GraphCall, graphError, invalidParameter } from "./graph.ts";

/** Source: Meta, "Long-lived tokens". */
const SHORT_SECONDS = HOUR / SECOND;
/** Source: Meta, "Long-lived tokens". */
const RENEWABLE_AFTER_MS = DAY;

const invalidToken = (): Refusal =>
  graphError(190, "Invalid OAuth access token - Cannot parse access token", { status: 401 });

export const expiredToken = (): Refusal =>
  graphError(190, "Error validating access token: Session has expired", {
    subcode: 463,
    status: 401,
  });

export class MetaLogins {
  readonly #platform: "instagram" | "threads";
  readonly #grant: "ig" | "th";
  readonly #lifeSeconds: number;

  constructor(platform: "instagram" | "threads", grant: "ig" | "th", lifeSeconds: number) {
    this.#platform = platform;
    this.#grant = grant;
    this.#lifeSeconds = lifeSeconds;
  }

  /** @throws Refusal 104 without a token, 190 for an invalid one */
  authenticate(call: GraphCall): { name: string; token: string } {
    const { token } = call.var;
    if (!token) throw graphError(104, "An access token is required to request this resource.");
    const name = this.#of(call).nameOf(token, "access", "short");
    if (name === null) throw invalidToken();
    if (name === "expired") throw expiredToken();
    return { name, token };
  }

  issueShort(call: GraphCall, name: string): string {
    return this.#of(call).issue(name, "short", SHORT_SECONDS);
  }

  exchange(call: GraphCall): Response {
    this.#requireGrant(call, `${this.#grant}_exchange_token`);
    if (!call.var.params.get("client_secret")) {
      throw graphError(101, "Missing client_secret parameter.");
    }
    const { name, token } = this.authenticate(call);
    if (this.#of(call).find(token)?.kind !== "short") {
      throw graphError(452, "Session key invalid. The session key has an incorrect format.");
    }
    return this.#issue(call, name);
  }

  /** The old token stays valid. */
  renew(call: GraphCall): Response {
    this.#requireGrant(call, `${this.#grant}_refresh_token`);
    const { name, token } = this.authenticate(call);
    const login = this.#of(call).find(token);
    if (login?.kind !== "access") {
      throw invalidParameter("The access token is short-lived: it has to be exchanged.");
    }
    const issuedAt = login.expires_at - this.#lifeSeconds * SECOND;
    if (now().getTime() < issuedAt + RENEWABLE_AFTER_MS) {
      throw invalidParameter("The access token is less than 24 hours old.");
    }
    return this.#issue(call, name);
  }

  /** Epoch ms, like `issuedAt`. */
  expiresAt(call: GraphCall, token: string): number {
    return this.#of(call).find(token)?.expires_at ?? 0;
  }

  issuedAt(call: GraphCall, token: string): number {
    const isShort = this.#of(call).find(token)?.kind === "short";
    return this.expiresAt(call, token) - (isShort ? SHORT_SECONDS : this.#lifeSeconds) * SECOND;
  }

  #of({ env: { store, origin } }: GraphCall): Logins {
    // A consent's long-lived token starts a day old, so that it can be renewed at once.
    const lives = { access: this.#lifeSeconds - DAY / SECOND, short: SHORT_SECONDS };
    return new Logins(store.sql, this.#platform, origin, lives);
  }

  #requireGrant({ var: { params } }: GraphCall, grant: string): void {
    if (params.get("grant_type") === grant) return;
    throw invalidParameter(`Invalid grant_type: must be ${grant}`);
  }

  #issue(call: GraphCall, name: string): Response {
    return Response.json({
      access_token: this.#of(call).issue(name, "access", this.#lifeSeconds),
      token_type: "bearer",
      expires_in: this.#lifeSeconds,
    });
  }
}
