import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import type { Platform } from "../../core/platforms.ts";
import { SECOND } from "../../core/time.ts";
import type { Refusal } from "./refusal.ts";
import type { Call } from "./simulator.ts";
import { flag, integer, json, key, optional, type RowOf, Table, text } from "./table.ts";

export const codesTable = new Table("codes", {
  code: key(),
  platform: text<Platform>(),
  team_id: integer(),
  client_id: text(),
  name: text(),
  scopes: json<string[]>(),
  redirect_uri: text(),
  /** PKCE's S256 challenge. */
  challenge: optional(text()),
  /** Needed by the platform when the code is redeemed. */
  note: optional(text()),
  /** Milliseconds since 1970. */
  expires_at: integer(),
  is_used: flag(),
});

export type Code = RowOf<typeof codesTable>;

type NewCode = Pick<Code, "client_id" | "name" | "scopes" | "redirect_uri" | "challenge" | "note">;

export function issueCode(
  { env: { store, origin } }: Pick<Call, "env">,
  platform: Platform,
  code: NewCode,
  lifeSeconds: number,
): string {
  const value = randomHex(32);
  const row = { ...code, code: value, platform, team_id: origin.teamId };
  codesTable.insert(store, { ...row, expires_at: now().getTime() + lifeSeconds * SECOND });
  return value;
}

export function takeCodeOf(
  { env: { store, origin } }: Pick<Call, "env">,
  platform: Platform,
  value: string | null,
): Code | "unknown" | "used" | "expired" {
  const own = { code: value ?? "", platform, team_id: origin.teamId };
  const code = codesTable.find(store, own);
  if (!code) return "unknown";
  if (code.is_used) return "used";
  if (code.expires_at <= now().getTime()) return "expired";
  codesTable.update(store, own, { is_used: true });
  return code;
}

interface CodeRefusals {
  dead(why: "unknown" | "used" | "expired"): Refusal;
  otherClient(): Refusal;
  otherRedirect(): Refusal;
  otherVerifier?(isMissing: boolean): Refusal;
}

/** @throws Refusal for an invalid or foreign code */
export async function redeemCode(
  call: Call,
  platform: Platform,
  { form, clientId }: { form: URLSearchParams; clientId: string | null },
  refusals: CodeRefusals,
): Promise<Code> {
  const code = takeCodeOf(call, platform, form.get("code"));
  if (typeof code === "string") throw refusals.dead(code);
  if (code.client_id !== clientId) throw refusals.otherClient();
  if (code.redirect_uri !== form.get("redirect_uri")) throw refusals.otherRedirect();
  const verifier = form.get("code_verifier");
  const isProven = await isVerifierOf(verifier, code.challenge);
  if (!isProven && refusals.otherVerifier) throw refusals.otherVerifier(verifier === null);
  return code;
}

/** True for an empty `oneOf`, and without a consent page. */
export function hasScope(
  call: Pick<Call, "env">,
  platform: Platform,
  name: string,
  ...oneOf: readonly string[]
): boolean {
  const scopes = scopesOf(call, platform, name);
  return scopes === null || oneOf.length === 0 || oneOf.some((scope) => scopes.includes(scope));
}

/** Null without a consent page. */
function newestConsent(
  { env: { store, origin } }: Pick<Call, "env">,
  platform: Platform,
  name: string,
): Code | null {
  const own = { platform, team_id: origin.teamId, name, is_used: true };
  return codesTable.find(store, own, "ORDER BY expires_at DESC, rowid DESC LIMIT 1");
}

/** Null without a consent page. */
export const scopesOf = (
  call: Pick<Call, "env">,
  platform: Platform,
  name: string,
): string[] | null => newestConsent(call, platform, name)?.scopes ?? null;

/**
 * Epoch ms; null without a consent page.
 *
 * @param codeSeconds lifetime of the platform's codes
 */
export function consentedAt(
  call: Pick<Call, "env">,
  platform: Platform,
  name: string,
  codeSeconds: number,
): number | null {
  const consent = newestConsent(call, platform, name);
  return consent && consent.expires_at - codeSeconds * SECOND;
}

export async function isVerifierOf(
  verifier: string | null,
  challenge: string | null,
): Promise<boolean> {
  if (challenge === null) return true;
  if (!verifier || !/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const encoded = new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
  return encoded === challenge;
}
