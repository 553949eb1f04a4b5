import type { Logins } from "./logins.ts";
import type { Refusal } from "./refusal.ts";

interface RefreshRefusals {
  wrongGrant(grant: string | null): Refusal;
  missing?(field: string): Refusal;
  invalidToken(): Refusal;
}

/** @throws Refusal for a missing field or an invalid token */
export function refreshOf(
  form: URLSearchParams,
  logins: Logins,
  refusals: RefreshRefusals,
  required: string[] = [],
): { name: string; token: string } {
  const grant = form.get("grant_type");
  if (grant !== "refresh_token") throw refusals.wrongGrant(grant);
  const missing = required.find((field) => form.get(field) === null);
  if (missing && refusals.missing) throw refusals.missing(missing);
  const token = form.get("refresh_token") ?? "";
  const name = logins.liveNameOf(token, "refresh");
  if (name === null) throw refusals.invalidToken();
  return { name, token };
}

/** For platforms whose refresh tokens work once. */
export function takeRefreshToken(
  form: URLSearchParams,
  logins: Logins,
  refusals: RefreshRefusals,
): string {
  const { name, token } = refreshOf(form, logins, refusals);
  logins.end(token);
  return name;
}
