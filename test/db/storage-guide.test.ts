import { env } from "cloudflare:workers";
import texts from "texts:src";
import { expect, test } from "vitest";

const SOURCES = Object.entries(texts)
  .filter(([path]) => /^(features|cron|cli)\//.test(path))
  .map(([path, text]) => ({ path, text }));

const [guide = ""] = Object.values(
  import.meta.glob("../../src/docs/storage.md", { query: "?raw", import: "default", eager: true }),
);

/** Cells of each table row of the guide, by the name in its first cell. */
const rows = new Map(
  [...guide.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name = "", rest = ""]) => [
    name,
    rest.split(" | "),
  ]),
);

const namesOf = async (type: "table" | "trigger"): Promise<string[]> => {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations'",
  )
    .bind(type)
    .all<{ name: string }>();
  return results.map(({ name }) => name);
};

/** The name of a table's object in TypeScript, where Drizzle describes it. */
function objectOf(table: string): string {
  const described = new RegExp(String.raw`export const (\w+) = sqliteTable\(\s*"${table}"`);
  for (const { text } of SOURCES) {
    const [, name] = described.exec(text) ?? [];
    if (name) return name;
  }
  return table;
}

/** The folder of a source: the feature, or `cli` or `cron`. */
const folderOf = (path: string): string =>
  path.startsWith("features/") ? (path.split("/")[1] ?? "") : (path.split("/")[0] ?? "");

function writersOf(table: string): string[] {
  const names = `(${table}|${objectOf(table)})`;
  const writes = new RegExp(
    String.raw`(INSERT( OR \w+)? INTO|UPDATE( OR \w+)?|DELETE FROM|REPLACE INTO)\s+"?(\$\{)?${names}\b` +
      String.raw`|\b(insertInto|insertIf)\(${names}\b`,
  );
  const folders = SOURCES.filter(({ text }) => writes.test(text)).map(({ path }) => folderOf(path));
  return [...new Set(folders)].sort();
}

test("the guide has a row for every table and every trigger", async () => {
  const names = [...(await namesOf("table")), ...(await namesOf("trigger"))];
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !rows.has(name))).toEqual([]);
});

test("the guide names the folders that write each table, and no other", async () => {
  for (const table of await namesOf("table")) {
    const shown = [...(rows.get(table)?.[1] ?? "").matchAll(/`([\w-]+)`/g)].map(([, one]) => one);
    expect([table, ...shown]).toEqual([table, ...writersOf(table)]);
  }
});
