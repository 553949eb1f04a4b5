import { expect, test } from "vitest";
import { readFeed } from "../../../src/features/feeds/read-feed.ts";
import { fillTemplate, namesOf } from "../../../src/features/feeds/rules.ts";
import { KINDS, rss, rssItem } from "./samples.ts";

const ADDRESS = "https://blog.example/feed";

test.for(KINDS)("reads %s", ([, text]) => {
  const entries = readFeed(text, ADDRESS);
  expect(entries?.map(({ title, link }) => [title, link])).toEqual([
    ["Entry 2", "https://blog.example/2"],
    ["Entry 1", "https://blog.example/1"],
  ]);
  expect(entries?.[0]?.summary).toBe("About 2 & more");
});

const PICTURES: [where: string, more: string, picture: string | null][] = [
  [
    "an enclosure",
    '<enclosure url="/a.png" type="image/png" length="1"/>',
    "https://blog.example/a.png",
  ],
  [
    "media:content",
    '<media:content url="https://x.example/a.jpg" type="image/jpeg"/>',
    "https://x.example/a.jpg",
  ],
  [
    "media:thumbnail",
    '<media:thumbnail url="https://x.example/t.jpg"/>',
    "https://x.example/t.jpg",
  ],
  [
    "a media group",
    '<media:group><media:content url="https://x.example/g.jpg" medium="image"/></media:group>',
    "https://x.example/g.jpg",
  ],
  [
    "the text",
    '<content:encoded><![CDATA[<p><img alt="x" src="b.jpg?a=1&amp;b=2"></p>]]></content:encoded>',
    "https://blog.example/b.jpg?a=1&b=2",
  ],
  ["nowhere", '<enclosure url="/a.mp3" type="audio/mpeg" length="1"/>', null],
  [
    "a script's address",
    '<enclosure url="javascript:alert(1)" type="image/png" length="1"/>',
    null,
  ],
];

test.for(PICTURES)("finds the picture in %s", ([, more, picture]) => {
  expect(readFeed(rss(rssItem(1, more)), ADDRESS)?.[0]?.picture).toBe(picture);
});

test.for([
  ["a page", "<!doctype html><html><body>Hello</body></html>"],
  ["nothing", ""],
  ["JSON of something else", '{"items":[]}'],
  ["a picture", "\u0089PNG\r\n"],
])("%s is not a feed", ([, text]) => {
  expect(readFeed(text ?? "", ADDRESS)).toBeNull();
});

test("a feed that breaks off is none, and one with entities that grow, does no harm", () => {
  expect(readFeed(rss(rssItem(1)).slice(0, -30), ADDRESS)).toBeNull();
  const bomb = `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>`;
  const text = rss("<item><title>&c;</title></item>").replace("<rss", `${bomb}<rss`);
  expect((readFeed(text, ADDRESS)?.[0]?.title ?? "").length).toBeLessThan(100_000);
});

test("an entry is known by its id and its own address; a shared address says nothing", () => {
  const entries = readFeed(rss(rssItem(2), rssItem(1)), ADDRESS) ?? [];
  expect([...namesOf(entries).values()][1]).toEqual(["id blog-1", "link https://blog.example/1"]);
  const home = entries.map((entry) => ({ ...entry, link: "https://blog.example/" }));
  expect([...namesOf(home).values()]).toEqual([["id blog-2"], ["id blog-1"]]);
});

test("a template is filled, and an entry's text names no block", () => {
  const [entry] = readFeed(rss(rssItem(1)), ADDRESS) ?? [];
  if (!entry) throw new Error("no entry");
  const hostile = { ...entry, title: "{block:secret|a=b}", link: "https://x.example/{a}|b" };
  expect(fillTemplate("{title} {date}\n{block:utm|{link}}", hostile)).toBe(
    "block:secret a=b 2026-12-01\n{block:utm|https://x.example/%7Ba%7D%7Cb}",
  );
  expect(fillTemplate("{title}: {summary}", entry)).toBe("Entry 1: About 1 & more");
});
