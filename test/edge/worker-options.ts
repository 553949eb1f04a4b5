import { existsSync, linkSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { convertV4MiniflareOptions } from "miniflare";
import { inProject } from "../../src/cli/paths.ts";
import type { Account, Binding, Script, Version } from "./account.ts";

type Options = Parameters<typeof convertV4MiniflareOptions>[0];

/** A version that takes requests, and the Worker of the runtime that it is. */
export interface Running {
  script: Script;
  version: Version;
  percentage: number;
  worker: string;
}

export const INNER_WORKER = "edge";

const workerName = (script: Script, version: Version): string => `${script.name}--${version.id}`;

export function listRunning({ state }: Account): Running[] {
  return state.scripts.flatMap((script) =>
    (script.deployments[0]?.versions ?? []).flatMap(({ version_id, percentage }) => {
      const version = script.versions.find(({ id }) => id === version_id);
      return version ? [{ script, version, percentage, worker: workerName(script, version) }] : [];
    }),
  );
}

/**
 * Durable Objects run in one version of a split deployment: the one with the larger share. At Cloudflare each object is
 * of one version, chosen by the percentages.
 */
function hostOfObjects(running: Running[], scriptName: string): Running | undefined {
  return running
    .filter(({ script }) => script.name === scriptName)
    .reduce<Running | undefined>(
      (host, one) => (host && host.percentage >= one.percentage ? host : one),
      undefined,
    );
}

const PLUGIN = { package: inProject("test", "edge", "raw-bindings.ts"), name: "raw" };

const raw = (name: string, binding: object, service?: object) => ({
  name,
  type: "raw",
  plugin: PLUGIN,
  options: { binding, ...(service ? { service } : {}) },
});

const readScript = (name: string): string => readFileSync(inProject("test", "edge", name), "utf8");

const EXTRA_HANDLERS = ["experimental", "service_binding_extra_handlers"];

/**
 * Miniflare's own service bindings of a Worker with assets lead to a Worker before it, which passes no batches on. So
 * this service stands beside Miniflare's Workers.
 */
const handlers = (running: Running[]) =>
  raw(
    "HANDLERS",
    { service: { name: "edge:handlers" } },
    {
      name: "edge:handlers",
      worker: {
        compatibilityDate: MAX_DATE,
        compatibilityFlags: EXTRA_HANDLERS,
        modules: [{ name: "handlers.js", esModule: readScript("handlers-worker.js") }],
        bindings: running.map(({ worker }) => ({
          name: worker,
          service: { name: `core:user:${worker}` },
        })),
      },
    },
  );

/** A binding to the edge's own Worker, which learns by `props` what it stands for. */
const throughEdge = (entrypoint: string, props: object) => ({
  name: `core:user:${INNER_WORKER}`,
  entrypoint,
  props: { json: JSON.stringify(props) },
});

const database = ({ name, id }: Binding) =>
  raw(name, {
    wrapped: {
      moduleName: "cloudflare-internal:d1-api",
      innerBindings: [{ name: "fetcher", service: throughEdge("Database", { id }) }],
    },
  });

const queue = ({ name, queue_name }: Binding) =>
  raw(name, { queue: throughEdge("Queue", { queue: queue_name }) });

const ofType = (version: Version, type: string): Binding[] =>
  version.bindings.filter((binding) => binding.type === type);

/** Types of modules by the content type of their part. */
const MODULE_TYPES: Record<string, string> = {
  "application/javascript+module": "ESModule",
  "application/javascript": "CommonJS",
  "application/wasm": "CompiledWasm",
  "text/plain": "Text",
  "application/octet-stream": "Data",
};
export const SOURCE_MAP = "application/source-map";
export const isModuleType = (type: string): boolean => type in MODULE_TYPES || type === SOURCE_MAP;

function modulesOf(account: Account, version: Version) {
  const code = version.modules.filter(({ type }) => type !== SOURCE_MAP);
  const mainFirst = code.toSorted(
    (a, b) => Number(b.name === version.mainModule) - Number(a.name === version.mainModule),
  );
  return mainFirst.map(({ name, type }) => {
    const contents = account.readModule(version.id, name);
    const kind = MODULE_TYPES[type];
    const isText = kind !== "Data" && kind !== "CompiledWasm";
    return { type: kind, path: name, contents: isText ? contents.toString("utf8") : contents };
  });
}

/** Puts the files of a version's manifest into a folder, once. */
function assetFolder(account: Account, version: Version): string {
  const folder = join(account.folder, "served", version.id);
  for (const [path, { hash }] of Object.entries(version.assets?.manifest ?? {})) {
    const target = join(folder, decodeURI(path));
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    linkSync(join(account.folder, "assets", hash), target);
  }
  return folder;
}

/** The runtime here is older than the newest date that Cloudflare takes. */
const MAX_DATE = "2026-09-25";

function uploadedWorker(account: Account, one: Running, running: Running[]) {
  const { script, version, worker } = one;
  const texts = [...ofType(version, "plain_text"), ...ofType(version, "secret_text")];
  const [assets] = ofType(version, "assets");
  const [images] = ofType(version, "images");
  const objects = ofType(version, "durable_object_namespace").map((binding) => {
    const owner = account.findScript(binding.script_name ?? script.name) ?? script;
    const host = hostOfObjects(running, owner.name);
    const className = binding.class_name ?? "";
    return [
      binding.name,
      {
        className,
        useSQLite: true,
        unsafeUniqueKey: owner.classes[className],
        ...(host && host.worker !== worker ? { scriptName: host.worker } : {}),
      },
    ] as const;
  });
  return {
    name: worker,
    modules: modulesOf(account, version),
    // Relative names of modules stay as they are.
    modulesRoot: "/",
    rootPath: "/",
    compatibilityDate: version.compatibilityDate > MAX_DATE ? MAX_DATE : version.compatibilityDate,
    compatibilityFlags: version.compatibilityFlags,
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    bindings: {
      ...Object.fromEntries(texts.map(({ name, text }) => [name, text ?? ""])),
      ...Object.fromEntries(ofType(version, "json").map(({ name, json }) => [name, json])),
      ...Object.fromEntries(
        ofType(version, "version_metadata").map(({ name }) => [name, metadataOf(version)]),
      ),
    },
    r2Buckets: Object.fromEntries(
      ofType(version, "r2_bucket").map(({ name, bucket_name }) => [
        name,
        { id: bucket_name ?? "", ...S3_KEYS },
      ]),
    ),
    durableObjects: Object.fromEntries(objects),
    unsafeBindings: [
      ...ofType(version, "d1").map(database),
      ...ofType(version, "queue").map(queue),
    ],
    ...(images ? { images: { binding: images.name } } : {}),
    ...(assets && version.assets
      ? {
          assets: {
            directory: assetFolder(account, version),
            binding: assets.name,
            run_worker_first: version.assets.config.run_worker_first ?? false,
            routerConfig: { has_user_worker: true },
            assetConfig: version.assets.config,
          },
        }
      : {}),
  };
}

/** The key by which the local storage answers to the protocol of S3. */
export const S3_CREDENTIALS = { accessKeyId: "edge", secretAccessKey: "edge-storage" };
const S3_KEYS = { s3Credentials: S3_CREDENTIALS };

const metadataOf = (version: Version) => ({
  id: version.id,
  tag: version.annotations["workers/tag"] ?? "",
  timestamp: version.createdAt,
});

interface Doors {
  node(request: Request): Promise<Response>;
  log(line: { timestamp: number; level: string; message: string }): void;
}

/** One runtime with all that is deployed, over storage that all versions share. */
export function runtimeOptions(account: Account, running: Running[], doors: Doors): Options {
  const inner = {
    name: INNER_WORKER,
    modules: [
      {
        type: "ESModule",
        path: "inner-worker.js",
        contents: readScript("inner-worker.js"),
      },
    ],
    compatibilityDate: MAX_DATE,
    compatibilityFlags: [...EXTRA_HANDLERS, "nodejs_compat"],
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    bindings: {
      LIMITS: {
        rowBytes: account.limit("rowBytes"),
        databaseBytes: account.limit("databaseBytes"),
      },
    },
    d1Databases: Object.fromEntries(
      account.state.databases.map(({ uuid }) => [`D1 ${uuid}`, uuid]),
    ),
    r2Buckets: Object.fromEntries(
      Object.keys(account.state.buckets).map((name) => [`R2 ${name}`, { id: name, ...S3_KEYS }]),
    ),
    serviceBindings: { NODE: doors.node },
    unsafeBindings: [handlers(running)],
  };
  return {
    host: "127.0.0.1",
    port: 0,
    cf: false,
    resourcePersistencePath: join(account.folder, "state"),
    handleStructuredLogs: doors.log,
    workers: [inner, ...running.map((one) => uploadedWorker(account, one, running))],
  } as Options;
}
