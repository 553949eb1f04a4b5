import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { addSeconds, DAY, SECOND } from "../../core/time.ts";
import { redeemCode } from "../kit/codes.ts";
import { readForm } from "../kit/input.ts";
import { REVOKED } from "../kit/logins.ts";
import { oauthError, Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { integer, json, key, type RowOf, Table, text } from "../kit/table.ts";
import { type Client, ISSUER, readClient } from "./clients.ts";
import { requests } from "./consent.ts";
import { readProof, refuseProof } from "./dpop.ts";
import { isSimulatedHandle, sandboxHandle } from "./identity.ts";
import {
  createToken,
  loginOf,
  loginsOf,
  resolveAccount,
  SANDBOX_SERVICE_DID,
  seconds,
} from "./sessions.ts";

export const grants = new Table("bluesky_grants", {
  id: key(),
  did: text(),
  client_id: text(),
  key_id: text(),
  jkt: text(),
  scopes: json<string[]>(),
  code: text(),
  refresh_token: text(),
  /** Epoch ms. No refresh extends the session beyond it. */
  ends_at: integer(),
  refresh_ends_at: integer(),
});

type Grant = RowOf<typeof grants>;

/** Source: oauth-provider, constants.ts. */
const ACCESS_SECONDS = 3_600;
const PUBLIC_DAYS = 14;
const CONFIDENTIAL_DAYS = 730;
const REFRESH_DAYS = 91;

const invalidGrant = (message: string) => oauthError(400, "invalid_grant", message);

const inDays = (days: number): number => addSeconds(now(), (days * DAY) / SECOND).getTime();

function requireSame(grant: Grant, client: Client, jkt: string): void {
  if (grant.client_id !== client.id) throw invalidGrant("Token was not issued to this client");
  if (grant.jkt !== jkt) throw invalidGrant("DPoP proof does not match the expected JKT");
  if (grant.key_id !== "" && grant.key_id !== client.keyId) {
    throw invalidGrant(
      "The session was initiated with a different key than the client assertion currently used",
    );
  }
}

async function answerTokens(call: Call, grant: Grant): Promise<Response> {
  const { id, did, client_id, jkt, scopes, key_id } = grant;
  const at = now().getTime();
  const scope = scopes.join(" ");
  const accessToken = createToken("at+jwt", {
    iss: ISSUER,
    aud: SANDBOX_SERVICE_DID,
    sub: did,
    client_id,
    scope,
    cnf: { jkt },
    jti: randomHex(16),
    iat: seconds(at),
    exp: seconds(at) + ACCESS_SECONDS,
  });
  const refreshToken = `ref-${randomHex(32)}`;
  const refreshEndsAt = key_id === "" ? grant.ends_at : inDays(REFRESH_DAYS);
  const logins = loginsOf(call);
  logins.save(accessToken, "access", loginOf(did, id), at + ACCESS_SECONDS * SECOND);
  logins.save(refreshToken, "refresh", loginOf(did, id), refreshEndsAt);
  const row = { ...grant, refresh_token: refreshToken, refresh_ends_at: refreshEndsAt };
  grants.insert(call.env.store, row, "OR REPLACE");
  return Response.json({
    access_token: accessToken,
    token_type: "DPoP",
    refresh_token: refreshToken,
    scope,
    expires_in: ACCESS_SECONDS - 1,
    sub: did,
  });
}

export async function grantTokens(call: Call): Promise<Response> {
  const jkt = await readProof(call, refuseProof);
  const form = (await readForm(call)) ?? new URLSearchParams();
  const client = readClient(call, form);
  if (jkt === null) throw refuseProof("invalid_dpop_proof", "DPoP proof required");
  const type = form.get("grant_type");
  if (type === "authorization_code") return exchangeCode(call, form, client, jkt);
  if (type === "refresh_token") return rotate(call, form, client, jkt);
  throw invalidGrant(`Grant type "${type}" is not supported by the server`);
}

async function exchangeCode(
  call: Call,
  form: URLSearchParams,
  client: Client,
  jkt: string,
): Promise<Response> {
  const value = form.get("code") ?? "";
  const { challenge, ...code } = await redeemCode(
    call,
    "bluesky",
    { form, clientId: client.id },
    {
      dead: (why) => {
        // A code used twice may be stolen, so the session ends.
        if (why === "used") grants.delete(call.env.store, { code: value });
        return invalidGrant(why === "expired" ? "This code has expired" : "Invalid code");
      },
      otherClient: () => invalidGrant("Token was not issued to this client"),
      otherRedirect: () =>
        invalidGrant(
          "The redirect_uri parameter must match the one used in the authorization request",
        ),
      otherVerifier: (isMissing) =>
        invalidGrant(isMissing ? "code_verifier is required" : "Invalid code_verifier"),
    },
  );
  const request = requests.find(call.env.store, { challenge: challenge ?? "" });
  if (!request) throw invalidGrant("Invalid code");
  const began = { client_id: code.client_id, jkt: request.jkt, key_id: request.key_id };
  const { did } = await personOf(call, code.name);
  const grant: Grant = {
    ...began,
    id: randomHex(16),
    did,
    scopes: code.scopes,
    code: value,
    refresh_token: "",
    ends_at: inDays(began.key_id === "" ? PUBLIC_DAYS : CONFIDENTIAL_DAYS),
    refresh_ends_at: 0,
  };
  requireSame(grant, client, jkt);
  return answerTokens(call, grant);
}

async function personOf(call: Call, name: string): Promise<{ did: string }> {
  const identifier = name.toLowerCase();
  const handle = isSimulatedHandle(identifier) ? identifier : sandboxHandle(name);
  const account = await resolveAccount(
    call.env.store,
    identifier.startsWith("did:") ? identifier : handle,
  );
  if (!account) throw invalidGrant("This account has been deactivated");
  return account;
}

/** Any error in a refresh ends the session. */
async function rotate(
  call: Call,
  form: URLSearchParams,
  client: Client,
  jkt: string,
): Promise<Response> {
  const token = form.get("refresh_token") ?? "";
  const grant = grantOf(call, token);
  if (!grant) throw invalidGrant("Invalid refresh token");
  try {
    if (grant.refresh_token !== token) throw invalidGrant("Refresh token replayed");
    requireSame(grant, client, jkt);
    if (grant.ends_at <= now().getTime()) throw invalidGrant("Session expired");
    if (grant.refresh_ends_at <= now().getTime()) throw invalidGrant("Refresh token expired");
  } catch (error) {
    grants.delete(call.env.store, { id: grant.id });
    throw error;
  }
  loginsOf(call).endAll(loginOf(grant.did, grant.id), "access");
  return answerTokens(call, { ...grant, key_id: client.keyId });
}

function grantOf(call: Call, token: string): Grant | null {
  const login = loginsOf(call).find(token);
  if (!login || login.expires_at === REVOKED) return null;
  const [, id = ""] = login.name.split(" ");
  return grants.find(call.env.store, { id });
}

/** Answers 200 even when an invalid proof leaves the session alive. */
export async function revokeToken(call: Call): Promise<Response> {
  const jkt = await readProof(call, refuseProof);
  const form = (await readForm(call)) ?? new URLSearchParams();
  const grant = grantOf(call, form.get("token") ?? "");
  try {
    const client = readClient(call, form);
    if (grant && jkt !== null) {
      requireSame(grant, client, jkt);
      grants.delete(call.env.store, { id: grant.id });
      loginsOf(call).endAll(loginOf(grant.did, grant.id));
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return Response.json({});
}

export const describeServer = (): Response =>
  Response.json({
    issuer: ISSUER,
    scopes_supported: ["atproto", "transition:email", "transition:generic", "transition:chat.bsky"],
    subject_types_supported: ["public"],
    response_types_supported: ["code"],
    response_modes_supported: ["query", "fragment", "form_post"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    authorization_endpoint: `${ISSUER}/oauth/authorize`,
    token_endpoint: `${ISSUER}/oauth/token`,
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    token_endpoint_auth_signing_alg_values_supported: ["ES256"],
    revocation_endpoint: `${ISSUER}/oauth/revoke`,
    pushed_authorization_request_endpoint: `${ISSUER}/oauth/par`,
    require_pushed_authorization_requests: true,
    dpop_signing_alg_values_supported: ["ES256"],
    client_id_metadata_document_supported: true,
  });
