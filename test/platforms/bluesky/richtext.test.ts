import { expect, test } from "vitest";
import { findSpans, toFacets } from "../../../src/platforms/bluesky/richtext.ts";

/** The text under each facet, cut by bytes like clients do, and its target. */
function facetsOf(text: string): [string, string][] {
  const spans = findSpans(text);
  const dids = new Map(
    spans.flatMap((span): [string, string][] =>
      span.kind === "mention" ? [[span.handle, `did:web:${span.handle}`]] : [],
    ),
  );
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return toFacets(text, spans, dids).map(({ index, features }) => {
    const [feature] = features;
    const target =
      feature?.$type === "app.bsky.richtext.facet#link"
        ? feature.uri
        : feature?.$type === "app.bsky.richtext.facet#tag"
          ? feature.tag
          : (feature?.did ?? "");
    return [decoder.decode(bytes.slice(index.byteStart, index.byteEnd)), target];
  });
}

const link = (shown: string, uri = shown): [string, string] => [shown, uri];
const bare = (shown: string): [string, string] => [shown, `https://${shown}`];
const mention = (handle: string): [string, string] => [`@${handle}`, `did:web:${handle}`];
const tag = (name: string, sign = "#"): [string, string] => [`${sign}${name}`, name];

test.each<[string, [string, string][]]>([
  ["start https://middle.com/foo?bar=baz#hash end", [link("https://middle.com/foo?bar=baz#hash")]],
  ["http://one.com\nhttps://two.com", [link("http://one.com"), link("https://two.com")]],
  ["HTTPS://Example.COM/Path", [link("HTTPS://Example.COM/Path")]],
  [
    "https://foo.com, https://bar.com/a; https://baz.com.",
    [link("https://foo.com"), link("https://bar.com/a"), link("https://baz.com")],
  ],
  ["really https://foo.com?!... yes", [link("https://foo.com")]],
  ["(https://foo.com)", [link("https://foo.com")]],
  ["(see https://foo.com/a).", [link("https://foo.com/a")]],
  ["https://foo.com/thing_(cool)", [link("https://foo.com/thing_(cool)")]],
  ["(https://foo.com/thing_(cool))", [link("https://foo.com/thing_(cool)")]],
  ["[https://foo.com/a]", [link("https://foo.com/a")]],
  ['"https://foo.com/a"', [link("https://foo.com/a")]],
  ["“https://foo.com/a”", [link("https://foo.com/a")]],
  ["<https://foo.com/a>", [link("https://foo.com/a")]],
  ["Link:https://foo.com/a", [link("https://foo.com/a")]],
  ["https://foo.com/https://bar.com", [link("https://foo.com/https://bar.com")]],
  ["https://foo.com/@alice.com #tag", [link("https://foo.com/@alice.com"), tag("tag")]],
  ["https:// and http://...", []],
])("links the URLs of %j", (text, expected) => {
  expect(facetsOf(text)).toEqual(expected);
});

test.each<[string, [string, string][]]>([
  ["start middle.com end", [bare("middle.com")]],
  ["a example.com/index.php php link", [bare("example.com/index.php")]],
  ["a trailing bsky.app: colon", [bare("bsky.app")]],
  ["my-site.co.uk/a?b=c#d", [bare("my-site.co.uk/a?b=c#d")]],
  ["example.com:8443/a", [bare("example.com:8443/a")]],
  ["(example.com)", [bare("example.com")]],
  ["example.com's page, example.com?", [bare("example.com"), bare("example.com")]],
  ["newline1.com\nnewline2.com", [bare("newline1.com"), bare("newline2.com")]],
  ["not.. a..url ..here", []],
  ["e.g. and i.e. and e.g./foo", []],
  ["something-cool.jpg website.com.jpg website.com.jpg/foo", []],
  ["One sentence.In another", []],
  ["1.5 and 127.0.0.1 and co.uk", []],
  ["exämple.com", []],
  ["_example.com example.com_", []],
])("links the bare domains of %j", (text, expected) => {
  expect(facetsOf(text)).toEqual(expected);
});

test.each<[string, [string, string][]]>([
  ["me@example.com", []],
  ["Write to first.last@example.com!", []],
  ["john.de@example.com (a.b.com@c.org)", []],
  ["mailto:me@example.com a+b.com@c.org", []],
])("takes the email addresses of %j for neither links nor mentions", (text, expected) => {
  expect(facetsOf(text)).toEqual(expected);
});

test.each<[string, [string, string][]]>([
  ["@handle.com middle end", [mention("handle.com")]],
  ["start @handle.com", [mention("handle.com")]],
  ["@handle.com @handle.com", [mention("handle.com"), mention("handle.com")]],
  ["@full123-chars.test", [mention("full123-chars.test")]],
  ["not@right", []],
  ["@handle.com!@#$chars", [mention("handle.com")]],
  ["(@handle.com).", [mention("handle.com")]],
  ["@alice.bsky.social's", [mention("alice.bsky.social")]],
  ["@Alice.Bsky.social", [["@Alice.Bsky.social", "did:web:alice.bsky.social"]]],
  ["@someone and @not.areal.tldx", []],
  ["@alice@mastodon.social @alice.com@mastodon.social", []],
  ["https://site.com/@alice.com", [link("https://site.com/@alice.com")]],
])("finds the mentions of %j", (text, expected) => {
  expect(facetsOf(text)).toEqual(expected);
});

const TAG_64 = "thisisa64characterstring_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const WIDE_TAG = "👨‍👩‍👧‍👧";

test.each<[string, [string, string][]]>([
  ["#a #b", [tag("a"), tag("b")]],
  ["#1 #12 # #? ##", []],
  ["#1a", [tag("1a")]],
  ["#multi_trailing___... #like. #this!", [tag("multi_trailing"), tag("like"), tag("this")]],
  ["works #with,punctuation", [tag("with,punctuation")]],
  ["#double#rainbow", [tag("double#rainbow")]],
  ["no#tag", []],
  ["(#tag)", [tag("tag")]],
  ["＃タグ です", [tag("タグ", "＃")]],
  ["#🦋 and #butter🦋fly", [tag("🦋"), tag("butter🦋fly")]],
  ["this #️⃣tag is a keycap", []],
  [`#${TAG_64}`, [tag(TAG_64)]],
  [`#${TAG_64}!`, [tag(TAG_64)]],
  [`#${TAG_64}b`, []],
  [`#${"é".repeat(64)}`, [tag("é".repeat(64))]],
  [`#${WIDE_TAG.repeat(2)}`, [tag("👨")]],
  ["#example.com", [tag("example.com")]],
  [
    "$AAPL and $tsla.",
    [
      ["$AAPL", "$AAPL"],
      ["$tsla", "$TSLA"],
    ],
  ],
  ["($BRK)", [["$BRK", "$BRK"]]],
  ["$5 $TOOLONG $A1 US$AAPL $", []],
])("finds the tags of %j", (text, expected) => {
  expect(facetsOf(text)).toEqual(expected);
});

test.each<[string, [string, string][]]>([
  [
    "👨‍👩‍👧‍👧 @handle.com 👨‍👩‍👧‍👧 #tag https://a.com",
    [mention("handle.com"), tag("tag"), link("https://a.com")],
  ],
  ["❤️example.com 👉https://a.com", [bare("example.com"), link("https://a.com")]],
  ["見てhttps://例え.jp/道。東京 @handle.com", [link("https://例え.jp/道"), mention("handle.com")]],
  ["请看example.com谢谢", [bare("example.com")]],
  ["「https://a.com/x」、（b.com）", [link("https://a.com/x"), bare("b.com")]],
  [
    "cafe\u0301 https://cafe\u0301.com/e\u0301 #cafe\u0301",
    [link("https://cafe\u0301.com/e\u0301"), tag("cafe\u0301")],
  ],
  ["Ünïcödé ñ #ñandú $EUR", [tag("ñandú"), ["$EUR", "$EUR"]]],
])("cuts %j at whole characters of UTF-8", (text, expected) => {
  expect(facetsOf(text)).toEqual(expected);
});

test("leaves a mention that leads to nobody as plain text", () => {
  const text = "@known.com @unknown.com";
  const facets = toFacets(text, findSpans(text), new Map([["known.com", "did:web:known.com"]]));
  expect(facets).toEqual([
    {
      index: { byteStart: 0, byteEnd: 10 },
      features: [{ $type: "app.bsky.richtext.facet#mention", did: "did:web:known.com" }],
    },
  ]);
});

test.each([
  ["links", "https://a.com".repeat(300)],
  ["domains", "a.".repeat(1_500)],
  ["hyphens", `a${"-".repeat(2_900)}.com`],
  ["mentions", `@${"a.".repeat(1_400)}!`],
  ["tags", `#${"1".repeat(2_900)}`],
  ["brackets", `https://a.com/${")".repeat(2_900)}`],
])("finds nothing that overlaps in a long text of %s", (_, text) => {
  const spans = findSpans(text);
  let end = 0;
  for (const span of spans) {
    expect(span.start).toBeGreaterThanOrEqual(end);
    end = span.end;
  }
});
