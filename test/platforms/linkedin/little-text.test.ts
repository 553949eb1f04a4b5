import { expect, test } from "vitest";
import { escapeLittleText, readLittleText } from "../../../src/platforms/linkedin/little-text.ts";
import { styleText, withoutMarks } from "../../../src/platforms/linkedin/styling.ts";

test.each([
  ["**Bold 09**", "𝗕𝗼𝗹𝗱 𝟬𝟵"],
  ["*Italic 09*", "𝘐𝘵𝘢𝘭𝘪𝘤 09"],
  ["***Both 09***", "𝘽𝙤𝙩𝙝 𝟬𝟵"],
  ["**AZaz** *AZaz* ***AZaz***", "𝗔𝗭𝗮𝘇 𝘈𝘡𝘢𝘻 𝘼𝙕𝙖𝙯"],
  ["a **b *c* d** e", "a 𝗯 𝙘 𝗱 e"],
  ["**one** and **two**", "𝗼𝗻𝗲 and 𝘁𝘄𝗼"],
  ["in**side**rs", "in𝘀𝗶𝗱𝗲rs"],
  ["**é ü ñ 漢 😀 !?**", "é ü ñ 漢 😀 !?"],
  ["**cafe\u0301**", "𝗰𝗮𝗳e\u0301"],
  ["(*so*)", "(𝘴𝘰)"],
  ["* item\n* *item* two", "* item\n* 𝘪𝘵𝘦𝘮 two"],
  ["  * item **b**", "  * item 𝗯"],
  ["**See https://x.com/Ab1 #Tag1 now**", "𝗦𝗲𝗲 https://x.com/Ab1 #Tag1 𝗻𝗼𝘄"],
])("%j becomes %j", (text, styled) => {
  expect(styleText(text)).toBe(styled);
});

test.each([
  "2*3*4",
  "2 * 3 * 4",
  "** no **",
  "*one\ntwo*",
  "**open",
  "**odd*",
  "****four****",
  "***",
  "* * *",
  "",
  "snake_case __ ~~",
])("%j stays as it is", (text) => {
  expect(styleText(text)).toBe(text);
  expect(withoutMarks(text)).toBe(text);
});

test("a mark that closes takes the ones that were left open inside with it", () => {
  expect(styleText("**a *b** c*")).toBe("𝗮 *𝗯 c*");
});

test("counts the text without its marks, in plain letters", () => {
  expect(withoutMarks("**a** *b* ***c*** * d")).toBe("a b c * d");
});

test("a hundred thousand asterisks take no time", () => {
  const text = "*a ".repeat(100_000);
  const before = performance.now();
  styleText(text);
  expect(performance.now() - before).toBeLessThan(2_000);
});

test.each([
  ["\\ | { } @ [ ] ( ) < > * _ ~", "\\\\ \\| \\{ \\} \\@ \\[ \\] \\( \\) \\< \\> \\* \\_ \\~"],
  ["#tag and #Größe and #2026goals", "#tag and #Größe and #2026goals"],
  ["#snake_case", "#snake\\_case"],
  ["#_private", "\\#\\_private"],
  ["C# #1 # ##x a#b", "C\\# \\#1 \\# \\#\\#x a\\#b"],
  ["https://x.com/a_(b)#c /#d", "https://x.com/a\\_\\(b\\)\\#c /\\#d"],
  ["@[Ada](person:1)", "\\@\\[Ada\\]\\(person:1\\)"],
  ["{hashtag|\\#|x}", "\\{hashtag\\|\\\\\\#\\|x\\}"],
  ["plain 😀 é\n", "plain 😀 é\n"],
])("escapes %j", (text, escaped) => {
  expect(escapeLittleText(text)).toBe(escaped);
  expect(readLittleText(escaped)).toBe(text);
});

test.each([
  ["{hashtag|\\#|tag} and #tag", "#tag and #tag"],
  ["{hashtag|#|a\\_b}", "#a_b"],
  ["by @[Ada \\(L\\)](urn:li:person:1)!", "by Ada (L)!"],
])("reads %j", (commentary, text) => {
  expect(readLittleText(commentary)).toBe(text);
});
