import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { SECOND } from "../../core/time.ts";
import { redeemCode } from "../kit/codes.ts";
import { readForm } from "../kit/input.ts";
import { refreshOf } from "../kit/refresh.ts";
import { oauthError } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { integer, json, key, type RowOf, Table, text } from "../kit/table.ts";
import { loginsOf } from "./accounts.ts";
import { invalid, readFields, serverOf } from "./call.ts";
import { SCOPES } from "./scopes.ts";

export const apps = new Table("mastodon_apps", {
  client_id: key(),
  team_id: integer(),
  secret: text(),
  redirect_uri: text(),
  scopes: json<string[]>(),
});

/** Mastodon keeps names to 60 characters and addresses to 2,000. */
const registration = z.object({
  client_name: z.string().min(1).max(60),
  redirect_uris: z.string().min(1).max(2_000),
  scopes: z.string().default("read"),
  website: z.url().max(2_000).optional(),
});

export async function registerApp(call: Call): Promise<Response> {
  const { store, origin } = call.env;
  const input = await readFields(call, registration);
  if (!URL.canParse(input.redirect_uris)) {
    throw invalid("Validation failed: Redirect URI must be an absolute URI.");
  }
  const scopes = input.scopes.split(" ").filter(Boolean);
  if (scopes.some((scope) => !SCOPES.includes(scope))) {
    throw invalid("Validation failed: Scopes doesn't match configured on the server.");
  }
  const app = { client_id: randomHex(16), secret: randomHex(20), scopes };
  apps.insert(store, { ...app, team_id: origin.teamId, redirect_uri: input.redirect_uris });
  return Response.json({
    id: app.client_id.slice(0, 6),
    name: input.client_name,
    website: input.website ?? null,
    scopes,
    redirect_uri: input.redirect_uris,
    redirect_uris: [input.redirect_uris],
    client_id: app.client_id,
    client_secret: app.secret,
    client_secret_expires_at: 0,
  });
}

export const findApp = (call: Pick<Call, "env">, clientId: string): RowOf<typeof apps> | null =>
  apps.find(call.env.store, { client_id: clientId });

const unknownClient = () =>
  oauthError(
    401,
    "invalid_client",
    "Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.",
  );

function requireApp(call: Call, form: URLSearchParams | null): RowOf<typeof apps> {
  const app = findApp(call, form?.get("client_id") ?? "");
  if (!app || app.secret !== form?.get("client_secret")) throw unknownClient();
  return app;
}

const invalidGrant = () =>
  oauthError(
    400,
    "invalid_grant",
    "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.",
  );

const A_CENTURY_SECONDS = 100 * 365 * 86_400;

const unsupportedGrant = () =>
  oauthError(
    400,
    "unsupported_grant_type",
    "The authorization grant type is not supported by the authorization server.",
  );

/** Of nobody: it shows that the server knows the app. */
const tokenOfApp = () => ({
  access_token: randomHex(20),
  token_type: "Bearer",
  scope: "read",
  created_at: Math.floor(now().getTime() / SECOND),
});

const tokenReply = (call: Call, name: string, scopes: readonly string[], more = {}): Response =>
  Response.json({
    access_token: loginsOf(call).issue(name, "access", A_CENTURY_SECONDS),
    token_type: "Bearer",
    scope: scopes.join(" "),
    created_at: Math.floor(now().getTime() / SECOND),
    ...more,
  });

/** Tokens have no end. Only logins that no consent made have a refresh token, as those of Pixelfed have. */
export async function grantToken(call: Call): Promise<Response> {
  const form = await readForm(call);
  if (form?.get("grant_type") === "refresh_token") return renewToken(call, form);
  const app = requireApp(call, form);
  if (form?.get("grant_type") === "client_credentials") return Response.json(tokenOfApp());
  if (form?.get("grant_type") !== "authorization_code") throw unsupportedGrant();
  const code = await redeemCode(
    call,
    "mastodon",
    { form, clientId: app.client_id },
    {
      dead: invalidGrant,
      otherClient: invalidGrant,
      otherRedirect: invalidGrant,
      otherVerifier: invalidGrant,
    },
  );
  return tokenReply(call, code.name, code.scopes);
}

function renewToken(call: Call, form: URLSearchParams): Response {
  const refusals = { wrongGrant: unsupportedGrant, invalidToken: invalidGrant };
  const { name, token } = refreshOf(form, loginsOf(call), refusals);
  return tokenReply(call, name, ["read", "write"], { refresh_token: token });
}

export async function revokeToken(call: Call): Promise<Response> {
  const form = await readForm(call);
  const app = findApp(call, form?.get("client_id") ?? "");
  if (!app || app.secret !== form?.get("client_secret")) {
    throw oauthError(403, "unauthorized_client", "You are not authorized to revoke this token");
  }
  loginsOf(call).end(form.get("token") ?? "");
  return Response.json({});
}

export function readMetadata(call: Call): Response {
  const server = serverOf(call);
  return Response.json({
    issuer: `${server}/`,
    authorization_endpoint: `${server}/oauth/authorize`,
    token_endpoint: `${server}/oauth/token`,
    revocation_endpoint: `${server}/oauth/revoke`,
    app_registration_endpoint: `${server}/api/v1/apps`,
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "client_credentials"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  });
}
