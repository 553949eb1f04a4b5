/**
 * A browser and its push service, by the standards alone: RFC 8291 as the receiver reads it, HKDF written out as
 * the HMACs that it is, and RFC 8292 as the service checks it.
 */

import { hmac } from "./hmac.ts";

const URL_SAFE = { alphabet: "base64url" } as const;
const encoder = new TextEncoder();
const fromText = (text: string) => Uint8Array.fromBase64(text, URL_SAFE);
const toText = (bytes: Uint8Array) => bytes.toBase64({ ...URL_SAFE, omitPadding: true });

const hmacOf = (key: Uint8Array<ArrayBuffer>, ...parts: Uint8Array[]) =>
  hmac(key, Uint8Array.from(parts.flatMap((part) => [...part])));

const ONE = Uint8Array.of(1);

export interface Vapid {
  audience: string;
  expiresAt: Date;
  subject: string;
  publicKey: string;
}

/** Checks the `Authorization` of a message and returns what it says. @throws where the signature is not its key's */
export async function readVapid(header: string): Promise<Vapid> {
  const [, token = "", publicKey = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const json = (part: string) => JSON.parse(new TextDecoder().decode(fromText(part)));
  if (json(head).alg !== "ES256") throw new Error("The token is not signed by ES256.");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", fromText(publicKey), algorithm, true, [
    "verify",
  ]);
  const signed = encoder.encode(`${head}.${claims}`);
  if (!(await crypto.subtle.verify(algorithm, key, fromText(signature), signed))) {
    throw new Error("The signature is wrong.");
  }
  const { aud, exp, sub } = json(claims);
  return { audience: aud, expiresAt: new Date(exp * 1_000), subject: sub, publicKey };
}

/** A browser with a subscription, which decrypts what it is sent. */
export async function createPushService() {
  const pair = (await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, [
    "deriveBits",
  ])) as CryptoKeyPair;
  const own = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  const auth = crypto.getRandomValues(new Uint8Array(16));
  return {
    keys: { p256dh: toText(own), auth: toText(auth) },
    async decrypt(body: Uint8Array<ArrayBuffer>): Promise<string> {
      const salt = body.slice(0, 16);
      const idBytes = body[20] ?? 0;
      const sender = body.slice(21, 21 + idBytes);
      const algorithm = { name: "ECDH", namedCurve: "P-256" };
      const theirs = await crypto.subtle.importKey("raw", sender, algorithm, true, []);
      const shared = await crypto.subtle.deriveBits(
        { name: "ECDH", public: theirs } as unknown as SubtleCryptoDeriveKeyAlgorithm,
        pair.privateKey,
        256,
      );
      const prkKey = await hmacOf(auth, new Uint8Array(shared));
      const ikm = await hmacOf(prkKey, encoder.encode("WebPush: info\0"), own, sender, ONE);
      const prk = await hmacOf(salt, ikm);
      const bits = await hmacOf(prk, encoder.encode("Content-Encoding: aes128gcm\0"), ONE);
      const nonce = await hmacOf(prk, encoder.encode("Content-Encoding: nonce\0"), ONE);
      const key = await crypto.subtle.importKey("raw", bits.slice(0, 16), "AES-GCM", false, [
        "decrypt",
      ]);
      const record = new Uint8Array(
        await crypto.subtle.decrypt(
          { name: "AES-GCM", iv: nonce.slice(0, 12) },
          key,
          body.slice(21 + idBytes),
        ),
      );
      const end = record.findLastIndex((byte) => byte !== 0);
      if (record[end] !== 2) throw new Error("The record has no end.");
      return new TextDecoder().decode(record.slice(0, end));
    },
  };
}

let serial = 0;

/** A subscription as a browser sends it, at an address of its own. */
export async function newBrowser() {
  const { keys } = await createPushService();
  return { endpoint: `https://push.example/${++serial}`, expirationTime: null, keys };
}
