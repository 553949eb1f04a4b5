import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inProject } from "../../../src/cli/paths.ts";
import type { Contract } from "./contract.ts";
import type { RecordedCall } from "./recording.ts";

/** A JSON value, and the type that the vendor's own SDK declares for it. */
export interface TypedValue {
  type: string;
  value: unknown;
}

const PEERS = join(import.meta.dirname, "..", "node_modules");
const OPTIONS =
  "--ignoreConfig --noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --types node --pretty false";

/**
 * Judges calls by the types of an SDK, as the compiler sees them: fields that must be there, fields that
 * there are not, types, and values of enumerations.
 *
 * @param imports what the types are written with
 * @param toTyped a call as the SDK would be given it, or what is wrong about its method or address
 */
export const byTypes = (
  imports: string,
  toTyped: (call: RecordedCall) => TypedValue | string,
): Contract => ({
  judge: async (calls) => {
    const typed = calls.map(toTyped);
    const values = typed.map((value) => (typeof value === "string" ? null : value));
    const problems = await compile(imports, values);
    return typed.map((value, index) =>
      typeof value === "string" ? value : (problems.get(index) ?? null),
    );
  },
});

/** Returns the compiler's messages by the index of the value: each value stands on a line of its own. */
async function compile(
  imports: string,
  values: (TypedValue | null)[],
): Promise<Map<number, string>> {
  const lines = values.map((typed, index) =>
    typed ? `export const v${index}: ${typed.type} = ${JSON.stringify(typed.value)};` : "",
  );
  const folder = await mkdtemp(join(PEERS, ".calls-"));
  try {
    await writeFile(join(folder, "calls.ts"), [imports, ...lines].join("\n"));
    const tsc = inProject("node_modules/typescript/bin/tsc");
    const compiler = spawn(process.execPath, [tsc, ...OPTIONS.split(" "), "calls.ts"], {
      cwd: folder,
    });
    let output = "";
    compiler.stdout.on("data", (chunk) => {
      output += chunk;
    });
    const [code] = await once(compiler, "close");
    const problems = readProblems(output);
    if (code !== 0 && problems.size === 0) throw new Error(`The compiler failed:\n${output}`);
    return problems;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readProblems(output: string): Map<number, string> {
  const problems = new Map<number, string>();
  for (const [, line = "", text = ""] of output.matchAll(
    /calls\.ts\((\d+),\d+\): error \w+: (.+)/g,
  )) {
    // The first line has the imports.
    const index = Number(line) - 2;
    if (index < 0) throw new Error(`The types cannot be read: ${text}`);
    problems.set(index, [problems.get(index), text].filter(Boolean).join("\n"));
  }
  return problems;
}
