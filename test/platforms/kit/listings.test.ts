import { expect, test } from "vitest";
import { comparable } from "../../../src/platforms/kit/listings.ts";

test.each<[string | null | undefined, string]>([
  [" a  b\n\nc ", "a b c"],
  ["e\u0301", "\u00E9"],
  ["", ""],
  [null, ""],
  [undefined, ""],
])("%j is compared as %j", (text, compared) => {
  expect(comparable(text)).toBe(compared);
});
