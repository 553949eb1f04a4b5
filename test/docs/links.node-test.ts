import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import GithubSlugger from "github-slugger";
import { Marked } from "marked";
import { GUIDES_FOLDER, readGroups, readGuides } from "../../src/cli/guides.ts";
import { inProject } from "../../src/cli/paths.ts";
import { README } from "../../src/cli/platform-facts.ts";

const MAX_README_LINES = 200;

const guides = await readGuides();

const PAGES = [
  README,
  inProject(".github/CONTRIBUTING.md"),
  ...[...guides.keys()].map((name) => join(GUIDES_FOLDER, `${name}.md`)),
];

interface Page {
  links: string[];
  anchors: string[];
}

function readPage(text: string): Page {
  const page: Page = { links: [], anchors: [] };
  const slugger = new GithubSlugger();
  const marked = new Marked();
  marked.walkTokens(marked.lexer(text), (token) => {
    if (token.type === "link") page.links.push(token.href);
    if (token.type === "heading") page.anchors.push(slugger.slug(token.text));
  });
  return page;
}

/** Says what is wrong with a relative link of a page; null for one that leads somewhere. */
async function faultOf(link: string, page: string): Promise<string | null> {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  const text = await readFile(target, "utf8").catch(() => null);
  if (text === null) return `${link} leads to no file`;
  if (anchor === undefined || readPage(text).anchors.includes(anchor)) return null;
  return `${link} leads to no heading`;
}

for (const page of PAGES) {
  test(`every link of ${relative(inProject("."), page)} leads somewhere`, async () => {
    const { links } = readPage(await readFile(page, "utf8"));
    const own = links.filter((link) => !/^[a-z]+:/.test(link));
    const faults = await Promise.all(own.map((link) => faultOf(link, page)));
    assert.deepEqual(
      faults.filter((fault) => fault !== null),
      [],
    );
  });
}

test("the README is a front page", async () => {
  const lines = (await readFile(README, "utf8")).split("\n").length - 1;
  assert.ok(lines <= MAX_README_LINES, `It has ${lines} lines.`);
});

test("the list of guides names every guide", () => {
  const listed = readGroups(guides).flatMap((group) => group.guides.map(({ name }) => name));
  assert.equal(listed.length, guides.size - 1);
});
