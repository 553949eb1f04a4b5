import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { VERSION } from "../core/version.ts";
import { OWNER_ONLY } from "./dev-vars.ts";
import type { Ending } from "./process-group.ts";
import { Problem } from "./program.ts";
import { readColumn, readComplaint, requireWrangler, runWrangler } from "./wrangler.ts";

export type Cloud = ReturnType<typeof createCloud>;

/**
 * Pages upload straight to the bucket and read each part's ETag. Any origin may upload, because the signed address is
 * the permission. R2 has refused preflights under "*", so the headers are listed.
 */
const CORS = {
  rules: [
    {
      allowed: { origins: ["*"], methods: ["PUT"], headers: ["content-type", "if-none-match"] },
      exposeHeaders: ["ETag"],
      maxAgeSeconds: 3_600,
    },
  ],
};

const databases = z.array(z.object({ uuid: z.string(), name: z.string() }));
const login = z.object({ accounts: z.array(z.object({ id: z.string() })).default([]) });
const secrets = z.array(z.object({ name: z.string() }));
const deployment = z.object({ type: z.literal("deploy"), targets: z.array(z.string()) });
const upload = z.object({ type: z.literal("version-upload"), version_id: z.string() });

export function createCloud(stateDir: string) {
  async function findDatabase(name: string): Promise<string | null> {
    const output = await requireWrangler("Listing the databases", ["d1", "list", "--json"]);
    return databases.parse(JSON.parse(output)).find((one) => one.name === name)?.uuid ?? null;
  }

  return {
    findAccountId,
    findDatabase,
    createDatabase: async (name: string) => {
      await requireWrangler("Creating the database", ["d1", "create", name, KEEP_CONFIG]);
      const id = await findDatabase(name);
      if (!id) throw new Problem(`The database ${name} was created but is not listed. Try again.`);
      return id;
    },

    findBucket: async (name: string) => {
      const result = await runWrangler(["r2", "bucket", "cors", "list", name]);
      if (isSaid(result, NO_BUCKET)) return null;
      if (isSaid(result, NO_CORS)) return { cors: null };
      if (result.code === 0) return { cors: result.stdout };
      throw new Problem(`Looking for the bucket failed.\n${readComplaint(result)}`);
    },
    createBucket: async (name: string) => {
      await requireWrangler("Creating the bucket", ["r2", "bucket", "create", name, KEEP_CONFIG]);
    },
    /** Returns wrangler's reason for refusing the rules, or null. */
    setCors: (bucket: string) =>
      withPrivateFile(stateDir, CORS, async (path) => {
        const command = ["r2", "bucket", "cors", "set", bucket, "--file", path, "--force"];
        const result = await runWrangler(command);
        return result.code === 0 ? null : readComplaint(result);
      }),

    findQueues: (names: string[]) =>
      findListed(names, async (page) => {
        const command = ["queues", "list", "--page", String(page)];
        return readColumn(await requireWrangler("Looking for the queues", command), "name");
      }),
    createQueue: async (name: string) => {
      await requireWrangler("Creating a queue", ["queues", "create", name]);
    },

    /** Null when the Worker does not exist. */
    listSecrets: async (worker: string) => {
      const result = await runWrangler(["secret", "list", "--format", "json", "--name", worker]);
      if (result.code === 0)
        return secrets.parse(JSON.parse(result.stdout)).map(({ name }) => name);
      if (isSaid(result, NO_WORKER)) return null;
      throw new Problem(`Listing the secrets failed.\n${readComplaint(result)}`);
    },
    /** Answers all calls at once. Returns the addresses. */
    deploy: (config: string, newSecrets: Record<string, string>) =>
      withSecrets(stateDir, newSecrets, (options) => deploy(config, options)),
    /** Answers no calls yet. Null for a script that can only be deployed whole, because of new Durable Objects. */
    uploadVersion: (config: string, newSecrets: Record<string, string>) =>
      withSecrets(stateDir, newSecrets, (options) => uploadVersion(config, options)),
  };
}

/** Null when wrangler's login covers several accounts. */
export async function findAccountId(): Promise<string | null> {
  const { CLOUDFLARE_ACCOUNT_ID: chosen } = process.env;
  if (chosen) return chosen;
  const { code, stdout } = await runWrangler(["whoami", "--json"]);
  if (code !== 0) return null;
  const [only, ...others] = login.parse(JSON.parse(stdout)).accounts;
  return only && others.length === 0 ? only.id : null;
}

export async function findListed(
  names: string[],
  listPage: (page: number) => Promise<string[]>,
): Promise<Set<string>> {
  const listed = new Set<string>();
  for (let page = 1, before = -1; listed.size > before; page++) {
    before = listed.size;
    for (const name of await listPage(page)) listed.add(name);
    if (names.every((name) => listed.has(name))) break;
  }
  return new Set(names.filter((name) => listed.has(name)));
}

/** Keeps wrangler's `create` commands from changing wrangler.toml. */
const KEEP_CONFIG = "--update-config=false";

// Wrangler's messages about missing resources. After another failure, a resource may exist and must not be created.
const NO_BUCKET = /\[code: 10006\]/;
const NO_CORS = /\[code: 10059\]|There is no CORS configuration/;
const NO_WORKER = /Worker "[^"]+" not found/;

const isSaid = ({ stdout, stderr }: Ending, words: RegExp): boolean => words.test(stdout + stderr);

async function withSecrets<T>(
  stateDir: string,
  secrets: Record<string, string>,
  use: (options: string[]) => Promise<T>,
): Promise<T> {
  if (Object.keys(secrets).length === 0) return use([]);
  return withPrivateFile(stateDir, secrets, (path) => use(["--secrets-file", path]));
}

async function deploy(config: string, options: string[]): Promise<string[]> {
  const { ending, entries } = await send(["deploy"], config, options);
  if (ending.code !== 0) throw new Problem(`The deployment failed.\n${readComplaint(ending)}`);
  const targets = entries.flatMap((entry) => deployment.safeParse(entry).data?.targets ?? []);
  return targets.filter((target) => target.startsWith("https://"));
}

const NEW_OBJECTS = /pending Durable Object migration|\[code: 10211\]/;

async function uploadVersion(config: string, options: string[]): Promise<string | null> {
  const named = ["--tag", VERSION, "--message", `Akimbo ${VERSION}`];
  const { ending, entries } = await send(["versions", "upload"], config, [...options, ...named]);
  if (isSaid(ending, NEW_OBJECTS)) return null;
  const [id] = entries.flatMap((entry) => upload.safeParse(entry).data?.version_id ?? []);
  if (ending.code === 0 && id) return id;
  throw new Problem(`The upload failed.\n${readComplaint(ending)}`);
}

/** Builds the script and sends it. `entries` are what wrangler reports for programs. */
async function send(command: string[], config: string, options: string[]) {
  const report = `${config}.${randomBytes(8).toString("hex")}`;
  const folder = await mkdtemp(join(tmpdir(), "akimbo-worker-"));
  try {
    const { buildWorker } = await import("./worker-script.ts");
    const script = await buildWorker(folder);
    const ending = await runWrangler(
      [...command, script, "--no-bundle", "--config", config, ...options],
      { env: { WRANGLER_OUTPUT_FILE_PATH: report } },
    );
    const lines = (await readFile(report, "utf8").catch(() => "")).split("\n");
    const entries = lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line) as unknown]));
    return { ending, entries };
  } finally {
    await rm(report, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

async function withPrivateFile<T>(
  folder: string,
  content: object,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(folder, `${randomBytes(8).toString("hex")}.json`);
  const remove = () => rmSync(path, { force: true });
  process.once("exit", remove);
  try {
    await writeFile(path, JSON.stringify(content), { mode: OWNER_ONLY, flag: "wx" });
    return await use(path);
  } finally {
    remove();
    process.off("exit", remove);
  }
}
