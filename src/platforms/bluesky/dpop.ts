import * as oauth from "oauth4webapi";
import type { Fetch } from "../connector.ts";

const ES256 = { name: "ECDSA", namedCurve: "P-256" };

/** Servers refuse proofs dated even a second in their future. */
export const CLOCK_SKEW_SECONDS = -5;

export async function createProofKey(): Promise<string> {
  const pair = (await crypto.subtle.generateKey(ES256, true, ["sign", "verify"])) as CryptoKeyPair;
  return JSON.stringify(await crypto.subtle.exportKey("jwk", pair.privateKey));
}

export const importPrivateKey = ({ kty, crv, x, y, d }: JsonWebKey): Promise<CryptoKey> =>
  crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, ES256, false, ["sign"]);

const importPublicKey = ({ kty, crv, x, y }: JsonWebKey): Promise<CryptoKey> =>
  crypto.subtle.importKey("jwk", { kty, crv, x, y }, ES256, true, ["verify"]);

/** More than the servers that one isolate calls while a nonce is valid. */
const MAX_NONCES = 500;

/** Each server's last nonce, which lives about 3 minutes. */
const nonces = new Map<string, string>();

const SESSION_PATH = "/xrpc/com.atproto.server.getSession";

/** Counts as a lost answer: the call may have taken effect, so a write is looked up and never repeated. */
export class NonceMissing extends Error {
  constructor() {
    super(
      "The Bluesky server answered without DPoP-Nonce, which the atproto specification demands.",
    );
  }
}

/** For calls whose answer must not be lost, even when it lacks the nonce. */
export const keepingNonces =
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
 * Refusals need no nonce, because they are not acted upon.
 *
 * @throws NonceMissing for an answer that clients must reject
 * @see https://atproto.com/specs/oauth#dpop
 */
export function requiringNonces(network: Fetch): Fetch {
  const fetch = keepingNonces(network);
  return async (input, init) => {
    const reply = await fetch(input, init);
    if (reply.ok && !reply.headers.has("dpop-nonce")) {
      await reply.body?.cancel();
      throw new NonceMissing();
    }
    return reply;
  };
}

/**
 * @param key JWK as `createProofKey` returns it
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

/** Repeats a call that lacked the server's nonce. */
export async function withNonce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return call();
  }
}

/** Replaces a rejected answer when nothing was written. No server sends this name. */
const refusedNonce = (): Response =>
  Response.json({ error: "NonceMissing", message: new NonceMissing().message }, { status: 400 });

/**
 * Adds a DPoP proof to calls with this access token. Before the first write at a server, a read finds out whether the
 * server sends nonces: without them, nothing is published.
 */
export function provingKey(network: Fetch, key: string, accessToken: string): Fetch {
  const fetch = requiringNonces(network);
  let proofs: Promise<oauth.DPoPHandle> | undefined;
  return async (input, init) => {
    const source = init?.headers ?? (input instanceof Request ? input.headers : undefined);
    const headers = new Headers(source);
    // Other tokens, such as the video service's, need no proof.
    if (headers.get("authorization") !== `Bearer ${accessToken}`) return network(input, init);
    headers.delete("authorization");
    const request = new Request(input, init);
    // At most 2 MB, buffered because it may be sent twice.
    const body = request.body ? await request.arrayBuffer() : null;
    proofs ??= proofsOf(key);
    const DPoP = await proofs;
    const { method, url } = request;
    const options = {
      DPoP,
      signal: init?.signal ?? request.signal,
      [oauth.customFetch]: (to: string, sent: object) => fetch(to, sent as RequestInit),
    };
    const read = async (call: () => Promise<Response>): Promise<Response> => {
      try {
        return await answered(call);
      } catch (error) {
        if (error instanceof NonceMissing) return refusedNonce();
        throw error;
      }
    };
    const send = () =>
      withNonce(() =>
        oauth.protectedResourceRequest(accessToken, method, new URL(url), headers, body, options),
      );
    if (method === "GET") return read(send);
    const { origin } = new URL(url);
    if (!nonces.has(origin)) {
      const session = new URL(SESSION_PATH, origin);
      const reply = await read(() =>
        oauth.protectedResourceRequest(accessToken, "GET", session, new Headers(), null, options),
      );
      if (!nonces.has(origin)) return reply;
      await reply.body?.cancel();
    }
    return answered(send);
  };
}

async function answered(call: () => Promise<Response>): Promise<Response> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
    throw error;
  }
}
