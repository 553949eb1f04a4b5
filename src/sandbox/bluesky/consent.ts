import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { addSeconds } from "../../core/time.ts";
import { codesTable } from "../kit/codes.ts";
import { createConsent, refusalPage } from "../kit/consent.tsx";
import { readForm } from "../kit/input.ts";
import { oauthError } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { integer, json, key, optional, Table, text } from "../kit/table.ts";
import { ISSUER, isRedirectUri, readClient, unknownScope } from "./clients.ts";
import { readProof, refuseProof } from "./dpop.ts";

export const requests = new Table("bluesky_requests", {
  uri: key(),
  team_id: integer(),
  client_id: text(),
  key_id: text(),
  jkt: text(),
  redirect_uri: text(),
  state: optional(text()),
  scopes: json<string[]>(),
  challenge: text(),
  hint: optional(text()),
  /** Milliseconds since 1970. */
  expires_at: integer(),
});

/** Source: oauth-provider, constants.ts, `PAR_EXPIRES_IN`. */
const REQUEST_SECONDS = 300;
/** Source: oauth-provider, constants.ts, `AUTHORIZATION_INACTIVITY_TIMEOUT`. */
const CODE_SECONDS = 300;

const invalidRequest = (message: string) => oauthError(400, "invalid_request", message);

const HINT = /^(did:[a-z]+:\S+|([a-z0-9-]+\.)+[a-z][a-z0-9-]*)$/;

/** @see https://www.rfc-editor.org/rfc/rfc9126 */
export async function pushRequest(call: Call): Promise<Response> {
  const jkt = await readProof(call, refuseProof);
  const form = (await readForm(call)) ?? new URLSearchParams();
  const client = readClient(call, form);
  if (jkt === null) throw refuseProof("invalid_dpop_proof", "DPoP proof required");
  const scopes = (form.get("scope") ?? "").split(" ").filter(Boolean);
  const redirectUri = form.get("redirect_uri") ?? "";
  const challenge = form.get("code_challenge");
  const hint = form.get("login_hint");
  if (form.has("nonce")) throw invalidRequest('Unsupported "nonce" parameter');
  if (form.get("response_type") !== "code") {
    throw invalidRequest('atproto only supports the "code" response_type');
  }
  if (!isRedirectUri(client, redirectUri)) {
    throw invalidRequest(`Invalid redirect_uri ${redirectUri}`);
  }
  const unknown = unknownScope(client, scopes);
  if (unknown !== undefined) {
    const message = `Scope "${unknown}" is not declared in the client metadata`;
    throw oauthError(400, "invalid_scope", message);
  }
  if (!scopes.includes("atproto")) {
    throw oauthError(400, "invalid_scope", 'The "atproto" scope is required');
  }
  if (challenge === null) throw invalidRequest("Use of PKCE is required");
  if (form.get("code_challenge_method") !== "S256") {
    throw invalidRequest('atproto requires use of "S256" code_challenge_method');
  }
  if (hint !== null && !HINT.test(hint)) throw invalidRequest(`Invalid login_hint "${hint}"`);
  const uri = `urn:ietf:params:oauth:request_uri:req-${randomHex(16)}`;
  requests.insert(call.env.store, {
    uri,
    team_id: call.env.origin.teamId,
    client_id: client.id,
    key_id: client.keyId,
    jkt,
    redirect_uri: redirectUri,
    state: form.get("state"),
    scopes,
    challenge,
    hint,
    expires_at: addSeconds(now(), REQUEST_SECONDS).getTime(),
  });
  return Response.json({ request_uri: uri, expires_in: REQUEST_SECONDS }, { status: 201 });
}

export const consent = createConsent({
  platform: "bluesky",
  name: "Bluesky",
  codeSeconds: CODE_SECONDS,
  hint: "Bluesky lets people leave permissions out, but for atproto.",
  fixed: ["atproto"],
  readConsentRequest: (call) => {
    const { request_uri: uri, client_id: clientId } = call.req.query();
    const { store, origin } = call.env;
    const request = requests.find(store, { uri: uri ?? "", team_id: origin.teamId });
    if (!request) throw refusalPage(400, "Unknown request_uri");
    if (request.client_id !== clientId) {
      throw refusalPage(400, "This request was initiated for another client");
    }
    const { challenge } = request;
    if (codesTable.find(store, { platform: "bluesky", challenge })) {
      throw refusalPage(400, "This request was already authorized");
    }
    if (request.expires_at <= now().getTime()) {
      throw refusalPage(400, "This request has expired");
    }
    return {
      clientId: request.client_id,
      redirectUri: request.redirect_uri,
      state: request.state,
      scopes: request.scopes,
      challenge,
      name: request.hint,
    };
  },
  extra: () => ({ iss: ISSUER }),
  declined: {
    iss: ISSUER,
    error: "access_denied",
    error_description: "The user rejected the request",
  },
});
