import * as oauth from "oauth4webapi";
import type { Fetch } from "../connector.ts";

const ES256 = { name: "ECDSA", namedCurve: "P-256" };

/** Servers refuse what is dated in their future, if only by a second. */
export const CLOCK_SKEW_SECONDS = -5;

/** Creates the key of a login, as JWK: whatever its tokens are used for is signed with it. */
export async function createProofKey(): Promise<string> {
  const pair = (await crypto.subtle.generateKey(ES256, true, ["sign", "verify"])) as CryptoKeyPair;
  return JSON.stringify(await crypto.subtle.exportKey("jwk", pair.privateKey));
}

/** A private key of ES256 that was stored as JWK. */
export const importPrivateKey = ({ kty, crv, x, y, d }: JsonWebKey): Promise<CryptoKey> =>
  crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, ES256, false, ["sign"]);

const importPublicKey = ({ kty, crv, x, y }: JsonWebKey): Promise<CryptoKey> =>
  crypto.subtle.importKey("jwk", { kty, crv, x, y }, ES256, true, ["verify"]);

/** More servers than one isolate speaks to within the life of a nonce. */
const MAX_NONCES = 500;

/** The latest nonce of each server, by its origin: all logins share it. They live for about 3 minutes. */
const nonces = new Map<string, string>();

/** The same network, whose servers' nonces are remembered. */
export const rememberingNonces =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const reply = await fetch(input, init);
    const nonce = reply.headers.get("dpop-nonce");
    if (nonce !== null) {
      const { origin } = new URL(input instanceof Request ? input.url : input);
      nonces.delete(origin);
      nonces.set(origin, nonce);
      const [oldest] = nonces.keys();
      if (nonces.size > MAX_NONCES && oldest !== undefined) nonces.delete(oldest);
    }
    return reply;
  };

/**
 * Makes the proofs of a login's key.
 *
 * @param key as `createProofKey` returned it
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
export async function proofsOf(key: string): Promise<oauth.DPoPHandle> {
  const jwk = JSON.parse(key) as JsonWebKey;
  const [privateKey, publicKey] = await Promise.all([importPrivateKey(jwk), importPublicKey(jwk)]);
  const client = { client_id: "", [oauth.clockSkew]: CLOCK_SKEW_SECONDS };
  return oauth.DPoP(
    client,
    { privateKey, publicKey },
    {
      [oauth.modifyAssertion]: (_, claims) => {
        claims.nonce ??= nonces.get(new URL(String(claims.htu)).origin);
      },
    },
  );
}

/** Makes a call once more where the server first wants its nonce in the proof: it did nothing yet. */
export async function withNonce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return call();
  }
}

/** The network, each call to which with the login's access token carries a proof of its key. */
export function provingKey(network: Fetch, key: string, accessToken: string): Fetch {
  const fetch = rememberingNonces(network);
  let proofs: Promise<oauth.DPoPHandle> | undefined;
  return async (input, init) => {
    const given = init?.headers ?? (input instanceof Request ? input.headers : undefined);
    const headers = new Headers(given);
    // Such as the video service, which gets a token of its own.
    if (headers.get("authorization") !== `Bearer ${accessToken}`) return network(input, init);
    headers.delete("authorization");
    const request = new Request(input, init);
    // A record, or an image of 2 MB at most: held, because it may have to be sent again.
    const body = request.body ? await request.arrayBuffer() : null;
    proofs ??= proofsOf(key);
    const DPoP = await proofs;
    const { method, url } = request;
    const signal = init?.signal ?? request.signal;
    try {
      return await withNonce(() =>
        oauth.protectedResourceRequest(accessToken, method, new URL(url), headers, body, {
          DPoP,
          signal,
          [oauth.customFetch]: (to, options) => fetch(to, options as RequestInit),
        }),
      );
    } catch (error) {
      if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
      throw error;
    }
  };
}
