import { expect, test } from "vitest";
import { isPrivateKey, isPublicKey } from "../../src/core/push-keys.ts";
import { arePushKeys, encryptPush } from "../../src/core/web-push.ts";
import { createPushService } from "../support/push-service.ts";

/** Source: RFC 8291, appendix A. */
const VECTOR = {
  text: "When I grow up, I want to be a watermelon",
  sender: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  senderPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  receiver:
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  sealed:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

const URL_SAFE = { alphabet: "base64url" } as const;
const bytesOf = (text: string) => Uint8Array.fromBase64(text, URL_SAFE);
const P256 = { name: "ECDH", namedCurve: "P-256" };

async function vectorKeys(): Promise<CryptoKeyPair> {
  const point = bytesOf(VECTOR.sender);
  const part = (from: number) =>
    point.slice(from, from + 32).toBase64({ ...URL_SAFE, omitPadding: true });
  const jwk = { kty: "EC", crv: "P-256", x: part(1), y: part(33), d: VECTOR.senderPrivate };
  return {
    publicKey: await crypto.subtle.importKey("raw", point, P256, true, []),
    privateKey: await crypto.subtle.importKey("jwk", jwk, P256, false, ["deriveBits"]),
  };
}

test("a message is encrypted as the standard's example is, byte for byte", async () => {
  const sender = { keys: await vectorKeys(), salt: bytesOf(VECTOR.salt) };
  const keys = { p256dh: VECTOR.receiver, auth: VECTOR.auth };
  const sealed = await encryptPush(keys, VECTOR.text, sender);
  expect(sealed.toBase64({ ...URL_SAFE, omitPadding: true })).toBe(VECTOR.sealed);
});

test.each(["", "Zoë 👋", "x".repeat(3_993)])("its browser reads it: %.10s", async (text) => {
  const service = await createPushService();
  const first = await encryptPush(service.keys, text);
  expect(await service.decrypt(first)).toBe(text);
  expect(first.length).toBeLessThanOrEqual(4_096);
  expect(await encryptPush(service.keys, text)).not.toEqual(first);
});

test("a message is read with the keys of its own subscription alone", async () => {
  const [one, other] = [await createPushService(), await createPushService()];
  const sealed = await encryptPush(one.keys, "secret");
  await expect(other.decrypt(sealed)).rejects.toThrow();
});

const OFF_CURVE = Uint8Array.of(4, ...new Array(64).fill(1))
  .toBase64(URL_SAFE)
  .replace(/=+$/, "");

test.each<[string, Partial<Record<"p256dh" | "auth", string>>, boolean]>([
  ["as a browser gives them", {}, true],
  ["a point that is not on the curve", { p256dh: OFF_CURVE }, false],
  ["a point of another form", { p256dh: `A${VECTOR.receiver.slice(1)}` }, false],
  ["a short point", { p256dh: VECTOR.receiver.slice(0, 80) }, false],
  ["no base64", { p256dh: "?".repeat(87) }, false],
  ["a short secret", { auth: "BTBZMqHH6r4Tts7J" }, false],
  ["an empty secret", { auth: "" }, false],
])("keys: %s", async (_, change, expected) => {
  expect(await arePushKeys({ p256dh: VECTOR.receiver, auth: VECTOR.auth, ...change })).toBe(
    expected,
  );
});

test("the instance's own keys are told from others by their form", () => {
  expect([isPublicKey(VECTOR.sender), isPublicKey(VECTOR.senderPrivate)]).toEqual([true, false]);
  expect([isPrivateKey(VECTOR.senderPrivate), isPrivateKey(VECTOR.sender)]).toEqual([true, false]);
});
