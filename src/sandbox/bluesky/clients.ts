import { SECOND } from "../../core/time.ts";
import { oauthError } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { useId } from "./dpop.ts";
import { readJwt } from "./jwt.ts";

export const ISSUER = "https://bsky.social";

export interface Client {
  id: string;
  keyId: string;
}

/** Source: oauth-provider, constants.ts, `CLIENT_ASSERTION_MAX_AGE`. */
const ASSERTION_SECONDS = 60;
const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const LOOPBACK = /^http:\/\/localhost\/?(\?|$)/;

const invalidRequest = (message: string) => oauthError(400, "invalid_request", message);
const invalidClient = (message: string) => oauthError(400, "invalid_client", message);

function isDocumentAddress(id: string): boolean {
  if (!URL.canParse(id)) return false;
  const { protocol, pathname, hash, username, hostname } = new URL(id);
  return (
    protocol === "https:" &&
    pathname !== "/" &&
    !pathname.endsWith("/") &&
    hash === "" &&
    username === "" &&
    hostname.includes(".")
  );
}

/**
 * Does not fetch the client metadata document.
 *
 * @throws Refusal for an invalid client
 */
export function readClient(call: Call, form: URLSearchParams): Client {
  const id = form.get("client_id") ?? "";
  if (!LOOPBACK.test(id) && !isDocumentAddress(id)) {
    throw invalidRequest(`Validation of "client_id" parameter failed: Invalid client ID "${id}"`);
  }
  const assertion = form.get("client_assertion");
  if (assertion === null) return { id, keyId: "" };
  const type = form.get("client_assertion_type");
  if (type !== JWT_BEARER) throw invalidClient(`Unsupported client_assertion_type "${type}"`);
  const jwt = readJwt(assertion);
  if (!jwt) throw invalidClient('Validation of "client_assertion" failed: Invalid Compact JWS');
  const { kid } = jwt.header;
  if (typeof kid !== "string") throw invalidClient('"kid" required in client_assertion');
  const { iss, sub, aud, jti, iat, nbf } = jwt.claims;
  const wrong = Object.entries({ iss: iss === id, sub: sub === id, aud: aud === ISSUER }).find(
    ([, isRight]) => !isRight,
  );
  if (wrong) {
    throw invalidClient(
      `Validation of "client_assertion" failed: unexpected "${wrong[0]}" claim value`,
    );
  }
  // Apps sign by the real clock.
  const seconds = Math.floor(Date.now() / SECOND);
  if (Number(nbf ?? iat) > seconds) {
    throw invalidClient(
      'Validation of "client_assertion" failed: "nbf" claim timestamp check failed',
    );
  }
  if (!(Number(iat) > seconds - ASSERTION_SECONDS)) {
    throw invalidClient(
      'Validation of "client_assertion" failed: "iat" claim timestamp check failed (too far in the past)',
    );
  }
  if (typeof jti !== "string" || !useId(call, `assertion ${jti}`)) {
    throw oauthError(400, "invalid_grant", "private_key_jwt jti reused");
  }
  return { id, keyId: kid };
}

export function isRedirectUri({ id }: Client, uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const address = new URL(uri);
  if (!LOOPBACK.test(id)) return address.protocol === "https:" && address.hostname !== "localhost";
  const named = new URL(id).searchParams.getAll("redirect_uri");
  const registered = named.length > 0 ? named : ["http://127.0.0.1/", "http://[::1]/"];
  // A native app may listen on any port.
  return registered.some((one) => {
    const { protocol, hostname, pathname } = new URL(one);
    return (
      hostname !== "localhost" &&
      address.protocol === protocol &&
      address.hostname === hostname &&
      address.pathname === pathname
    );
  });
}

const SCOPES = new Set([
  "atproto",
  "transition:generic",
  "transition:email",
  "transition:chat.bsky",
]);
const GRANULAR = /^(repo|blob|rpc|account|identity|include):\S+$/;

export function unknownScope({ id }: Client, scopes: readonly string[]): string | undefined {
  const declared = LOOPBACK.test(id)
    ? (new URL(id).searchParams.get("scope") ?? "atproto").split(" ")
    : null;
  return scopes.find((scope) =>
    declared ? !declared.includes(scope) : !SCOPES.has(scope) && !GRANULAR.test(scope),
  );
}
