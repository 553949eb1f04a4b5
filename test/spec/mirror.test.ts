import sourceTexts from "texts:src";
import ownTexts from "texts:test";
import { expect, test } from "vitest";

/** Folders of tests that stand for no folder of the source: they look at the whole from outside. */
const OWN =
  /^(bench|browser|client|costs|docs|package|edge|peers|prove|python|spec|support|upgrades)(\/|$)/;

/** Tests of one folder of the source by way of another one. */
const EXCEPTIONS = [
  // The tables of all features are held against the migrated database.
  "/test/db/drift.test.ts",
  "/test/db/literals.test.ts",
  // Every connector is asked for the check of the kit.
  "/test/platforms/kit/app-checks.test.ts",
];

const folderOf = (path: string) => path.replace(/^\/(src|test)\//, "").replace(/\/?[^/]+$/, "");

const texts = Object.fromEntries(
  Object.entries(ownTexts).map(([path, text]) => [`/test/${path}`, text]),
);
const tests = Object.keys(texts)
  .filter((path) => /\.(test|node-test|server-test)\.tsx?$/.test(path) && !OWN.test(folderOf(path)))
  .sort();
const sources = new Set(Object.keys(sourceTexts).map((path) => folderOf(`/src/${path}`)));

const IMPORT = /^(?:import|export) (?!type)[^"';]*"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

/** The modules of ours that one of the tests' imports, such as `/src/core/ids.ts`. */
const importsOf = (path: string): string[] =>
  [...(texts[path] ?? "").matchAll(IMPORT)].map(
    ([, now, later]) => new URL(now ?? later ?? "", `file://${path}`).pathname,
  );

/** The service by its doors, and the simulated platforms by their network. */
const DOORS = ["/test/support/harness.ts", "/src/sandbox/fetch.ts"];

/** Returns true for a test that calls what it tests as others do. */
function isThroughDoors(test: string): boolean {
  const reach = new Set([test]);
  for (const path of reach) for (const to of importsOf(path)) reach.add(to);
  return DOORS.some((door) => reach.has(door));
}

test("every test stands where the code that it is about stands", () => {
  expect(tests.length).toBeGreaterThan(100);
  expect(tests.filter((path) => !sources.has(folderOf(path)))).toEqual([]);
});

test("a test of modules, not of the running service, stands in the folder of one of them", () => {
  const strays = tests.filter((path) => {
    const folders = importsOf(path).flatMap((to) => (to.startsWith("/src/") ? folderOf(to) : []));
    return folders.length > 0 && !folders.includes(folderOf(path)) && !isThroughDoors(path);
  });
  expect(strays).toEqual(EXCEPTIONS);
});
