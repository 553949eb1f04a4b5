import { beforeAll, describe, expect, test } from "vitest";
import {
  compareVersions,
  openRelease,
  type Release,
  signedBytes,
  upgradeRefusal,
} from "../../src/core/release.ts";
import { readReleaseKeys } from "../../src/core/release-keys.ts";
import { RELEASE, SigningKey, signRelease } from "../support/release.ts";

let key: SigningKey;
let other: SigningKey;

beforeAll(async () => {
  key = await SigningKey.create("r1");
  other = await SigningKey.create("r1");
});

const opened = async (signed: string, keys = [key.asPublic]) => {
  try {
    return (await openRelease(signed, keys)).version;
  } catch (error) {
    return (error as Error).message;
  }
};

describe("a release", () => {
  test("is read when a known key has signed it, also beside an unknown one", async () => {
    expect(await opened(await signRelease(RELEASE, key))).toBe("1.1.0");
    const stranger = await SigningKey.create("r0");
    expect(await opened(await signRelease(RELEASE, stranger, key))).toBe("1.1.0");
  });

  const UNSIGNED = "is not signed by a key that this instance knows";
  test.each<[string, () => Promise<string>, string]>([
    ["of another key with the same id", () => signRelease(RELEASE, other), UNSIGNED],
    ["without a signature", () => signRelease(RELEASE), UNSIGNED],
    [
      "changed after it was signed",
      async () => (await signRelease(RELEASE, key)).replace("1.1.0", "1.1.1"),
      UNSIGNED,
    ],
    [
      "whose signature is of the text without its first line",
      async () => {
        const content = JSON.stringify(RELEASE);
        const signature = await key.sign(Uint8Array.from(new TextEncoder().encode(content)));
        return JSON.stringify({ content, signatures: [{ key: "r1", signature }] });
      },
      UNSIGNED,
    ],
    [
      "whose signature is no base64",
      async () =>
        JSON.stringify({
          content: JSON.stringify(RELEASE),
          signatures: [{ key: "r1", signature: "ü" }],
        }),
      "must be base64",
    ],
    ["that is no JSON", async () => "<html>", "must be valid JSON"],
    [
      "of a format that is not known",
      () => signRelease({ ...RELEASE, format: "akimbo-release-2" } as unknown as Release, key),
      'Invalid input: expected "akimbo-release-1"',
    ],
    ...["../worker.js", "/etc/passwd", "a/../../b", "a/./b", ""].map(
      (path): [string, () => Promise<string>, string] => [
        `with the file "${path}"`,
        () => signRelease({ ...RELEASE, files: [{ path, sha256: "0".repeat(64), bytes: 1 }] }, key),
        "must be a path",
      ],
    ),
  ])("%s is refused", async (_, signed, message) => {
    expect(await opened(await signed())).toBe(message);
  });

  test("is signed as exactly its characters", () => {
    expect(new TextDecoder().decode(signedBytes("{}"))).toBe("akimbo-release-1\n{}");
  });
});

test.each([
  ["1.0.0", "1.0.0", 0],
  ["1.0.10", "1.0.9", 1],
  ["1.2.0", "1.10.0", -1],
  ["2.0.0", "1.99.99", 1],
])("%s against %s", (one, another, sign) => {
  expect(Math.sign(compareVersions(one, another))).toBe(sign);
});

test.each([
  ["1.0.0", { version: "1.1.0", upgradesFrom: "1.0.0" }, null],
  ["1.1.0", { version: "1.1.0", upgradesFrom: "1.0.0" }, null],
  ["1.2.0", { version: "1.1.0", upgradesFrom: "1.0.0" }, /older than 1\.2\.0/],
  ["1.0.0", { version: "1.3.0", upgradesFrom: "1.2.0" }, /Upgrade to 1\.2\.0 first/],
])("%s may be replaced by %o: %s", (running, release, refusal) => {
  const answer = upgradeRefusal(running, { ...RELEASE, ...release });
  if (refusal === null) expect(answer).toBeNull();
  else expect(answer).toMatch(refusal);
});

test.each(["", "r1", "r1:", "r1:AAAA", `r 1:${btoa("k".repeat(32))}`, "r1:ü"])(
  "%j is no list of keys",
  (value) => {
    expect(() => readReleaseKeys(value)).toThrow();
  },
);
