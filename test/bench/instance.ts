import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import {
  unstable_getMiniflareWorkerOptions as readWorkerOptions,
  unstable_splitSqlQuery as splitSql,
} from "wrangler";
import { inProject } from "../../src/cli/paths.ts";
import type { Bundle } from "./bundle.ts";
import { ownWorkerds } from "./process-cost.ts";
import type { Workspace } from "./workspace.ts";

export interface Instance {
  /** A socket of the Worker's own, with nothing before it. */
  url: string;
  /** The workerd process; 0 where it cannot be told. */
  pid: number;
  /** Runs statements one after another in the instance's database. */
  store(statements: string[]): Promise<void>;
  /** Runs statements in one transaction, and so in one call. */
  storeAtOnce(statements: string[]): Promise<void>;
  stop(): Promise<void>;
}

type Options = Parameters<typeof convertV4MiniflareOptions>[0];

/** Starts a Worker in a workerd of its own, listening on loopback. */
async function start(workspace: Workspace, worker: Options): Promise<Instance> {
  const before = new Set(ownWorkerds());
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...worker,
      name: "bench",
      host: "127.0.0.1",
      port: 0,
      cf: false,
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      // A line for each call: written by the Worker, shown to nobody.
      handleStructuredLogs: () => {},
    } as Options),
  );
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await miniflare.dispose();
  };
  workspace.onEnd(stop);
  await miniflare.ready;
  const url = await miniflare.unsafeGetDirectURL("bench");
  return {
    url: url.origin,
    pid: ownWorkerds().find((pid) => !before.has(pid)) ?? 0,
    store: async (statements) => {
      const database = await miniflare.getD1Database("DB");
      for (const statement of statements) await database.prepare(statement).run();
    },
    storeAtOnce: async (statements) => {
      const database = await miniflare.getD1Database("DB");
      await database.batch(statements.map((statement) => database.prepare(statement)));
    },
    stop,
  };
}

const module = (path: string, contents: string) => ({ type: "ESModule" as const, path, contents });

const modulesOf = (bundle: Bundle) => bundle.map(({ name, text }) => module(name, text));

export const BARE_SCRIPT = `export default {
  fetch: () => new Response(null, { status: 302, headers: { Location: "https://example.com/" } }),
};`;

/** A Worker without bindings: what every request costs before it does anything. */
export function startBare(workspace: Workspace, script = BARE_SCRIPT): Promise<Instance> {
  return start(workspace, {
    modules: [module("bare.js", script)],
    compatibilityDate: compatibility().date,
  } as Options);
}

let options: ReturnType<typeof readWorkerOptions> | undefined;

/** Returns the settings of wrangler.toml, read once. */
const readConfig = () => {
  options ??= readWorkerOptions(inProject("wrangler.toml"));
  return options.workerOptions;
};

export function compatibility(): { date: string; flags: string[] } {
  const { compatibilityDate, compatibilityFlags } = readConfig();
  return { date: String(compatibilityDate), flags: [compatibilityFlags ?? []].flat().map(String) };
}

/** Keys for the bench alone, whatever this machine's Akimbo uses. */
export const VARIABLES = {
  ENVIRONMENT: "development",
  RATE_LIMITS: "off",
  ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 7).toString("base64")}`,
  SIGNING_KEY: "a signing key for measuring, long enough to be one",
};

interface AkimboOptions {
  bundle: Bundle;
  variables?: Record<string, string>;
  /** A module that stands before the Worker and imports it as "./worker.js". */
  entry?: string;
  /** Where its databases are kept; a folder of its own when it is left out. */
  stateDir?: string;
  /** The database there has its tables already. */
  isMigrated?: boolean;
}

/** Akimbo as built, with the bindings of wrangler.toml and its migrations applied. */
export async function startAkimbo(
  workspace: Workspace,
  { bundle, variables = {}, entry, stateDir, isMigrated = false }: AkimboOptions,
): Promise<Instance> {
  const { assets: _, ...config } = readConfig();
  const own = modulesOf(bundle);
  const instance = await start(workspace, {
    ...config,
    rootPath: undefined,
    ...(stateDir ? { resourcePersistencePath: stateDir } : {}),
    bindings: { ...VARIABLES, ...variables },
    modules: entry ? [module("entry.js", entry), ...own] : own,
  } as Options);
  if (!isMigrated) await instance.storeAtOnce(readMigrations());
  return instance;
}

/** Every migration as single statements, in order. */
function readMigrations(): string[] {
  const folder = inProject("migrations");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .flatMap((name) => splitSql(readFileSync(join(folder, name), "utf8")));
}
