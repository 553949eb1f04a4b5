import { AwsV4Signer } from "aws4fetch";
import type { StorageAccess } from "../../config.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";
import type { Fetch } from "../../platforms/connector.ts";

/** Where backups are kept. Keys are paths such as `backups/2026-11-28T030412Z/manifest.json`. */
export interface BackupStore {
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
  has(key: string): Promise<boolean>;
  /** Names right below the folder, without its name and slashes. */
  listFolders(folder: string): Promise<string[]>;
  /** At most `max` keys. */
  listKeys(folder: string, max: number): Promise<string[]>;
  delete(keys: string[]): Promise<void>;
}

/** @throws Error when only some of the variables for another storage are set */
export function storeOf({ config, media, fetch }: Pick<Deps, "config" | "media" | "fetch">) {
  const { access, missing } = config.backup;
  if (missing.length > 0) {
    throw new Error(
      `Backups need ${missing.join(" and ")} too, or none of BACKUP_ENDPOINT and its keys.`,
    );
  }
  return access ? s3Store(access, fetch) : bucketStore(media);
}

export function bucketStore(bucket: R2Bucket): BackupStore {
  return {
    put: async (key, bytes) => {
      await bucket.put(key, bytes);
    },
    get: async (key) => {
      const object = await bucket.get(key);
      return object && new Uint8Array(await object.arrayBuffer());
    },
    has: async (key) => (await bucket.head(key)) !== null,
    listFolders: async (folder) => {
      const { delimitedPrefixes } = await bucket.list({ prefix: folder, delimiter: "/" });
      return delimitedPrefixes.map((prefix) => nameIn(folder, prefix));
    },
    listKeys: async (folder, max) => {
      const { objects } = await bucket.list({ prefix: folder, limit: max });
      return objects.map(({ key }) => key);
    },
    delete: (keys) => bucket.delete(keys),
  };
}

const nameIn = (folder: string, prefix: string): string =>
  prefix.slice(folder.length).replace(/\/$/, "");

/** S3 lists at most this many keys in one answer. */
const MAX_KEYS = 1_000;

/** Any storage that speaks S3. The endpoint ends with the name of the bucket. */
export function s3Store({ endpoint, ...key }: StorageAccess, network: Fetch): BackupStore {
  const cache = new Map<string, ArrayBuffer>();
  async function call(
    method: string,
    path: string,
    options: { query?: Record<string, string>; body?: Uint8Array<ArrayBuffer> } = {},
  ): Promise<Response> {
    const search = new URLSearchParams(options.query).toString();
    const { body } = options;
    const signer = new AwsV4Signer({
      ...key,
      method,
      url: `${endpoint}/${path}${search ? `?${search}` : ""}`,
      service: "s3",
      cache,
      headers: { "x-amz-content-sha256": await sha256Hex(body ?? new Uint8Array()) },
    });
    const { url, headers } = await signer.sign();
    return network(new Request(url, { method, headers, ...(body ? { body } : {}) }));
  }
  async function required(method: string, path: string, options: Parameters<typeof call>[2] = {}) {
    const response = await call(method, path, options);
    if (response.ok) return response;
    const text = (await response.text()).slice(0, 300);
    throw new Error(
      `The storage at BACKUP_ENDPOINT answered ${method} ${path} with HTTP ${response.status}. ${text}`,
    );
  }
  async function list(query: Record<string, string>): Promise<string> {
    return (await required("GET", "", { query: { "list-type": "2", ...query } })).text();
  }
  return {
    put: async (path, body) => {
      const response = await required("PUT", path, { body });
      await response.body?.cancel();
    },
    get: async (path) => {
      const response = await call("GET", path);
      if (response.status === 404) {
        await response.body?.cancel();
        return null;
      }
      if (!response.ok) throw new Error(`HTTP ${response.status} for ${path}.`);
      return new Uint8Array(await response.arrayBuffer());
    },
    has: async (path) => {
      const response = await call("HEAD", path);
      if (response.ok || response.status === 404) return response.ok;
      throw new Error(`The storage at BACKUP_ENDPOINT answered HTTP ${response.status}.`);
    },
    listFolders: async (folder) => {
      const names: string[] = [];
      const seen = new Set<string>();
      for (let after: string | null = null; ; ) {
        const xml: string = await list({
          prefix: folder,
          delimiter: "/",
          "max-keys": String(MAX_KEYS),
          ...(after === null ? {} : { "continuation-token": after }),
        });
        const shared = elements(xml, "CommonPrefixes").flatMap((one) => elements(one, "Prefix"));
        names.push(...shared.map((prefix) => nameIn(folder, prefix)));
        after = elements(xml, "NextContinuationToken")[0] ?? null;
        if (after === null) return names;
        if (seen.has(after)) {
          throw new Error(
            `The storage at BACKUP_ENDPOINT lists ${folder} without an end: it repeats a NextContinuationToken.`,
          );
        }
        seen.add(after);
      }
    },
    listKeys: async (folder, max) => {
      const xml = await list({ prefix: folder, "max-keys": String(Math.min(max, MAX_KEYS)) });
      return elements(xml, "Contents").flatMap((one) => elements(one, "Key"));
    },
    delete: async (keys) => {
      for (const path of keys) {
        const response = await required("DELETE", path);
        await response.body?.cancel();
      }
    },
  };
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, content = ""]) =>
    content.replace(/&(lt|gt|amp|quot|apos);/g, (_, entity: string) => ENTITIES[entity] ?? ""),
  );
