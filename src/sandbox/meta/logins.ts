import { now } from "../../core/clock.ts";
import { DAY, HOUR, SECOND } from "../../core/time.ts";
import { Logins } from "../kit/logins.ts";
import type { Refusal } from "../kit/refusal.ts";
import { type GraphCall, graphError, invalidParameter } from "./graph.ts";

/** Life of a token that a login in the browser leads to. Source: Meta, "Long-lived tokens". */
const SHORT_SECONDS = HOUR / SECOND;
/** Age at which a long-lived token can be renewed. Source: Meta, "Long-lived tokens". */
const RENEWABLE_AFTER_MS = DAY;

const invalidToken = (): Refusal =>
  graphError(190, "Invalid OAuth access token - Cannot parse access token", { status: 401 });

export const expiredToken = (): Refusal =>
  graphError(190, "Error validating access token: Session has expired", {
    subcode: 463,
    status: 401,
  });

/**
 * The tokens of Instagram and Threads: short-lived ones are exchanged for long-lived ones, which renew
 * themselves while they live.
 */
export class MetaLogins {
  readonly #platform: "instagram" | "threads";
  readonly #grant: "ig" | "th";
  readonly #lifeSeconds: number;

  /** @param lifeSeconds of a long-lived token */
  constructor(platform: "instagram" | "threads", grant: "ig" | "th", lifeSeconds: number) {
    this.#platform = platform;
    this.#grant = grant;
    this.#lifeSeconds = lifeSeconds;
  }

  /**
   * The name of the account whose token the call carries.
   *
   * @throws Refusal 104 without a token, 190 for one that is not good
   */
  authenticate(call: GraphCall): { name: string; token: string } {
    const { token } = call.var;
    if (!token) throw graphError(104, "An access token is required to request this resource.");
    const name = this.#of(call).nameOf(token, "access", "short");
    if (name === null) throw invalidToken();
    if (name === "expired") throw expiredToken();
    return { name, token };
  }

  /** A new token of an hour, as a code leads to. */
  issueShort(call: GraphCall, name: string): string {
    return this.#of(call).issue(name, "short", SHORT_SECONDS);
  }

  /** Gives a long-lived token for a short-lived one. Which app asks does not matter here. */
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

  /** Gives out a new token; the old one lives on to its end, as it does there. */
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

  #of({ env: { store, origin } }: GraphCall): Logins {
    // A long-lived token that somebody brings along is a day old.
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
