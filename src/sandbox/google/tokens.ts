import type { Platform } from "../../core/platforms.ts";
import { codesTable, redeemCode, scopesOf } from "../kit/codes.ts";
import { readForm } from "../kit/input.ts";
import { Logins } from "../kit/logins.ts";
import { refreshOf } from "../kit/refresh.ts";
import { oauthError } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

const ACCESS_SECONDS = 3_599;
/** Six months without use. */
const REFRESH_SECONDS = 180 * 24 * 3_600;

const REQUIRED_KEYS = ["client_id", "client_secret"];

const missingParameter = (field: string) =>
  oauthError(400, "invalid_request", `Missing required parameter: ${field}`);

const invalidGrant = (description = "Bad Request") => oauthError(400, "invalid_grant", description);

/**
 * @param usualScopes of a login without a consent page
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export function googleTokens(platform: Platform, usualScopes: readonly string[]) {
  const loginsOf = ({ env: { store, origin } }: Call) => new Logins(store.sql, platform, origin);

  const tokensOf = (logins: Logins, name: string, scopes: readonly string[]) => ({
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    expires_in: ACCESS_SECONDS,
    scope: scopes.join(" "),
    token_type: "Bearer",
  });

  /** A refresh token stays valid after its use. */
  async function grantTokens(call: Call): Promise<Response> {
    const form = await readForm(call);
    if (form?.get("grant_type") === "authorization_code") return exchangeCode(call, form);
    const logins = loginsOf(call);
    const wrongGrant = (grant: string | null = null) =>
      oauthError(400, "unsupported_grant_type", `Invalid grant_type: ${grant}`);
    if (!form) throw wrongGrant();
    const { name } = refreshOf(
      form,
      logins,
      {
        wrongGrant,
        missing: missingParameter,
        invalidToken: () => invalidGrant("Token has been expired or revoked."),
      },
      [...REQUIRED_KEYS, "refresh_token"],
    );
    const scopes = scopesOf(call, platform, name) ?? usualScopes;
    return Response.json(tokensOf(logins, name, scopes));
  }

  async function exchangeCode(call: Call, form: URLSearchParams): Promise<Response> {
    const missing = [...REQUIRED_KEYS, "code", "redirect_uri"].find((field) => !form.has(field));
    if (missing) throw missingParameter(missing);
    if (!form.get("client_secret")) {
      throw oauthError(401, "invalid_client", "The provided client secret is invalid.");
    }
    const { name, scopes, note } = await redeemCode(
      call,
      platform,
      { form, clientId: form.get("client_id") },
      {
        dead: (why) => invalidGrant(why === "unknown" ? "Malformed auth code." : undefined),
        otherClient: () => invalidGrant(),
        otherRedirect: () => oauthError(400, "redirect_uri_mismatch", "Bad Request"),
        otherVerifier: (isMissing) =>
          invalidGrant(isMissing ? "Missing code verifier." : "Invalid code verifier."),
      },
    );
    const { store, origin } = call.env;
    const used = { platform, team_id: origin.teamId, name, is_used: true } as const;
    const isFirst = codesTable.count(store, used) === 1;
    const logins = loginsOf(call);
    return Response.json({
      ...tokensOf(logins, name, scopes),
      ...(note === "always" || (note === "once" && isFirst)
        ? { refresh_token: logins.issue(name, "refresh", REFRESH_SECONDS, "1//") }
        : {}),
    });
  }

  async function revokeTokens(call: Call): Promise<Response> {
    const token = (await readForm(call))?.get("token") ?? call.req.query("token") ?? "";
    const logins = loginsOf(call);
    const name = logins.liveNameOf(token, "refresh", "access");
    if (name === null) throw oauthError(400, "invalid_token", "Token expired or revoked");
    logins.endAll(name);
    return Response.json({});
  }

  return { loginsOf, grantTokens, revokeTokens };
}
