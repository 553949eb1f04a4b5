import { expect, test } from "vitest";
import { withKeys } from "../../../src/features/feeds/keys.ts";
import { readFeed } from "../../../src/features/feeds/read-feed.ts";

/** Feeds of other projects' tests; `public/SOURCES.md` names them. */
const FEEDS: Record<string, string> = import.meta.glob("./public/*.xml", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Counted and read by hand in the files: how many entries, and what one of them is. */
const ENTRIES: [file: string, count: number, title: string, link: string | null][] = [
  // The second entry stands twice.
  ["atom-03.xml", 2, "Second entry title", "https://blog.example/entry/4"],
  ["atom-10.xml", 6, "Minimal Required Entry", null],
  [
    "craigslist.rss.xml",
    25,
    "Bright, Spacious Beautiful Victorian (oakland north / temescal) $4300 3bd 1930ft 2",
    "http://sfbay.craigslist.org/eby/apa/6186664607.html",
  ],
  ["gulp-atom.atom.xml", 10, "v3.9.0", "https://blog.example/gulpjs/gulp/releases/tag/v3.9.0"],
  [
    "heise.atom.xml",
    15,
    "Java-Anwendungsserver: Red Hat gibt WildFly 10 frei",
    "http://www.heise.de/developer/meldung/Java-Anwendungsserver-Red-Hat-gibt-WildFly-10-frei-3088438.html?wt_mc=rss.developer.beitrag.atom",
  ],
  [
    "itunes-href.rss.xml",
    10,
    "Manager bewertet Transfers | Eberl lobt BVB für Pulisic-Deal – Hudson-Odoi kostet „fast so viel wie mein Kader“",
    "http://www.transfermarkt.de/eberl-lobt-bvb-fur-pulisic-deal-ndash-hudson-odoi-kostet-bdquo-fast-so-viel-wie-mein-kader-ldquo-/view/news/326649?rss",
  ],
  ["narro.rss.xml", 1, "FAQ for Narro", "https://www.narro.co/article/54e703933058540300000069"],
  [
    "rdf-10.xml",
    2,
    "Processing Inclusions with XSLT",
    "http://xml.com/pub/2000/08/09/xslt/xslt.html",
  ],
  [
    "reddit-atom.rss.xml",
    24,
    "I am the guy who dragged a model into the ocean and tied her up with sharks for conservation. Photographer VonWong, AMA",
    "https://www.reddit.com/r/IAmA/comments/42bx8o/i_am_the_guy_who_dragged_a_model_into_the_ocean/",
  ],
  ["rss-090.xml", 2, "First item title", "http://example.org/item/1"],
  ["rss-092.xml", 2, "First item title", "http://example.org/item/1"],
  ["rss-094.xml", 2, "First item title", "http://example.org/item/1"],
];

test("every feed has a row", () => {
  expect(ENTRIES.map(([file]) => `./public/${file}`).sort()).toEqual(Object.keys(FEEDS).sort());
});

test.for(ENTRIES)("%s", async ([file, count, title, link]) => {
  const listed = readFeed(FEEDS[`./public/${file}`] ?? "", "https://blog.example/feed") ?? [];
  const entries = await withKeys(listed);
  expect(entries.map(({ entry }) => [entry.title, entry.link])).toContainEqual([title, link]);
  expect(entries).toHaveLength(count);
  const keys = entries.flatMap((one) => one.keys);
  expect(new Set(keys).size).toBe(keys.length);
  for (const { entry } of entries)
    expect(entry.summary).not.toMatch(/<(!--|\/?(p|br|a|img|div)\b)/i);
});
