import { expect, test } from "vitest";

/** Folders of tests that stand for no folder of the source: they look at the whole from outside. */
const OWN = /^(bench|browser|client|costs|package|peers|prove|spec|support)(\/|$)/;

const folderOf = (path: string) => path.replace(/^\/(src|test)\//, "").replace(/\/?[^/]+$/, "");

const tests = Object.keys(import.meta.glob("/test/**/*.{test,node-test}.{ts,tsx}"));
const sources = new Set(Object.keys(import.meta.glob("/src/**/*.{ts,tsx}")).map(folderOf));

test("every test stands where the code that it is about stands", () => {
  expect(tests.length).toBeGreaterThan(100);
  const strays = tests.filter((path) => {
    const folder = folderOf(path);
    return !OWN.test(folder) && !sources.has(folder);
  });
  expect(strays).toEqual([]);
});
