import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { readDocument } from "../../src/cli/openapi.ts";
import { inProject } from "../../src/cli/paths.ts";
import { NEXT_ACTIONS } from "../../src/core/failures.ts";

const FOLDER = inProject(".agents", "skills", "akimbo");
const GUIDE = inProject(".github", "AGENTS.md");

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

const texts = [...filesOf(FOLDER), GUIDE].map((path) => ({
  path,
  text: readFileSync(path, "utf8"),
}));

/** @see https://agentskills.io/specification */
test("the skill's head and length are as agents require them", () => {
  const skill = readFileSync(join(FOLDER, "SKILL.md"), "utf8");
  const [, head = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(skill) ?? [];
  const fields = Object.fromEntries(
    head.split("\n").map((line) => [line.split(": ")[0], line.slice(line.indexOf(": ") + 2)]),
  );
  deepEqual(Object.keys(fields), ["name", "description", "license", "compatibility"]);
  equal(fields.name, "akimbo");
  ok((fields.description?.length ?? 0) <= 1_024);
  ok((fields.compatibility?.length ?? 0) <= 500);
  ok(body.split("\n").length < 500);
  ok(readFileSync(GUIDE, "utf8").split("\n").length < 100);
});

test("each file that is linked is there", () => {
  for (const { path, text } of texts) {
    for (const [, to = ""] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      ok(existsSync(join(dirname(path), to)), `${path} leads to ${to}`);
    }
  }
});

test("each call is in the API's document, with its parameters", async () => {
  const { paths } = JSON.parse(await readDocument()) as {
    paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
  };
  let calls = 0;
  for (const { path, text } of texts) {
    for (const [, method = "", address = ""] of text.matchAll(
      /`(GET|POST|PUT|PATCH|DELETE) (\/[^\s`]*)`/g,
    )) {
      const [plain = "", query = ""] = address.split("?");
      const route = paths[`/api/v1${plain}`]?.[method.toLowerCase()];
      ok(route, `${path}: ${method} ${address}`);
      for (const name of new URLSearchParams(query).keys()) {
        ok(
          route.parameters?.some((one) => one.name === name),
          `${path}: ${address}`,
        );
      }
      calls++;
    }
  }
  ok(calls > 20);
});

test("each next action of a failure has its row", () => {
  const text = readFileSync(join(FOLDER, "references", "failures.md"), "utf8");
  const rows = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, action]) => action);
  deepEqual(rows.sort(), [...NEXT_ACTIONS].sort());
});

test("each npm script that is named exists", () => {
  const { scripts } = JSON.parse(readFileSync(inProject("package.json"), "utf8"));
  for (const { path, text } of texts) {
    for (const [, name = ""] of text.matchAll(/npm run ([\w:]+)/g)) {
      ok(name in scripts, `${path}: npm run ${name}`);
    }
  }
});
