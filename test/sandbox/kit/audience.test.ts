import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/core/time.ts";
import { followersOf, reactionsTo } from "../../../src/sandbox/kit/audience.ts";

/** A Monday. */
const MADE = Date.UTC(2026, 5, 1, 12);
const KEYS = Array.from({ length: 200 }, (_, i) => `tiktok 7 Post ${i}`);

test("the same post is met the same way, whoever asks, and in whichever second of a minute", () => {
  const at = MADE + DAY;
  for (const key of KEYS) {
    expect(reactionsTo(key, MADE + 7_000, at + 59_000)).toEqual(reactionsTo(key, MADE, at));
  }
});

test("no counter of a post ever shrinks", () => {
  for (const key of KEYS.slice(0, 20)) {
    let before = reactionsTo(key, MADE, MADE);
    for (let at = MADE; at < MADE + 400 * DAY; at += 7 * HOUR + MINUTE) {
      const after = reactionsTo(key, MADE, at);
      for (const name of ["views", "likes", "comments", "shares"] as const) {
        expect(after[name]).toBeGreaterThanOrEqual(before[name]);
      }
      before = after;
    }
  }
});

const viewsAt = (createdAt: number): number =>
  KEYS.reduce((sum, key) => sum + reactionsTo(key, createdAt, createdAt + 30 * DAY).views, 0);

test.each([
  ["a Wednesday", 2 * DAY, "a Sunday", 6 * DAY],
  ["18 UTC", 6 * HOUR, "3 UTC", 15 * HOUR],
])("posts of %s are seen by more than those of %4$s", (_, better, __, worse) => {
  expect(viewsAt(MADE + better)).toBeGreaterThan(1.5 * viewsAt(MADE + worse));
});

test("an account has more followers every day, in some weeks more than in others", () => {
  const gained = Array.from({ length: 365 }, (_, day) => {
    const at = MADE + day * DAY;
    return followersOf("tiktok 7", at + DAY) - followersOf("tiktok 7", at);
  });
  expect(Math.min(...gained)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...gained)).toBeGreaterThan(2 * Math.max(1, Math.min(...gained)));
});
