import { mkdir, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import * as z from "zod";
import { inProject } from "./paths.ts";
import { Problem } from "./program.ts";

/** Git ignores this copy of wrangler.toml with the account's ids. */
const deployConfigPath = (stateDir: string): string => join(stateDir, "deploy.json");

export const PARTS = "parts";

/** wrangler.toml contains this placeholder before the first deployment. */
const NO_DATABASE_ID = "00000000-0000-0000-0000-000000000000";

const raw = z.looseObject({
  name: z.string(),
  account_id: z.string().optional(),
  main: z.string(),
  alias: z.record(z.string(), z.string()).default({}),
  vars: z.record(z.string(), z.unknown()).default({}),
  assets: z.looseObject({ directory: z.string() }),
  d1_databases: z.tuple([
    z.looseObject({
      database_name: z.string(),
      database_id: z.string().default(NO_DATABASE_ID),
      migrations_dir: z.string(),
    }),
  ]),
  r2_buckets: z.tuple([
    z.looseObject({ bucket_name: z.string(), local_dev: z.unknown().optional() }),
  ]),
  queues: z.looseObject({
    producers: z.array(z.looseObject({ queue: z.string() })),
    consumers: z.array(
      z.looseObject({ queue: z.string(), dead_letter_queue: z.string().optional() }),
    ),
  }),
});
export type WranglerConfig = z.infer<typeof raw>;

export async function readWranglerConfig(): Promise<WranglerConfig> {
  const { experimental_readRawConfig: read } = await import("wrangler");
  return raw.parse(read({ config: inProject("wrangler.toml") }).rawConfig);
}

export function findConfiguredDatabaseId(config: WranglerConfig): string | null {
  const id = config.d1_databases[0].database_id;
  return id === NO_DATABASE_ID ? null : id;
}

export function listQueueNames({ queues }: WranglerConfig): string[] {
  const consumed = queues.consumers.flatMap(({ queue, dead_letter_queue: dead }) => [queue, dead]);
  const names = [...queues.producers.map(({ queue }) => queue), ...consumed];
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** @param claim the value of CLAIM_CODE; null for an instance that needs none */
export async function writeDeployConfig(
  config: WranglerConfig,
  databaseId: string,
  stateDir: string,
  claim: string | null = null,
): Promise<string> {
  const fromStateDir = (path: string) => relative(stateDir, inProject(path)).replaceAll("\\", "/");
  const [database] = config.d1_databases;
  const [{ local_dev: _, ...bucket }] = config.r2_buckets;
  const adjusted: WranglerConfig = {
    ...config,
    main: fromStateDir(config.main),
    vars: { ...config.vars, ...(claim === null ? {} : { CLAIM_CODE: claim }) },
    alias: Object.fromEntries(
      Object.entries(config.alias).map(([name, path]) => [name, inProject(path)]),
    ),
    rules: [{ type: "ESModule", globs: [`${PARTS}/*.js`] }],
    r2_buckets: [bucket],
    assets: { ...config.assets, directory: fromStateDir(config.assets.directory) },
    d1_databases: [
      {
        ...database,
        database_id: databaseId,
        migrations_dir: fromStateDir(database.migrations_dir),
      },
    ],
  };
  const path = deployConfigPath(stateDir);
  await mkdir(stateDir, { recursive: true });
  await writeFile(path, `${JSON.stringify(adjusted, null, 2)}\n`);
  return path;
}

/** @throws Problem before the first deployment from this folder */
export async function requireDeployConfig(stateDir: string): Promise<string> {
  const path = deployConfigPath(stateDir);
  const isThere = await stat(path).catch(() => null);
  if (isThere) return path;
  throw new Problem("This folder has not been deployed yet. Run `npm run deploy` first.");
}
