import { describe, expect, test } from "vitest";
import { check } from "../../../src/platforms/x/check.ts";
import { hasLink } from "../../../src/platforms/x/text.ts";
import { weightedLength } from "../../../src/platforms/x/weighted-length.ts";
import { post } from "./scripted.ts";

const LONG_URL = `https://example.com/${"a/b-c?d=e&".repeat(30)}`;
const FAMILY = "👨‍👩‍👧‍👦";
const SKIN = "👍🏽";
const FLAG = "🇩🇪";

const WEIGHTS: [string, string, number][] = [
  ["Latin letters", "abc", 3],
  ["Cyrillic, Greek, Hebrew and Arabic", "жλאب", 4],
  ["Thai and Georgian before U+1100", "กა", 2],
  ["Hangul", "한국", 4],
  ["Han, kana and their punctuation", "漢かカ。", 8],
  ["an ideograph beyond the BMP", "𠮷", 2],
  ["a zero-width space and joiners", "\u200b\u200c\u200d", 3],
  ["dashes and quotes", "–—“”‘’", 6],
  ["an ellipsis and a bullet, which weigh 2", "…•", 4],
  ["the euro sign", "€", 2],
  ["an emoji", "😀", 2],
  ["a family of four", FAMILY, 2],
  ["a skin tone", SKIN, 2],
  ["a flag", FLAG, 2],
  ["a keycap", "1️⃣", 2],
  ["an emoji with its variation selector", "❤️", 2],
  ["two emoji", `${FAMILY}${SKIN}`, 4],
  ["a composed letter", "é", 1],
  ["the same letter decomposed", "e\u0301", 1],
  ["a mark that composes with nothing", "q\u0301", 2],
  ["Hangul from its parts", "\u1112\u1161\u11ab", 2],
  ["a short URL", "http://a.de", 23],
  ["a long URL", LONG_URL, 23],
  ["a bare domain", "example.com", 23],
  ["a domain in words", "see example.com now", 31],
  ["two URLs", "https://a.com https://b.com", 47],
  ["an email address", "me@example.com", 14],
  ["no domain", "file.unknowntld", 15],
  ["a line break", "a\nb", 3],
];

test.each(WEIGHTS)("%s weighs what X says", (_, text, weight) => {
  expect(weightedLength(text)).toBe(weight);
});

describe("at the limit of 280", () => {
  const cases = WEIGHTS.filter(([, text]) => !/^[\u200b-\u200d]/.test(text));
  test.each(cases)("%s up to 279, 280 and 281", (_, text, weight) => {
    for (const total of [279, 280, 281]) {
      const title = `${"x".repeat(total - weight - 1)} ${text}`;
      expect(weightedLength(title)).toBe(total);
      expect(check(post({ title, media: [] }))).toHaveLength(total > 280 ? 1 : 0);
    }
  });

  test.each<[string, string, number]>([
    ["140 Han characters", "漢", 140],
    ["140 families", FAMILY, 140],
    ["140 emoji", "😀", 140],
    ["140 letters with a mark that does not compose", "q\u0301", 140],
    ["280 decomposed letters", "e\u0301", 280],
    ["280 Cyrillic letters", "ж", 280],
  ])("%s fit, one more does not", (_, unit, fitting) => {
    expect(weightedLength(unit.repeat(fitting))).toBe(280);
    expect(check(post({ title: unit.repeat(fitting), media: [] }))).toEqual([]);
    expect(check(post({ title: unit.repeat(fitting + 1), media: [] }))).toMatchObject([
      { field: "title", message: expect.stringContaining("280 characters") },
    ]);
  });
});

test.each([
  "example.com",
  "Read example.com, now",
  "example.shop",
  "example.kids",
  "https://example.com/path?x=1",
  "http://example.com",
  "HTTPS://EXAMPLE.COM",
  "(example.co.uk)",
  "漢字example.comです",
  "x.ai is short",
  "example.com.",
  "xn--e1afmkfd.xn--p1ai",
  LONG_URL,
])("%s has a link", (text) => {
  expect(hasLink(text)).toBe(true);
});

test.each([
  "",
  "no link",
  "e.g. this, i.e. that",
  "e.g.",
  "file.unknowntld",
  "file.txt",
  "me@example.com",
  "3.14 and v1.2.3",
  "Wait...what",
  "End.Of a sentence",
  "http:// nothing",
  "a.b",
  "@example.comx",
])("%s has none", (text) => {
  expect(hasLink(text)).toBe(false);
});

test("a label that punycode cannot count is no domain", () => {
  const text = `${"a".repeat(2_400)}\u{E01EF}.com`;
  expect(weightedLength(text)).toBe(2_406);
  expect(hasLink(text)).toBe(false);
});

const RUSSIAN_URL = "https://ru.wikipedia.org/wiki/Длинное_название_статьи";

test.each<[string, string, number]>([
  ["words", "漢字 ".repeat(2_000), 10_000],
  ["no space at all", "漢".repeat(5_000), 10_000],
  ["families", FAMILY.repeat(1_000), 2_000],
  ["flags", FLAG.repeat(1_000), 2_000],
  ["decomposed Hangul", "\u1112\u1161\u11ab".repeat(2_000), 4_000],
  ["a URL wherever it stands", `${"х ".repeat(139)}${RUSSIAN_URL} х`, 303],
  ["a domain in Han", `${"漢".repeat(795)}\n漢字example.com漢字\n${"漢".repeat(795)}`, 3_213],
])("long texts weigh as much in parts: %s", (_, text, weight) => {
  expect(weightedLength(text)).toBe(weight);
});

test("a URL weighs 23 at every place of a long text", () => {
  for (let before = 230; before < 330; before++) {
    const text = `${"x ".repeat(before)}${RUSSIAN_URL} and more`;
    expect(weightedLength(text)).toBe(2 * before + 32);
  }
});

test.each([
  ["dots", "a.".repeat(12_500)],
  ["hyphens", `${"a-".repeat(12_490)}.com`],
  ["dots behind a protocol", `ftp://${"é.".repeat(12_000)}`],
  ["short names", "a.com ".repeat(4_000)],
  ["brackets in a URL", `http://a.com/${"(a)".repeat(8_000)}`],
  ["Han behind a URL", `http://a.com?${"漢".repeat(12_000)}`],
  ["Cyrillic with dots", `http://a.com/${"жжжжжжжж.".repeat(2_700)}`],
])("25,000 characters of %s are counted in a moment", (_, text) => {
  const start = performance.now();
  weightedLength(text);
  hasLink(text);
  expect(performance.now() - start).toBeLessThan(2_000);
});
