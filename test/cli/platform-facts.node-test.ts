import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  EXAMPLE,
  formatFacts,
  formatPlatforms,
  guideOf,
  newGuide,
  README,
  withAppKeys,
  withFacts,
  withPlatforms,
} from "../../src/cli/platform-facts.ts";
import { PLATFORMS } from "../../src/core/platforms.ts";

test("the README holds the platforms as the code knows them; npm run readme writes them", async () => {
  const readme = await readFile(README, "utf8");
  assert.equal(withPlatforms(readme), readme);
});

for (const platform of PLATFORMS) {
  test(`the guide of ${platform} holds the facts as the code knows them; npm run readme writes them`, async () => {
    const guide = await readFile(guideOf(platform), "utf8");
    assert.equal(await withFacts(guide, platform), guide);
  });
}

test("the example of all settings holds the keys of every platform's app", async () => {
  const example = await readFile(EXAMPLE, "utf8");
  assert.match(example, /^X_CLIENT_SECRET=$/m);
  assert.equal(withAppKeys(example), example);
});

const countCells = (row: string): number => row.split(/(?<!\\)\|/).length;

test("every platform has a row with as many cells as the head", () => {
  const [head = "", , ...rows] = formatPlatforms().split("\n");
  const linked = rows.map((row) => /src\/docs\/platforms\/(\w+)\.md/.exec(row)?.[1]);
  assert.deepEqual(linked, [...PLATFORMS]);
  for (const row of rows) assert.equal(countCells(row), countCells(head));
});

test("the facts name limits, keys, addresses, scopes and fields, in rows of two cells", () => {
  const facts = formatFacts("instagram");
  for (const row of [
    "| Images | `image/jpeg`, `image/png`, `image/webp`, `image/gif`; up to 8 MB |",
    "| Keys | `INSTAGRAM_CLIENT_ID`, `INSTAGRAM_CLIENT_SECRET` |",
    "| Redirect URL | `http://localhost:8797/oauth/callback/instagram` |",
    "| Optional scopes | `instagram_business_manage_insights` |",
  ]) {
    assert.ok(facts.includes(`\n${row}\n`), row);
  }
  assert.match(facts, /^\| `media_type` \| /m);
  for (const platform of PLATFORMS) {
    const rows = formatFacts(platform).match(/^\|.*$/gm) ?? [];
    for (const row of rows) assert.equal(countCells(row), 4, row);
  }
});

test("a platform without a guide gets one that holds its facts and its steps", async () => {
  const guide = await withFacts(newGuide("x"), "x");
  assert.match(guide, /^# X\n\n.+\n\n<!-- facts -->\n## Facts\n/);
  assert.match(guide, /\n<!-- steps -->\n## Set up\n/);
});

test("what stands around the marks stays, and writing again changes nothing", () => {
  const readme = "Before\n\n<!-- platforms -->\nold\n<!-- /platforms -->\n\nAfter\n";
  const written = withPlatforms(readme);
  assert.match(written, /^Before\n\n<!-- platforms -->\n\| Platform /);
  assert.match(written, /\n<!-- \/platforms -->\n\nAfter\n$/);
  assert.equal(withPlatforms(written), written);
});

for (const readme of ["", "<!-- platforms -->", "<!-- /platforms -->\n<!-- platforms -->"]) {
  test(`refuses a file without both marks in order: ${JSON.stringify(readme)}`, () => {
    assert.throws(() => withPlatforms(readme), /The file lacks/);
  });
}
