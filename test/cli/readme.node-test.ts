import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  EXAMPLE,
  formatPlatforms,
  README,
  withAppKeys,
  withPlatforms,
} from "../../src/cli/readme-platforms.ts";
import { PLATFORMS } from "../../src/platforms/registry.ts";

test("the README holds the platforms as the code knows them; npm run readme writes them", async () => {
  const readme = await readFile(README, "utf8");
  assert.equal(withPlatforms(readme), readme);
});

test("the example of all settings holds the keys of every platform's app", async () => {
  const example = await readFile(EXAMPLE, "utf8");
  assert.match(example, /^X_CLIENT_SECRET=$/m);
  assert.equal(withAppKeys(example), example);
});

test("every platform has a row with as many cells as the head", () => {
  const [head = "", , ...rows] = formatPlatforms().split("\n");
  const cells = (row: string) => row.split(/(?<!\\)\|/).length;
  assert.deepEqual(
    rows.map((row) => row.split(" ")[1]),
    [...PLATFORMS],
  );
  for (const row of rows) assert.equal(cells(row), cells(head));
});

test("what stands around the marks stays, and writing again changes nothing", () => {
  const readme = "Before\n\n<!-- platforms -->\nold\n<!-- /platforms -->\n\nAfter\n";
  const written = withPlatforms(readme);
  assert.match(written, /^Before\n\n<!-- platforms -->\n\| Platform /);
  assert.match(written, /\n<!-- \/platforms -->\n\nAfter\n$/);
  assert.equal(withPlatforms(written), written);
});

for (const readme of ["", "<!-- platforms -->", "<!-- /platforms -->\n<!-- platforms -->"]) {
  test(`refuses a README without both marks in order: ${JSON.stringify(readme)}`, () => {
    assert.throws(() => withPlatforms(readme), /The README lacks/);
  });
}
