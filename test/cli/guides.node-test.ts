import assert from "node:assert/strict";
import { test } from "node:test";
import { readGroups, renderGuide, renderGuides } from "../../src/cli/guides.ts";

const NAMES = new Set(["guides", "first", "platforms/x"]);

const htmlOf = (body: string, name = "first"): string =>
  renderGuide(name, `# First post\n\n${body}`, NAMES).page.html;

test("a guide has its title, and what stands below it", () => {
  const { page } = renderGuide("first", "# First `post`\n\nHello.\n\n## Now\n\n### Then\n", NAMES);
  assert.equal(page.title, "First post");
  assert.match(page.html, /^<p>Hello.<\/p>\n<h2 id="now">Now /);
  assert.deepEqual(page.sections, [{ id: "now", title: "Now" }]);
});

test("headings have the anchors that GitHub gives them", () => {
  const html = htmlOf("## What `it` costs, & why?\n\n## Now\n\n## Now\n");
  for (const id of ["what-it-costs--why", "now", "now-1"]) {
    assert.ok(html.includes(`id="${id}"`), `${id} in ${html}`);
    assert.ok(html.includes(`href="#${id}"`));
  }
});

test("links to guides lead to their pages, and others stay", () => {
  const leads = (href: string, name?: string) =>
    /<a href="([^"]+)">here/.exec(htmlOf(`Look [here](${href}).`, name))?.[1];
  assert.equal(leads("first.md#now"), "/docs/first#now");
  assert.equal(leads("platforms/x.md"), "/docs/platforms/x");
  assert.equal(leads("../first.md", "platforms/x"), "/docs/first");
  assert.equal(leads("#now"), "#now");
  assert.equal(leads("https://example.com/?a=1&b=2"), "https://example.com/?a=1&amp;b=2");
});

test("a file that no instance serves is named without a link", () => {
  assert.equal(htmlOf("See [the map](../../.github/CONTRIBUTING.md)."), "<p>See the map.</p>\n");
});

test("refuses a link to a guide that does not exist, and a guide without a title", () => {
  assert.throws(() => htmlOf("[here](second.md)"), /first.md leads to second.md/);
  assert.throws(() => renderGuide("first", "Hello", NAMES), /has no title/);
});

test("code stays as it is written, and tables can be scrolled by keyboard", () => {
  assert.equal(
    htmlOf('```sh\ncurl "$A" <b>\n```'),
    '<pre tabindex="0"><code>curl &quot;$A&quot; &lt;b&gt;</code></pre>\n',
  );
  const table = htmlOf(
    "<!-- facts -->\n| A | B |\n|---|---|\n| `a\\|b` | x<br>y |\n<!-- /facts -->\n",
  );
  assert.equal(
    table,
    '<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead>' +
      "<tbody><tr><td><code>a|b</code></td><td>x<br>y</td></tr></tbody></table></div>\n",
  );
});

test("the search knows each part by its words", () => {
  const text =
    "# First post\n\nIn [short](first.md).\n\n## Now\n\n- `one`\n\n| A |\n|---|\n| two |\n\n```sh\nthree\n```\n";
  assert.deepEqual(renderGuide("first", text, NAMES).search, [
    { path: "first", guide: "First post", heading: "", text: "In short." },
    { path: "first#now", guide: "First post", heading: "Now", text: "one A two three" },
  ]);
});

const LIST = `# Guides

Words.

## Publish

- [First post](first.md): How to publish.

## Platforms

- [X](platforms/x.md): What X takes.
`;

const guidesWith = (list: string) =>
  new Map([
    ["first", "# First post"],
    ["guides", list],
    ["platforms/x", "# X"],
  ]);

test("the list has the guides in groups", () => {
  assert.deepEqual(readGroups(guidesWith(LIST)), [
    {
      title: "Publish",
      guides: [{ name: "first", title: "First post", description: "How to publish." }],
    },
    {
      title: "Platforms",
      guides: [{ name: "platforms/x", title: "X", description: "What X takes." }],
    },
  ]);
});

for (const [what, list, refusal] of [
  ["lacks a guide", LIST.replace("- [X]", "[X]"), /Missing there: platforms\/x\./],
  [
    "has one without a file",
    LIST.replace("platforms/x", "platforms/y"),
    /Missing there: platforms\/x\. Without a file, or twice: platforms\/y\./,
  ],
  [
    "has one twice",
    LIST.replace("platforms/x", "first"),
    /Missing there: platforms\/x\. Without a file, or twice: first\./,
  ],
] as const) {
  test(`refuses a list that ${what}`, () => {
    assert.throws(() => readGroups(guidesWith(list)), refusal);
  });
}

test("builds the list, each guide, its Markdown and the index of the search", () => {
  const files = renderGuides(guidesWith(LIST));
  assert.deepEqual([...files.keys()].sort(), [
    "/docs/guides.json",
    "/docs/pages/first.json",
    "/docs/pages/guides.json",
    "/docs/pages/platforms/x.json",
    "/docs/search.json",
    "/docs/text/first.md",
    "/docs/text/guides.md",
    "/docs/text/platforms/x.md",
  ]);
});

test("a picture stands in a guide once it was taken", () => {
  const text =
    "# First post\n\nBefore.\n\n<!-- picture first-page: A page with “words” -->\n\nAfter.\n";
  const without = renderGuide("first", text, NAMES).page.html;
  assert.equal(without.trim(), "<p>Before.</p>\n<p>After.</p>");
  const { html } = renderGuide("first", text, NAMES, new Set(["first-page"])).page;
  assert.match(html, /<img src="\/docs\/pictures\/first-page\.jpg" alt="A page with “words”"/);
});
