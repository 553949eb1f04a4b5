import { expect, test } from "vitest";
import { linksOf, weightOf } from "../../../src/sandbox/x/text.ts";

test("a text is counted and searched for links as a whole, however long", () => {
  const words = `${"word ".repeat(200)}example.com 👩‍👩‍👧 名 https://example.org/${"b".repeat(60)}`;
  expect(weightOf(words)).toBe(1_000 + 23 + 1 + 2 + 1 + 2 + 1 + 23);
  const links = linksOf(words);
  expect(links.map(({ url }) => url.slice(0, 20))).toEqual(["example.com", "https://example.org/"]);
  for (const { url, indices } of links) expect(words.slice(...indices)).toBe(url);
  expect(weightOf("x".repeat(25_000))).toBe(25_000);
  expect(weightOf("😀".repeat(1_000))).toBe(2_000);
  expect(weightOf("e\u0301".repeat(500))).toBe(500);
});

test.each([
  ["a.", "dots"],
  ["(a)", "brackets"],
  ["@a", "names"],
  ["#a", "hashtags"],
  ["$a", "cashtags"],
  ["https://a.b/(", "open brackets"],
  ["a-", "dashes"],
  ["名.", "other letters"],
  ["https://", "beginnings"],
])("25,000 characters of %s (%s) are done with quickly", (unit) => {
  const text = unit.repeat(Math.ceil(25_000 / unit.length));
  const start = performance.now();
  weightOf(text);
  linksOf(text);
  // A tenth of that on an idle machine.
  expect(performance.now() - start).toBeLessThan(10_000);
});
