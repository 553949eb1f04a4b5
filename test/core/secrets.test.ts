import { describe, expect, test } from "vitest";
import { createCipher } from "../../src/core/encryption.ts";
import { randomHex, randomId, timeSortedId } from "../../src/core/ids.ts";
import { isSigned, sha256Hex, sign } from "../../src/core/signature.ts";

const key = (id: string, byte: number) => ({ id, bytes: new Uint8Array(32).fill(byte) });

describe("encryption", () => {
  test.each(["", "a", "secret", "👩‍👩‍👧‍👦 é \u0000", "x".repeat(100_000)])(
    "gives back what it was given (%#)",
    async (text) => {
      const cipher = createCipher([key("a", 1)]);
      const sealed = await cipher.encrypt(text, "1|acc|bluesky");
      expect(sealed).toMatch(/^v1\.a\.[\w-]{16}\.[\w-]+$/);
      expect(await cipher.decrypt(sealed, "1|acc|bluesky")).toBe(text);
    },
  );

  test("never makes the same value twice", async () => {
    const cipher = createCipher([key("a", 1)]);
    const values = await Promise.all(Array.from({ length: 50 }, () => cipher.encrypt("x", "y")));
    expect(new Set(values).size).toBe(50);
  });

  test("goes on reading old keys after a rotation, and writes under the first", async () => {
    const old = createCipher([key("a", 1)]);
    const rotated = createCipher([key("b", 2), key("a", 1)]);
    expect(await rotated.decrypt(await old.encrypt("x", "y"), "y")).toBe("x");
    const fresh = await rotated.encrypt("x", "y");
    expect(fresh).toMatch(/^v1\.b\./);
    await expect(old.decrypt(fresh, "y")).rejects.toThrow(/does not have/);
  });

  test.each<[string, (sealed: string) => string, string?]>([
    ["moved to another place", (sealed) => sealed, "2|acc|bluesky"],
    ["bound to a longer place", (sealed) => sealed, "1|acc|bluesky|x"],
    ["altered", (sealed) => sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA")],
    ["with another nonce", (sealed) => sealed.replace(/\.[\w-]{16}\./, `.${"A".repeat(16)}.`)],
    ["under another key's name", (sealed) => sealed.replace("v1.a.", "v1.b.")],
    ["of another version", (sealed) => sealed.replace("v1.", "v2.")],
    ["cut", (sealed) => sealed.split(".").slice(0, 3).join(".")],
    ["empty", () => ""],
    ["plain text", () => "secret"],
    ["no base64", () => "v1.a.!!!.???"],
  ])(
    "refuses a value that is %s, without telling it",
    async (_, change, place = "1|acc|bluesky") => {
      const cipher = createCipher([key("a", 1), key("b", 2)]);
      const sealed = await cipher.encrypt("the secret", "1|acc|bluesky");
      const error = await cipher.decrypt(change(sealed), place).catch((reason: Error) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).not.toContain("the secret");
    },
  );

  test("without a key writes nothing", async () => {
    await expect(createCipher([]).encrypt("x", "y")).rejects.toThrow(/No encryption key/);
  });
});

describe("signatures", () => {
  test("are HMAC-SHA256 in lower case hex", async () => {
    const digest = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
    expect(await sign("key", "The quick brown fox jumps over the lazy dog")).toBe(digest);
    expect(await sha256Hex("abc")).toMatch(/^ba7816bf8f01cfea414140de5dae2223/);
  });

  test.each<[string, (signature: string) => string]>([
    ["empty", () => ""],
    ["cut", (signature) => signature.slice(0, -1)],
    ["longer", (signature) => `${signature}0`],
    ["in upper case", (signature) => `A${signature.slice(1).toUpperCase()}`],
    ["of other letters", () => "é".repeat(64)],
  ])("that are %s are refused", async (_, change) => {
    const signature = await sign("secret", "text");
    expect(await isSigned("secret", "text", signature)).toBe(true);
    expect(await isSigned("secret", "text", change(signature))).toBe(false);
    expect(await isSigned("other", "text", signature)).toBe(false);
    expect(await isSigned("secret", "texT", signature)).toBe(false);
  });
});

describe("ids", () => {
  test("that sort by time keep the order of their making", () => {
    const ids = [
      1, 1, 1, 2, 2, 3, 1_000, 1_764_579_600_000, 1_764_579_600_000, 1_764_579_600_001,
    ].map((ms) => timeSortedId("evt", new Date(ms)));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^evt_[0-9a-f]{28}$/);
  });

  test("of one millisecond are thousands, in order", () => {
    const at = new Date(5);
    const ids = Array.from({ length: 5_000 }, () => timeSortedId("evt", at));
    expect(ids.toSorted()).toEqual(ids);
  });

  test("are as long as they say, and never the same", () => {
    expect(randomHex(32)).toMatch(/^[0-9a-f]{64}$/);
    expect(randomId("acc")).toMatch(/^acc_[0-9a-f]{16}$/);
    expect(new Set(Array.from({ length: 1_000 }, () => randomId("acc"))).size).toBe(1_000);
  });
});
