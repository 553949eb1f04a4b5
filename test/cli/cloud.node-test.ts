import assert from "node:assert/strict";
import { test } from "node:test";
import { findListed } from "../../src/cli/cloud.ts";
import { readColumn } from "../../src/cli/wrangler.ts";

const LISTS: [what: string, pages: string[][], found: string[], asked: number][] = [
  ["nothing", [], [], 1],
  ["all on the first page", [["b", "x", "a"]], ["a", "b"], 1],
  ["all, on two pages", [["x", "a"], ["b"], ["y"]], ["a", "b"], 2],
  ["one of two", [["x"], ["b"]], ["b"], 3],
  ["a list that knows no pages", [["x"], ["x"], ["x"], ["x"]], [], 2],
];
for (const [what, pages, found, asked] of LISTS) {
  test(`finds names on a list page by page: ${what}`, async () => {
    let calls = 0;
    const names = await findListed(["a", "b"], async (page) => {
      calls++;
      return pages[page - 1] ?? [];
    });
    assert.deepEqual([[...names], calls], [found, asked]);
  });
}

const TABLE = `
┌─────┬────────────────┬────────────┐
│ \u001b[34mid\u001b[39m  │ name           │ created_on │
├─────┼────────────────┼────────────┤
│ q-1 │ akimbo-publish │            │
├─────┼────────────────┼────────────┤
│ q-2 │ name           │            │
└─────┴────────────────┴────────────┘
`;

test("reads a column of wrangler's tables", () => {
  assert.deepEqual(readColumn(TABLE, "name"), ["akimbo-publish", "name"]);
  assert.deepEqual(readColumn(TABLE, "id"), ["q-1", "q-2"]);
  assert.deepEqual(readColumn(TABLE, "created_on"), []);
  assert.deepEqual(readColumn("", "name"), []);
});
