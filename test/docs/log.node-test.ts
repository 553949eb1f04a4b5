import { deepEqual, ok } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inProject } from "../../src/cli/paths.ts";

/** Folders that run in no Worker. */
const ELSEWHERE = /(^|\/)node_modules\/|^(cli|client|docs|pages)\//;

const SOURCES = inProject("src");

const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !ELSEWHERE.test(path))
  .map((path) => readFileSync(join(SOURCES, path), "utf8"));

const NAME = '"([a-z_]+(?:\\.[a-z_]+)*)"';

const FORMS = [
  new RegExp(String.raw`\bevent: ${NAME}`, "g"),
  new RegExp(String.raw`\bevent: .+ \? ${NAME} : ${NAME}`, "g"),
  new RegExp(String.raw`\bpostLine\(\s*${NAME}`, "g"),
];

const namesIn = (text: string, forms: readonly RegExp[]): string[] =>
  forms.flatMap((form) => [...text.matchAll(form)].flatMap(([, ...names]) => names));

const unique = (names: readonly string[]): string[] => [...new Set(names)].sort();

const written = unique(sources.flatMap((text) => namesIn(text, FORMS)));

const guide = readFileSync(inProject("src/docs/log.md"), "utf8");
const [queries = "", everyLine = ""] = guide.split("## Every line");
const listed = [...everyLine.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, name = ""]) => name);

test("the guide has one row for each event that the Worker writes, and no other", () => {
  ok(written.length > 70, `Only ${written.length} events were found in the sources.`);
  deepEqual(
    written.filter((name) => !listed.includes(name)),
    [],
    "These are missing in src/docs/log.md.",
  );
  deepEqual(
    listed.filter((name) => !written.includes(name)),
    [],
    "Nothing writes these any more.",
  );
  deepEqual(listed.toSorted(), unique(listed), "These have more than one row.");
});

test("an event's name stands whole where its line is written", () => {
  for (const text of sources) {
    ok(!/\bevent: `/.test(text), /.*\bevent: `.*/.exec(text)?.[0]);
  }
});

test("each event that the queries name has a row", () => {
  const names = [...queries.matchAll(/(?:event = |`)([a-z_]+\.[a-z_]+)/g)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "akimbo.log");
  ok(names.length > 5);
  deepEqual(
    names.filter((name) => !listed.includes(name)),
    [],
  );
});
