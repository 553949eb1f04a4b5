import type { Account, Binding, Script } from "./account.ts";
import type { Part } from "./multipart.ts";
import { type Exports, findFlagProblem, readExports } from "./probe.ts";
import { Refusal } from "./refusal.ts";
import { isModuleType, SOURCE_MAP } from "./worker-options.ts";

export interface MigrationStep {
  new_classes?: string[];
  new_sqlite_classes?: string[];
  deleted_classes?: string[];
  renamed_classes?: { from: string; to: string }[];
}

export interface Metadata {
  main_module?: string;
  bindings?: Binding[];
  compatibility_date?: string;
  compatibility_flags?: string[];
  migrations?: { old_tag?: string; new_tag?: string; steps?: MigrationStep[] };
  assets?: { jwt?: string; config?: Record<string, unknown> };
  keep_assets?: boolean;
  annotations?: Record<string, string>;
  limits?: { cpu_ms?: number };
  [name: string]: unknown;
}

/** @see https://developers.cloudflare.com/workers/platform/error-codes/10016/ */
const WORKER_NAME = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** @throws Refusal 10016 */
export function checkName(name: string): void {
  if (WORKER_NAME.test(name)) return;
  throw new Refusal(
    10_016,
    "Invalid Worker name. Names must start with a letter, be lowercase, at most 63 characters, and contain letters, digits and dashes.",
  );
}

/** The newest date that the runtime here knows. */
const RUNTIME_DATE = "2026-09-25";
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const invalid = (reason: string) => new Refusal(10_021, `Uncaught validation error: ${reason}`);

/** @throws Refusal 10021 */
async function checkCompatibility(date: string, flags: string[], today: string): Promise<string> {
  if (!DATE.test(date) || Number.isNaN(Date.parse(date))) {
    throw invalid(`Invalid compatibility date: ${date}`);
  }
  if (date > today) throw invalid(`Can't set compatibility date in the future: ${date}`);
  const runnable = date > RUNTIME_DATE ? RUNTIME_DATE : date;
  const problem = await findFlagProblem(runnable, flags);
  if (problem) throw invalid(problem);
  return runnable;
}

function checkModules(account: Account, modules: Part[], main: string): void {
  if (!modules.some(({ name }) => name === main)) {
    throw new Refusal(10_006, `Failed to parse Worker upload. The main module ${main} is no part.`);
  }
  for (const { name, type } of modules) {
    if (!isModuleType(type)) throw invalid(`Unsupported module type ${type} of ${name}`);
    if (name.startsWith("/") || name.split("/").includes("..")) {
      throw new Refusal(10_006, `Failed to parse Worker upload. ${name} is no name of a module.`);
    }
  }
  const bytes = modules
    .filter(({ type }) => type !== SOURCE_MAP)
    .reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > account.limit("scriptBytes")) {
    throw new Refusal(
      10_027,
      `Worker exceeds the size limit of ${account.limit("scriptBytes") / 1_048_576} MiB.`,
      413,
    );
  }
}

const TEXTS = ["plain_text", "secret_text", "json"];
const KNOWN_TYPES = [
  ...TEXTS,
  ...["d1", "r2_bucket", "queue", "durable_object_namespace", "assets", "images"],
  ...["version_metadata", "send_email", "inherit"],
];

/** @throws Refusal for a binding that Cloudflare does not take, or that points at something that is not there */
export function checkBindings(account: Account, bindings: Binding[]): void {
  const names = new Set<string>();
  for (const { name, type } of bindings) {
    if (!name) throw new Refusal(10_052, "Binding must have a name.");
    if (names.has(name)) throw new Refusal(10_053, `Binding name ${name} is already in use.`);
    names.add(name);
    if (!KNOWN_TYPES.includes(type)) {
      throw new Refusal(100_153, `Binding type ${type} is not valid.`);
    }
  }
  const texts = bindings.filter(({ type }) => TEXTS.includes(type));
  if (texts.length > account.limit("textBindings")) {
    throw new Refusal(
      10_055,
      `Too many text bindings (${texts.length}). The limit is ${account.limit("textBindings")}.`,
    );
  }
  for (const { name, text, json } of texts) {
    const size = Buffer.byteLength(text ?? JSON.stringify(json ?? ""));
    if (size > account.limit("textBindingBytes")) {
      throw new Refusal(
        10_054,
        `Text binding ${name} is too large (${size} bytes). The limit is ${account.limit("textBindingBytes")} bytes.`,
      );
    }
  }
  for (const binding of bindings) checkTarget(account, binding);
}

function checkTarget({ state }: Account, binding: Binding): void {
  const { name, type, id = "", bucket_name: bucket = "", queue_name: queue = "" } = binding;
  if (type === "d1" && !state.databases.some(({ uuid }) => uuid === id)) {
    throw new Refusal(
      10_181,
      `D1 binding '${name}' references database '${id}' which was not found.`,
    );
  }
  if (type === "r2_bucket" && !state.buckets[bucket]) {
    throw new Refusal(10_085, `R2 bucket ${bucket} not found.`);
  }
  if (type === "queue" && !state.queues.some(({ queue_name }) => queue_name === queue)) {
    throw new Refusal(11_000, `Queue ${queue} not found.`, 404);
  }
}

/**
 * The Durable Object classes after the steps of an upload; each keeps the id of its namespace.
 *
 * @throws Refusal 10074, 10097, 10067 or 10061
 */
export function migrateClasses(
  account: Account,
  script: Pick<Script, "classes" | "migrationTag">,
  { migrations }: Metadata,
  newId: () => string,
): { classes: Record<string, string>; tag: string | null } {
  const classes = { ...script.classes };
  if (!migrations) return { classes, tag: script.migrationTag };
  const { old_tag = null, new_tag = null, steps = [] } = migrations;
  const failed = (reason: string) => new Refusal(10_074, `Durable Object migration: ${reason}`);
  if (old_tag !== script.migrationTag) {
    throw failed(`the tag is ${script.migrationTag ?? "none"}, and not ${old_tag ?? "none"}.`);
  }
  const require = (name: string) => {
    const id = classes[name];
    if (!id) throw failed(`there is no class ${name}.`);
    return id;
  };
  const add = (name: string, id: string) => {
    if (classes[name]) throw failed(`the class ${name} exists already.`);
    classes[name] = id;
  };
  for (const step of steps) {
    if (step.new_classes?.length && account.state.plan === "free") {
      throw new Refusal(
        10_097,
        "Durable Objects on the free plan require SQLite storage. Use new_sqlite_classes.",
      );
    }
    for (const name of [...(step.new_classes ?? []), ...(step.new_sqlite_classes ?? [])]) {
      add(name, newId());
    }
    for (const { from, to } of step.renamed_classes ?? []) {
      const id = require(from);
      delete classes[from];
      add(to, id);
    }
    for (const name of step.deleted_classes ?? []) {
      require(name);
      delete classes[name];
    }
  }
  const others = account.state.scripts.filter((one) => one.classes !== script.classes);
  const count = [classes, ...others.map((one) => one.classes)].flatMap(Object.keys).length;
  if (count > account.limit("durableObjectClasses")) {
    throw new Refusal(
      10_067,
      `Durable Object namespace limit reached: your account allows ${account.limit("durableObjectClasses")}.`,
    );
  }
  return { classes, tag: new_tag };
}

function checkClasses(
  { names }: Exports,
  classes: Record<string, string>,
  bindings: Binding[],
): void {
  const bound = bindings.filter(
    ({ type, script_name }) => type === "durable_object_namespace" && !script_name,
  );
  for (const { name, class_name = "" } of bound) {
    if (classes[class_name]) continue;
    throw new Refusal(
      10_061,
      `Cannot create binding for class '${class_name}' of ${name}: no migration created it.`,
    );
  }
  for (const name of Object.keys(classes)) {
    if (names.includes(name)) continue;
    throw new Refusal(
      10_070,
      `Durable Object class ${name} is not exported by this Worker. Export the class, or delete it in a migration.`,
    );
  }
}

/**
 * Judges an upload as Cloudflare does before it stores one. The runtime judges flags and modules itself.
 *
 * @returns the handlers of the main module
 * @throws Refusal with Cloudflare's code
 */
export async function checkUpload(
  account: Account,
  upload: {
    metadata: Metadata;
    modules: Part[];
    bindings: Binding[];
    classes: Record<string, string>;
  },
  today: string,
): Promise<string[]> {
  const { metadata, modules, bindings, classes } = upload;
  const {
    main_module: main = "",
    compatibility_date: date = "",
    compatibility_flags = [],
  } = metadata;
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > account.limit("metadataBytes")) {
    throw new Refusal(10_006, `Failed to parse Worker upload. Its metadata has ${bytes} bytes.`);
  }
  checkModules(account, modules, main);
  checkCpu(account, metadata);
  checkBindings(account, bindings);
  const runnable = await checkCompatibility(date, compatibility_flags, today);
  const code = modules.filter(({ type }) => type !== SOURCE_MAP);
  const exports = await readExports(code, main, { date: runnable, flags: compatibility_flags });
  if (typeof exports === "string") throw invalid(exports);
  if (exports.handlers.length === 0 && exports.names.length === 0) {
    throw new Refusal(10_068, "Worker has no event handlers. Export a fetch handler.");
  }
  checkClasses(exports, classes, bindings);
  return exports.handlers;
}

function checkCpu(account: Account, { limits }: Metadata): void {
  if (limits?.cpu_ms === undefined) return;
  if (account.state.plan === "free") {
    throw new Refusal(100_328, "CPU limits are not available on the free plan.");
  }
  if (limits.cpu_ms > account.limit("cpuMs")) {
    throw new Refusal(
      10_206,
      `CPU limit of ${limits.cpu_ms} ms exceeds the maximum allowed value of ${account.limit("cpuMs")} ms.`,
    );
  }
}
