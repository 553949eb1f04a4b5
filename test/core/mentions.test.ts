import { expect, test } from "vitest";
import { hasMention, plainMentions, splitAtMentions } from "../../src/core/mentions.ts";

const URN = "urn:li:organization:1";

test.each([
  [`By @[Acme](${URN})!`, "By Acme!"],
  [`@[A](urn:li:person:x)@[B](${URN})`, "AB"],
  [`@[Foo [Bar] (Inc.)](${URN})`, "Foo [Bar] (Inc.)"],
  [`@[[Foo]](${URN})`, "[Foo]"],
  [`@[](${URN})`, ""],
  [`@[A @[B](${URN})](urn:2)`, "A B"],
  [`@@[[X](urn:a)](urn:b)`, "X"],
  [`@[👩‍👩‍👧 名前 \u202Eabc](${URN})`, "👩‍👩‍👧 名前 \u202Eabc"],
  [`@[$& $1 **b** <b>&amp;](${URN})`, "$& $1 **b** <b>&amp;"],
  [`@[${"n".repeat(10_000)}](${URN})`, "n".repeat(10_000)],
])("%j becomes the text %j", (text, plain) => {
  expect(plainMentions(text)).toBe(plain);
  expect(hasMention(plain)).toBe(false);
});

test.each([
  "@[Acme](https://acme.test)",
  "@[Acme] (urn:li:organization:1)",
  "[Acme](urn:li:organization:1)",
  "@[two\nlines](urn:li:organization:1)",
  "@[Acme](urn:li:organization:1",
  "@acme",
])("%j is no mention", (text) => {
  expect(plainMentions(text)).toBe(text);
  expect(splitAtMentions(text)).toEqual([text]);
});

test("splits a text at its mentions", () => {
  expect(splitAtMentions(`By @[A ] b](${URN}) and @[C](urn:x)`)).toEqual([
    "By ",
    { name: "A ] b", urn: URN },
    " and ",
    { name: "C", urn: "urn:x" },
  ]);
});

test.each([
  "@[".repeat(50_000),
  "@[a](urn:".repeat(20_000),
  `@[${"](urn:".repeat(20_000)}`,
  "@[".repeat(9_000) + "](urn:1)".repeat(9_000),
])("a hostile text takes no time", (text) => {
  const before = performance.now();
  plainMentions(text);
  expect(performance.now() - before).toBeLessThan(1_000);
});
