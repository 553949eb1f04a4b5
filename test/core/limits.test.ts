import { describe, expect, test } from "vitest";
import { clientKey, networkOf } from "../../src/core/client-ip.ts";
import { MAX_DISTINCT_TOKENS, presentToken } from "../../src/core/distinct-tokens.ts";
import { takePlace } from "../../src/core/sliding-window.ts";

describe("the key of an address", () => {
  test.each<[string | null, string]>([
    [null, "unknown"],
    ["", "unknown"],
    ["203.0.113.9", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:1::", "2001:db8:0:0::/64"],
    ["2001:db8:0::2:3:4:5", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::2", "1:0:0:0::/64"],
    ["1:2:3:4::", "1:2:3:4::/64"],
    ["::2:3:4:5:6:7:8", "0:2:3:4::/64"],
  ])("%s counts as %s", (address, key) => {
    expect(clientKey(address)).toBe(key);
  });

  test("of an IPv4 caller in IPv6 writing is its own, not everybody's", () => {
    expect(clientKey("::ffff:203.0.113.9")).not.toBe(clientKey("::ffff:198.51.100.7"));
    expect(clientKey("::ffff:203.0.113.9")).toBe("203.0.113.9");
  });
});

test.each<[string | null, string | null]>([
  [null, null],
  ["", null],
  ["somewhere", null],
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["2001:DB8:1:2:3:4:5:6", "2001:0db8:0001:0002:0000:0000:0000:0000"],
  ["2001:db8::1", "2001:0db8:0000:0000:0000:0000:0000:0000"],
  ["::1", "0000:0000:0000:0000:0000:0000:0000:0000"],
])("of the address %s is kept %s", (address, kept) => {
  expect(networkOf(address)).toBe(kept);
});

describe("a sliding window", () => {
  const quota = { limit: 3, windowSeconds: 10 };
  const at = (...seconds: number[]) => seconds.map((second) => second * 1_000);

  test.each<[string, number[], number, boolean, number, number]>([
    ["empty", [], 0, true, 2, 10],
    ["one taken", at(0), 1, true, 1, 10],
    ["one left", at(0, 1), 2, true, 0, 10],
    ["full", at(0, 1, 2), 3, false, 0, 7],
    ["full until the very end", at(0, 1, 2), 9.999, false, 0, 1],
    ["free at the end of the oldest", at(0, 1, 2), 10, true, 0, 10],
    ["all free again", at(0, 1, 2), 12, true, 2, 10],
  ])("that is %s", (_, hits, second, allowed, remaining, resetSeconds) => {
    expect(takePlace(hits, quota, second * 1_000).verdict).toEqual({
      allowed,
      limit: 3,
      windowSeconds: 10,
      remaining,
      resetSeconds,
    });
  });

  test("forgets calls of a clock that has been moved back since", () => {
    const { verdict } = takePlace(at(900, 901, 902), quota, 5_000);
    expect(verdict).toMatchObject({ allowed: true, remaining: 2, resetSeconds: 10 });
    // Two Workers are never quite of one time.
    expect(takePlace(at(5, 6, 7), quota, 5_000).verdict.allowed).toBe(false);
  });

  test("never lets more than its limit into any window", () => {
    let hits: number[] = [];
    const taken: number[] = [];
    for (let now = 0; now < 200_000; now += 137) {
      const step = takePlace(hits, quota, now);
      hits = step.hits;
      if (step.verdict.allowed) taken.push(now);
      expect(hits.length).toBeLessThanOrEqual(quota.limit);
    }
    for (const start of taken) {
      const inside = taken.filter((time) => time >= start && time < start + 10_000);
      expect(inside.length).toBeLessThanOrEqual(quota.limit);
    }
  });

  test("that was made smaller says when a place comes back under the new limit", () => {
    const { verdict } = takePlace(at(0, 1, 2, 3, 4), { limit: 2, windowSeconds: 10 }, 5_000);
    expect(verdict).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 8 });
  });
});

describe("distinct tokens", () => {
  const full = new Map(Array.from({ length: MAX_DISTINCT_TOKENS }, (_, i) => [`t${i}`, i * 1_000]));

  test("ten are, the eleventh is not, and is not remembered", () => {
    const { verdict, seen } = presentToken(full, "new", 20_000);
    expect(verdict.allowed).toBe(false);
    expect(verdict.knownHashes).toEqual([...full.keys()]);
    expect(verdict.retryAfterSeconds).toBe(3_580);
    expect(seen.has("new")).toBe(false);
  });

  test("a known one is always welcome, and stays known from then on", () => {
    const { verdict, seen } = presentToken(full, "t0", 20_000);
    expect(verdict).toEqual({ allowed: true, knownHashes: [], retryAfterSeconds: 0 });
    expect(seen.get("t0")).toBe(20_000);
  });

  test("what was not presented for an hour makes room, to the millisecond", () => {
    expect(presentToken(full, "new", 3_599_999).verdict.allowed).toBe(false);
    const { verdict, seen } = presentToken(full, "new", 3_600_000);
    expect(verdict.allowed).toBe(true);
    expect([...seen.keys()]).not.toContain("t0");
    expect(seen.size).toBe(MAX_DISTINCT_TOKENS);
  });

  test("the map that was given is left as it is", () => {
    const before = [...full];
    presentToken(full, "t3", 99_000);
    expect([...full]).toEqual(before);
  });
});
