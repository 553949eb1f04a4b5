import { readForm } from "./input.ts";
import type { Logins } from "./logins.ts";
import type { Refusal } from "./refusal.ts";
import type { Call } from "./simulator.ts";

/** A platform's refusals of a refresh, in the order in which they are looked for. */
interface RefreshRefusals {
  notForm(): Refusal;
  /** @param grant what the form asks for */
  wrongGrant(grant: string | null): Refusal;
  missing?(field: string): Refusal;
  invalidToken(): Refusal;
}

/**
 * The live refresh token that the form brings, and the name of its account.
 *
 * @param required fields that the form must have, whatever stands in them
 * @throws Refusal in the platform's words
 */
export async function readRefresh(
  call: Call,
  logins: Logins,
  refusals: RefreshRefusals,
  required: string[] = [],
): Promise<{ name: string; token: string }> {
  const form = await readForm(call);
  if (!form) throw refusals.notForm();
  return refreshOf(form, logins, refusals, required);
}

/** As `readRefresh`, of a form that was read. @throws Refusal in the platform's words */
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
