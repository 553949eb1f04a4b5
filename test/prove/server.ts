import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import {
  unstable_getMiniflareWorkerOptions as readWorkerOptions,
  unstable_splitSqlQuery as splitSql,
} from "wrangler";
import { localStorageVars } from "../../src/cli/local-storage.ts";
import { inProject } from "../../src/cli/paths.ts";
import { READY, type ServerOptions } from "./server-options.ts";

const options = JSON.parse(process.argv[2] ?? "") as ServerOptions;
const root = options.root ?? inProject(".");
const { assets: _, ...config } = readWorkerOptions(join(root, "wrangler.toml")).workerOptions;

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    ...config,
    rootPath: undefined,
    name: "prove",
    host: "127.0.0.1",
    port: options.port ?? 0,
    cf: false,
    resourcePersistencePath: options.stateDir,
    handleStructuredLogs: () => {},
    bindings: {
      ENVIRONMENT: "development",
      RATE_LIMITS: "off",
      CLOCK_OFFSET: String(options.clockOffset),
      ENCRYPTION_KEYS: `prove:${Buffer.alloc(32, 7).toString("base64")}`,
      SIGNING_KEY: "a signing key for proofs, long enough to be one",
      // Empty: the instance makes no keys of its own, which would look for migrations of its own too.
      BLUESKY_KEY: "",
      VAPID_PUBLIC_KEY: "",
      VAPID_PRIVATE_KEY: "",
      ...(options.port ? localStorageVars(options.port) : {}),
      CHUNK_WATCH: options.chunkWatch ?? "",
      LOSSES: JSON.stringify(options.losses ?? null),
      ...options.vars,
    },
    modules: [
      { type: "ESModule", path: "worker.js", contents: readFileSync(options.script, "utf8") },
    ],
  } as Parameters<typeof convertV4MiniflareOptions>[0]),
);
const url = await miniflare.ready;
if (options.isNew) {
  const database = await miniflare.getD1Database("DB");
  const folder = join(root, "migrations");
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  for (const file of files.sort()) {
    for (const statement of splitSql(readFileSync(join(folder, file), "utf8"))) {
      await database.prepare(statement).run();
    }
  }
}
console.log(READY + url.origin);
