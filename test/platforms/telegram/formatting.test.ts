import { describe, expect, test } from "vitest";
import { countCodePoints } from "../../../src/core/text.ts";
import { readHtml } from "../../../src/platforms/telegram/formatting.ts";

const spans = (html: string) => {
  const read = readHtml(html);
  if (!read.ok) throw new Error(read.error);
  const { text, entities } = read.value;
  return [
    text,
    ...entities.map(({ type, offset, length }) => `${type} ${text.slice(offset, offset + length)}`),
  ];
};

test.each<[string, string[]]>([
  ["plain", ["plain"]],
  ["<b>a</b> <strong>b</strong>", ["a b", "bold a", "bold b"]],
  ["<i>a</i><em>b</em>", ["ab", "italic a", "italic b"]],
  ["<u>a</u><ins>b</ins>", ["ab", "underline a", "underline b"]],
  [
    "<s>a</s><strike>b</strike><del>c</del>",
    ["abc", "strikethrough a", "strikethrough b", "strikethrough c"],
  ],
  ['<tg-spoiler>a</tg-spoiler><span class="tg-spoiler">b</span>', ["ab", "spoiler a", "spoiler b"]],
  ["<code>a</code>", ["a", "code a"]],
  ["<pre>a</pre>", ["a", "pre a"]],
  ['<pre><code class="language-c++">a</code></pre>', ["a", "pre a"]],
  ["<blockquote>a</blockquote>", ["a", "blockquote a"]],
  ["<blockquote expandable>a</blockquote>", ["a", "expandable_blockquote a"]],
  ["<b>a<i>b</i></b>", ["ab", "bold ab", "italic b"]],
  ["<B>a</B>", ["a", "bold a"]],
  ["<b></b>x", ["x"]],
  ["😀<b>😀</b>", ["😀😀", "bold 😀"]],
  ["1 > 0 &amp;&amp; 0 &lt; 1 &quot;&#39;&#x1F600; &nope; &", ["1 > 0 && 0 < 1 \"'😀 &nope; &"]],
])("reads %s", (html, expected) => {
  expect(spans(html)).toEqual(expected);
});

test("keeps addresses and languages", () => {
  const html = `<a href='https://a.example/?b=1&amp;c=2'>x</a><pre><code class="language-ts">y</code></pre>`;
  expect(readHtml(html)).toMatchObject({
    value: { entities: [{ url: "https://a.example/?b=1&c=2" }, { language: "ts" }] },
  });
});

describe("refuses", () => {
  test.each<[string, RegExp]>([
    ["<b>a", /<b> is not closed/],
    ["a</b>", /<\/b> closes nothing/],
    ["<b><i>a</b></i>", /<\/b> closes <i>/],
    ["<h1>a</h1>", /no tag <h1>/],
    ["<constructor>a</constructor>", /no tag <constructor>/],
    ["<code>a<b>b</b></code>", /nothing inside <code>/],
    [`<${"x".repeat(10_000)}>`, /^Telegram has no tag <x{40}>; it takes .{1,200}$/],
    ["a < b", /begins no tag/],
    ["<a>x</a>", /needs an address/],
    ['<a href="javascript:alert(1)">x</a>', /needs an address/],
    ['<b onclick="x">a</b>', /does not know <b onclick/],
    ["<span>a</span>", /does not know <span>/],
    ["<b>a</b>".repeat(101), /shows 100 formatted passages; there are 101/],
  ])("%s", (html, error) => {
    expect(readHtml(html)).toMatchObject({ ok: false, error: expect.stringMatching(error) });
  });
});

test.each(["<a", "<", "a", " ", "&#", "<b>", "<a href=", "&lt;", "<b>x</b>", '<a href="&lt;'])(
  "reads 250 KB of %s",
  (part) => {
    const html = `<a${part.repeat(250_000 / part.length)}`;
    expect(readHtml(html)).toMatchObject({ ok: false });
  },
);

test("counts as Telegram counts for bots", () => {
  expect([countCodePoints("abc"), countCodePoints("😀"), countCodePoints("👩‍👩‍👧")]).toEqual([
    3, 1, 5,
  ]);
});
