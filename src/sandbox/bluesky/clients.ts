import { SECOND } from "../../core/time.ts";
import { oauthError } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { useId } from "./dpop.ts";
import { readJwt } from "./jwt.ts";

/** The server that grants access. */
export const ISSUER = "https://bsky.social";

/** An app as it names itself. */
export interface Client {
  id: string;
  /** Id of the key that signed for it; empty without one. */
  keyId: string;
}

/** Source: oauth-provider, constants.ts, `CLIENT_ASSERTION_MAX_AGE`. */
const ASSERTION_SECONDS = 60;
const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const LOOPBACK = /^http:\/\/localhost\/?(\?|$)/;

const invalidRequest = (message: string) => oauthError(400, "invalid_request", message);
const invalidClient = (message: string) => oauthError(400, "invalid_client", message);

/** Returns true for the address of a document by which servers may know an app. */
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
 * The app that calls. Its document is not read: what it would say is taken from the call.
 *
 * @throws Refusal
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
  // By the real clock, as the app has no other.
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

/** Returns true for an address that people may be sent back to by this app. */
export function isRedirectUri({ id }: Client, uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const asked = new URL(uri);
  if (!LOOPBACK.test(id)) return asked.protocol === "https:" && asked.hostname !== "localhost";
  const named = new URL(id).searchParams.getAll("redirect_uri");
  const known = named.length > 0 ? named : ["http://127.0.0.1/", "http://[::1]/"];
  // The port of an app on somebody's own machine is any.
  return known.some((one) => {
    const { protocol, hostname, pathname } = new URL(one);
    return (
      hostname !== "localhost" &&
      asked.protocol === protocol &&
      asked.hostname === hostname &&
      asked.pathname === pathname
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

/** The scope that an app may not ask for; undefined where there is none. */
export function unknownScope({ id }: Client, scopes: readonly string[]): string | undefined {
  const declared = LOOPBACK.test(id)
    ? (new URL(id).searchParams.get("scope") ?? "atproto").split(" ")
    : null;
  return scopes.find((scope) =>
    declared ? !declared.includes(scope) : !SCOPES.has(scope) && !GRANULAR.test(scope),
  );
}
