/**
 * Makes the files of a state of `states.ts`: runs the service of its commit, uses it as a person does, and writes its
 * database as SQL. Usage: npm run make-state -- NAME
 */
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { inProject } from "../../src/cli/paths.ts";
import { runGroup, spawnGroup, stopGroup } from "../../src/cli/process-group.ts";
import { Misuse, Problem, runProgram } from "../../src/cli/program.ts";
import { withCheckout } from "./checkout.ts";
import { dumpDatabase } from "./dump.ts";
import { type Facts, STATES, type State } from "./states.ts";
import { useInstance } from "./use.ts";

const PORT = 8_951;
const START_MS = 180_000;
/** Videos of the demo are larger, and no test reads them. */
const MAX_FILE_BYTES = 4_096;
const MAX_DUMP_BYTES = 100_000;

/** The keys of test/vitest.config.ts, which read what the state has encrypted and signed. */
const DEV_VARS = [
  `ENCRYPTION_KEYS=test:${Buffer.alloc(32, 7).toString("base64")}`,
  "SIGNING_KEY=a signing key for tests, long enough to be one",
  "",
].join("\n");

/** Tokens are random; one that says what it is for cannot be taken for a real one. */
const TOKEN = `kmb_${Buffer.from("a token of an earlier state, only for tests").toString("hex").slice(0, 64).padEnd(64, "0")}`;

async function main(): Promise<number> {
  const [name] = process.argv.slice(2);
  const state = STATES.find((one) => one.name === name);
  if (!state) {
    const names = STATES.map((one) => one.name).join(", ");
    throw new Misuse(
      `Which state? npm run make-state -- NAME, with a name of test/upgrades/states.ts: ${names}.`,
    );
  }
  const stateDir = await mkdtemp(join(tmpdir(), "akimbo-state-"));
  try {
    await withCheckout(state.commit, (folder) => make(state, folder, stateDir));
  } finally {
    await rm(stateDir, { recursive: true });
  }
  return 0;
}

async function make({ name }: State, folder: string, stateDir: string): Promise<void> {
  const node = join(folder, "node_modules/.bin/node");
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PORT: String(PORT),
    STATE_DIR: stateDir,
    AKIMBO_DEMO_TOKEN: TOKEN,
    PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH}`,
  };
  await writeFile(join(folder, ".dev.vars"), DEV_VARS);
  const run = (...args: string[]) => runGroup(node, args, { cwd: folder, env });
  const server = spawnGroup(node, ["src/cli/start.ts"], {
    cwd: folder,
    env,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const used = await (async () => {
    try {
      await requireReady(server);
      const demo = await run("src/cli/demo.ts");
      if (!demo.stdout.includes(" published in ")) {
        throw new Problem(`The demo failed.\n${demo.stdout}${demo.stderr}`);
      }
      return await useInstance({
        origin: `http://localhost:${PORT}`,
        token: TOKEN,
        signInLink: async (email) => {
          const { code, stdout } = await run("src/cli/akimbo.ts", "signin-link", "--email", email);
          return code === 0 ? (/http\S+/.exec(stdout)?.[0] ?? null) : null;
        },
      });
    } finally {
      await stopGroup(server);
    }
  })();
  await write(name, used, stateDir);
}

async function requireReady(server: ReturnType<typeof spawnGroup>): Promise<void> {
  const signal = AbortSignal.timeout(START_MS);
  const ready = once(server, "message", { signal }).then(() => true);
  const ended = once(server, "exit", { signal }).then(() => false);
  if (!(await Promise.race([ready, ended]))) throw new Problem("The service did not start.");
}

async function write(
  name: string,
  used: Omit<Facts, "counts" | "files">,
  stateDir: string,
): Promise<void> {
  const path = inProject("test/upgrades/states", name);
  const { counts } = await writeDump(stateDir, "v3/d1", `${path}.sql.gz`);
  await writeDump(stateDir, "v3/do/akimbo-SandboxState", `${path}-sandbox.sql.gz`);
  const facts: Facts = { ...used, counts, files: await readSmallFiles(stateDir) };
  await writeFile(`${path}.json`, `${JSON.stringify(facts, null, 2)}\n`);
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  console.log(`Wrote ${name}: ${rows} rows of ${Object.keys(counts).length} tables.`);
}

async function writeDump(stateDir: string, folder: string, path: string) {
  const names = await readdir(join(stateDir, folder), { recursive: true });
  const found = names.filter((name) => /[0-9a-f]{64}\.sqlite$/.test(name));
  if (found.length !== 1) throw new Problem(`${folder} has ${found.length} databases.`);
  const database = new DatabaseSync(join(stateDir, folder, found[0] ?? ""));
  const dump = dumpDatabase(database);
  database.close();
  const packed = gzipSync(dump.sql, { level: 9 });
  if (packed.length > MAX_DUMP_BYTES) {
    throw new Problem(`${path} would have ${packed.length} bytes, and may have ${MAX_DUMP_BYTES}.`);
  }
  await writeFile(path, packed);
  return dump;
}

/** Small stored files by their keys, as base64. */
async function readSmallFiles(stateDir: string): Promise<Record<string, string>> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "",
      cf: false,
      resourcePersistencePath: join(stateDir, "v3"),
      r2Buckets: { MEDIA: "akimbo-media" },
    }),
  );
  try {
    const bucket = await miniflare.getR2Bucket("MEDIA");
    const { objects } = await bucket.list();
    const files: Record<string, string> = {};
    for (const { key } of objects.filter(({ size }) => size <= MAX_FILE_BYTES)) {
      const object = await bucket.get(key);
      if (object) files[key] = Buffer.from(await object.arrayBuffer()).toString("base64");
    }
    return files;
  } finally {
    await miniflare.dispose();
  }
}

await runProgram(main);
