import { expect, test } from "vitest";
import { formatCount } from "../../src/core/counts.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [2_000_000, "2,000,000"],
])("%d is written as %s", (count, text) => {
  expect(formatCount(count)).toBe(text);
});
