import { now } from "../../core/clock.ts";
import { DAY, HOUR, SECOND } from "../../core/time.ts";
import { Logins } from "../kit/logins.ts";
import { type GraphCall, graphError, invalidParameter } from "../meta/graph.ts";

/** Not published by Meta; other programs report ten minutes. */
export const CODE_SECONDS = 600;
export const SHORT_SECONDS = HOUR / SECOND;
/** Life of a person's exchanged token. Source: Meta, "Get Long-Lived Tokens". */
const PERSON_SECONDS = (60 * DAY) / SECOND;
/** A hundred years, because a Page's token from a long-lived token never expires. */
const PAGE_SECONDS = 3_155_760_000;
export const ENDLESS_MS = 3_650 * DAY;

/** A consent page's token acts both as the person and as the Page. */
const isOfConsent = (token: string): boolean => token.startsWith("sandbox.facebook.");

export const loginsOf = ({ env: { store, origin } }: GraphCall): Logins =>
  new Logins(store.sql, "facebook", origin, { short: SHORT_SECONDS });

export function isOfPerson(call: GraphCall, token: string): boolean {
  const kind = loginsOf(call).find(token)?.kind;
  return isOfConsent(token) || kind === "person" || kind === "short";
}

/** Expires no later than the short-lived token that requested it. */
export function issuePageToken(call: GraphCall, login: string, token: string): string {
  const logins = loginsOf(call);
  const from = logins.find(token);
  const remainingSeconds = ((from?.expires_at ?? 0) - now().getTime()) / SECOND;
  return logins.issue(login, "access", from?.kind === "short" ? remainingSeconds : PAGE_SECONDS);
}

export function exchangeToken(call: GraphCall): Response {
  const { params } = call.var;
  if (params.get("grant_type") !== "fb_exchange_token") {
    throw invalidParameter("Invalid grant_type: must be fb_exchange_token");
  }
  for (const name of ["client_id", "client_secret", "fb_exchange_token"]) {
    if (!params.get(name)) throw graphError(101, `Missing ${name} parameter.`);
  }
  const logins = loginsOf(call);
  const token = params.get("fb_exchange_token") ?? "";
  const name = logins.nameOf(token, "person", "short");
  if (name === null) throw invalidParameter("The access token cannot be exchanged.");
  if (name === "expired") {
    throw graphError(190, "Error validating access token: Session has expired", {
      subcode: 463,
    });
  }
  return Response.json({
    access_token: logins.issue(name, "person", PERSON_SECONDS),
    token_type: "bearer",
    expires_in: PERSON_SECONDS,
  });
}
