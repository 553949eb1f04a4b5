import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { buildWorker } from "../../src/cli/worker-script.ts";
import { atMost, note, type Row } from "./report.ts";
import type { Workspace } from "./workspace.ts";

const MAX_KILOBYTES = 400;

/** The Worker as it is deployed: its modules, the entry first. */
export type Bundle = Module[];

interface Module {
  /** As others import it: `parts/chunk-ABC.js`. */
  name: string;
  text: string;
}

export async function buildBundle(workspace: Workspace): Promise<Bundle> {
  const folder = await workspace.folder();
  await buildWorker(folder);
  const names = await readdir(folder, { recursive: true });
  const modules = names.filter((name) => name.endsWith(".js"));
  const entryFirst = ["worker.js", ...modules.filter((name) => name !== "worker.js")];
  return Promise.all(
    entryFirst.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") })),
  );
}

const packedKb = (texts: string[]): number =>
  gzipSync(texts.join(""), { level: constants.Z_BEST_COMPRESSION }).length / 1024;

const STATIC_IMPORT = /(?:from|import)"\.?[^"]*\/([^/"]+)"/g;

/** Returns the code that runs at start-up: the entry and what it imports, without what is imported when it is needed. */
function eagerTexts(bundle: Bundle): string[] {
  const eager = new Map<string, string>();
  const follow = (file: string): void => {
    const text = bundle.find(({ name }) => name.endsWith(file))?.text;
    if (text === undefined || eager.has(file)) return;
    eager.set(file, text);
    for (const [, next = ""] of text.matchAll(STATIC_IMPORT)) follow(next);
  };
  follow("worker.js");
  return [...eager.values()];
}

export function bundleRows(bundle: Bundle): Row[] {
  const whole = packedKb(bundle.map(({ text }) => text));
  return [
    atMost("what runs at start-up, gzip -9", packedKb(eagerTexts(bundle)), MAX_KILOBYTES, " KB"),
    note("the whole bundle, gzip -9", `${whole.toFixed(0)} KB in ${bundle.length} modules`),
  ];
}
