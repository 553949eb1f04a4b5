import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Account, type Binding, newId, type Script, type Version } from "./account.ts";
import { checkName, checkUpload, type Metadata, migrateClasses } from "./check-upload.ts";
import type { Part } from "./multipart.ts";
import { Refusal } from "./refusal.ts";
import { takeAssets } from "./routes/assets.ts";

const readMetadata = (parts: Part[]): Metadata => {
  const part = parts.find(({ name }) => name === "metadata");
  try {
    return JSON.parse(part?.content.toString() ?? "");
  } catch {
    throw new Refusal(10_006, "Failed to parse Worker upload. The metadata is no JSON.");
  }
};

/**
 * The bindings of a new version. Secrets that an upload does not mention stay, and a binding that it inherits is the one
 * of the version before.
 */
function resolveBindings(bindings: Binding[], before: Version | undefined): Binding[] {
  const previous = new Map(before?.bindings.map((binding) => [binding.name, binding]));
  const resolved = bindings.map((binding) => {
    if (binding.type !== "inherit") return binding;
    const inherited = previous.get(binding.name);
    if (inherited) return inherited;
    throw new Refusal(10_057, `The binding ${binding.name} cannot be inherited: it is not there.`);
  });
  const names = new Set(resolved.map(({ name }) => name));
  const kept = [...previous.values()].filter(
    ({ name, type }) => type === "secret_text" && !names.has(name),
  );
  return [...resolved, ...kept];
}

function storeModules(account: Account, versionId: string, modules: Part[]): void {
  for (const { name, content } of modules) {
    const path = join(account.versionFolder(versionId), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

export const findOrCreateScript = (account: Account, name: string): Script =>
  account.findScript(name) ?? {
    name,
    tag: newId(),
    versions: [],
    deployments: [],
    migrationTag: null,
    classes: {},
    schedules: [],
    hasSubdomain: false,
    hasPreviews: false,
    settings: {},
  };

/**
 * Stores an upload as a version of a script, without deploying it.
 *
 * @param kind a version of an existing Worker cannot bring steps of Durable Objects along
 * @throws Refusal as Cloudflare does
 */
export async function storeUpload(
  account: Account,
  name: string,
  parts: Part[],
  kind: "script" | "version",
): Promise<{ script: Script; version: Version }> {
  checkName(name);
  const isNew = !account.findScript(name);
  if (isNew && account.state.scripts.length >= account.limit("workers")) {
    throw new Refusal(
      10_037,
      `Worker limit reached: your account allows ${account.limit("workers")} Workers.`,
      403,
    );
  }
  const script = findOrCreateScript(account, name);
  const metadata = readMetadata(parts);
  if (kind === "version" && metadata.migrations) {
    throw new Refusal(
      10_211,
      "Versions with Durable Object migrations cannot be uploaded. Deploy the Worker instead.",
    );
  }
  const modules = parts.filter((part) => part.name !== "metadata");
  const bindings = resolveBindings(metadata.bindings ?? [], script.versions.at(-1));
  const { classes, tag } = migrateClasses(account, script, metadata, newId);
  const today = new Date().toISOString().slice(0, 10);
  const upload = { metadata, modules, bindings, classes };
  const handlers = await checkUpload(account, upload, today);
  const assets = metadata.assets
    ? takeAssets(account, metadata.assets)
    : metadata.keep_assets
      ? (script.versions.at(-1)?.assets ?? null)
      : null;
  if (!assets && bindings.some(({ type }) => type === "assets")) {
    throw new Refusal(10_305, "Cannot use an assets binding without uploading assets.");
  }
  const version: Version = {
    id: randomUUID(),
    number: script.versions.length + 1,
    createdAt: new Date().toISOString(),
    mainModule: metadata.main_module ?? "",
    modules: modules.map(({ name: module, type }) => ({ name: module, type })),
    compatibilityDate: metadata.compatibility_date ?? "",
    compatibilityFlags: metadata.compatibility_flags ?? [],
    bindings,
    assets,
    annotations: metadata.annotations ?? {},
    handlers,
  };
  storeModules(account, version.id, modules);
  if (isNew) account.state.scripts.push(script);
  script.versions.push(version);
  script.classes = classes;
  script.migrationTag = tag;
  return { script, version };
}

/** A version like the newest one, with other secrets. */
export function withSecrets(
  account: Account,
  script: Script,
  changes: Record<string, string | null>,
): Version {
  const before = script.versions.at(-1);
  if (!before) throw new Refusal(10_222, "This Worker has no versions.", 404);
  const kept = before.bindings.filter(
    ({ name, type }) => !(type === "secret_text" && name in changes),
  );
  const added = Object.entries(changes).flatMap(([name, text]) =>
    text === null ? [] : [{ name, type: "secret_text", text }],
  );
  const version: Version = {
    ...before,
    id: randomUUID(),
    number: script.versions.length + 1,
    createdAt: new Date().toISOString(),
    bindings: [...kept, ...added],
    annotations: { "workers/triggered_by": "secret" },
  };
  const modules = before.modules.map(({ name, type }) => ({
    name,
    type,
    content: account.readModule(before.id, name),
  }));
  storeModules(account, version.id, modules);
  script.versions.push(version);
  return version;
}

/** @throws Refusal 10210 for percentages or versions that Cloudflare does not take */
export function deploy(
  account: Account,
  script: Script,
  versions: { version_id: string; percentage: number }[],
  annotations: Record<string, string> = {},
) {
  const invalid = (reason: string) => new Refusal(10_210, `Invalid deployment: ${reason}`);
  const max = account.limit("deploymentVersions");
  if (versions.length === 0 || versions.length > max) {
    throw invalid(`a deployment has 1 to ${max} versions.`);
  }
  const total = versions.reduce((sum, { percentage }) => sum + percentage, 0);
  if (total !== 100) throw invalid(`the percentages add up to ${total}, and not to 100.`);
  if (new Set(versions.map(({ version_id }) => version_id)).size < versions.length) {
    throw invalid("a version stands in it twice.");
  }
  const deployable = script.versions.slice(-account.limit("deployableVersions"));
  for (const { version_id } of versions) {
    if (deployable.some(({ id }) => id === version_id)) continue;
    throw invalid(`the version ${version_id} cannot be deployed.`);
  }
  const deployment = {
    id: randomUUID(),
    createdAt: new Date().toISOString(),
    annotations,
    versions,
  };
  script.deployments.unshift(deployment);
  return deployment;
}

export const deployAlone = (account: Account, script: Script, version: Version) =>
  deploy(account, script, [{ version_id: version.id, percentage: 100 }]);
