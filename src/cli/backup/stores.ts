import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { isPrivateUrl } from "../../core/variables.ts";
import { INDEX } from "../../features/backup/rules.ts";
import { type BackupStore, bucketStore, s3Store } from "../../features/backup/store.ts";
import type { Place } from "../d1.ts";
import { parseJson } from "../json.ts";
import { Problem } from "../program.ts";
import { readLocalVars } from "../team-database.ts";
import { requireWrangler, runWrangler } from "../wrangler.ts";
import type { Database } from "./database.ts";

/** The storage of BACKUP_ENDPOINT where its keys are known here, else the bucket of the instance. */
export async function openStore(place: Place, { bucket }: Pick<Database, "bucket">) {
  const vars = { ...(place.kind === "local" ? await readLocalVars() : {}), ...process.env };
  const {
    BACKUP_ENDPOINT: endpoint,
    BACKUP_ACCESS_KEY_ID: accessKeyId,
    BACKUP_SECRET_ACCESS_KEY: secretAccessKey,
  } = vars;
  if (endpoint && !(URL.canParse(endpoint) && isPrivateUrl(endpoint))) {
    throw new Problem("BACKUP_ENDPOINT must be an https address, or http to localhost.");
  }
  if (endpoint && accessKeyId && secretAccessKey) {
    const access = { endpoint: endpoint.replace(/\/+$/, ""), accessKeyId, secretAccessKey };
    return s3Store(access, (input, init) => fetch(input, init));
  }
  if (endpoint) {
    throw new Problem(
      "BACKUP_ENDPOINT is set, so its keys are needed too: BACKUP_ACCESS_KEY_ID and BACKUP_SECRET_ACCESS_KEY.",
    );
  }
  if (place.kind === "local") {
    if (!bucket) throw new Error("A local instance has its bucket.");
    return bucketStore(bucket);
  }
  return wranglerStore(place.config);
}

const config = z.object({ r2_buckets: z.tuple([z.object({ bucket_name: z.string() })]) });
const index = z.object({ backups: z.array(z.string()) });

/** Wrangler puts and gets single objects, and lists none: the list of backups is an object too. */
async function wranglerStore(configPath: string): Promise<BackupStore> {
  const { r2_buckets } = config.parse(JSON.parse(await readFile(configPath, "utf8")));
  const [{ bucket_name: bucket }] = r2_buckets;
  const get = async (key: string): Promise<Uint8Array<ArrayBuffer> | null> =>
    withFile(async (file) => {
      const path = `${bucket}/${key}`;
      const result = await runWrangler(["r2", "object", "get", path, "--file", file, "--remote"]);
      if (result.code !== 0) return null;
      return new Uint8Array(await readFile(file)) as Uint8Array<ArrayBuffer>;
    });
  return {
    put: (key, bytes) =>
      withFile(async (file) => {
        await writeFile(file, bytes);
        const path = `${bucket}/${key}`;
        const command = ["r2", "object", "put", path, "--file", file, "--remote"];
        await requireWrangler(`Storing ${key}`, command);
      }),
    get,
    has: async (key) => (await get(key)) !== null,
    listFolders: async () => {
      const bytes = await get(INDEX);
      const { data } = index.safeParse(bytes && parseJson(new TextDecoder().decode(bytes)));
      return data?.backups ?? [];
    },
    listKeys: async () => [],
    delete: async (keys) => {
      for (const key of keys) {
        const command = ["r2", "object", "delete", `${bucket}/${key}`, "--remote"];
        await requireWrangler(`Removing ${key}`, command);
      }
    },
  };
}

async function withFile<T>(use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-object-"));
  try {
    return await use(join(folder, "object"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
