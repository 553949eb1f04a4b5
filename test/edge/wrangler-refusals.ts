import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runWrangler } from "./programs.ts";
import type { Edge } from "./start.ts";

interface Case {
  /** What it changes in a configuration that is right. */
  config: object;
  script?: string;
  /** Cloudflare's code of the refusal. */
  code: number;
}

const RIGHT = {
  main: "worker/worker.js",
  compatibility_date: "2026-09-18",
  workers_dev: true,
};
const SCRIPT = "export class Counter {} export default { fetch: () => new Response() };";
const tomorrow = () => new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);

/** Uploads that wrangler lets pass and Cloudflare refuses. */
const CASES = {
  "an unknown flag": { config: { compatibility_flags: ["no_such_flag"] }, code: 10_021 },
  "an experimental flag": { config: { compatibility_flags: ["experimental"] }, code: 10_021 },
  "a date in the future": { config: { compatibility_date: tomorrow() }, code: 10_021 },
  "a name that begins with a digit": { config: { name: "1-worker" }, code: 10_016 },
  "a class that is not exported": {
    config: {
      durable_objects: { bindings: [{ name: "A", class_name: "Missing" }] },
      migrations: [{ tag: "v1", new_sqlite_classes: ["Missing"] }],
    },
    code: 10_070,
  },
  "an old kind of class on the free plan": {
    config: {
      durable_objects: { bindings: [{ name: "A", class_name: "Counter" }] },
      migrations: [{ tag: "v1", new_classes: ["Counter"] }],
    },
    code: 10_097,
  },
  "more variables than the free plan has": {
    config: {
      vars: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`VAR_${i}`, "value"])),
    },
    code: 10_055,
  },
  "a variable that is too large": { config: { vars: { LARGE: "x".repeat(5_121) } }, code: 10_054 },
  "an error at the top level": {
    config: {},
    script: 'throw new Error("at the start"); export default { fetch() {} };',
    code: 10_021,
  },
  "a database that is not there": {
    config: {
      d1_databases: [
        {
          binding: "DB",
          database_name: "none",
          database_id: "00000000-0000-4000-8000-000000000000",
        },
      ],
    },
    code: 10_181,
  },
} satisfies Record<string, Case>;

export type CaseName = keyof typeof CASES;
export const CASE_NAMES = Object.keys(CASES) as CaseName[];

async function refuse(edge: Edge, name: CaseName): Promise<string> {
  const { config, code, script = SCRIPT }: Case = CASES[name];
  const folder = await mkdtemp(join(tmpdir(), "akimbo-refused-"));
  try {
    await mkdir(join(folder, "worker"));
    await writeFile(join(folder, "worker", "worker.js"), script);
    const path = join(folder, "wrangler.json");
    await writeFile(path, JSON.stringify({ name: name.replaceAll(" ", "-"), ...RIGHT, ...config }));
    const ending = await runWrangler(edge, ["deploy", "--no-bundle", "--config", path]);
    assert.notEqual(ending.code, 0, `${name} was deployed\n${ending.output}`);
    assert.match(ending.output, new RegExp(`\\[code: ${code}\\]`), ending.output);
    return `${name} (${code})`;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const AT_ONCE = 2;

/** Deploys each case with the real wrangler; says which code refused it. */
export async function refusedByWrangler(
  { edge }: { edge: Edge },
  names: CaseName[],
): Promise<string[]> {
  const refused: string[] = [];
  for (let i = 0; i < names.length; i += AT_ONCE) {
    const some = names.slice(i, i + AT_ONCE).map((name) => refuse(edge, name));
    refused.push(...(await Promise.all(some)));
  }
  return refused;
}
