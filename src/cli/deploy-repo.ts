import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { Command } from "commander";
import { rolldown } from "rolldown";
import { VERSION } from "../core/version.ts";
import { buildAssets } from "./assets.ts";
import { PARTS, readWranglerConfig, type WranglerConfig } from "./deploy-config.ts";
import { isOwners, MARK, MIN_NODE_MAJOR, RELEASE_FILE } from "./deploy-repo/release.ts";
import { lockOf } from "./deploy-repo-lock.ts";
import { OWNER_ONLY } from "./dev-vars.ts";
import { makeFolder } from "./folders.ts";
import { inProject, PROJECT_DIR } from "./paths.ts";
import { Problem, runProgram } from "./program.ts";
import { createReleaseKey, describeRelease, publicKeyOf, signRelease } from "./release.ts";
import { buildWorker } from "./worker-script.ts";

const MARK_TEXT = "`npm run deploy-repo` of Akimbo wrote this folder and replaces what it wrote.\n";

const TEMPLATES = inProject("src", "cli", "deploy-repo");

/** Programs of earlier folders. */
const FORMER = ["release.mjs"];

/** `npm run` starts each of them in the folder. */
const PROGRAMS = ["deploy", "update", "signin-link"];

/** Its owner changes this file, so an update leaves it as it is. */
const OWNERS = "wrangler.jsonc";

/** What each binding is for. The page behind the button shows these beside its questions. */
const DESCRIPTIONS: Record<string, string> = {
  DB: "Posts, accounts, teams and everything else that is not a file.",
  MEDIA: "Pictures and videos. R2 asks for a payment method, also within its free amount.",
  IMAGES: "Converts pictures to the formats that platforms take, and makes thumbnails.",
  ASSETS: "Scripts and guides of the pages.",
  PUBLISH: "Wakes posts at their second.",
  WEBHOOKS: "Wakes webhooks and notices, and stores the clicks of short links.",
  DEAD_LETTERS: "Messages that failed each time. They are ended with a reason.",
  RATE_LIMITER: "Counts the calls of each address.",
  HEARTBEAT: "Remembers the last run of the timer.",
  DELIVERY_GATE: "Limits the requests to one receiver of webhooks.",
  SANDBOX_STATE: "The simulated platforms.",
  INSTALLATION: "The keys that the instance makes itself, and its claim.",
  SANDBOX: "`on` lets you try everything without a login. `off` hides the simulated platforms.",
  ENVIRONMENT: "Leave `production`.",
  RELEASES_URL: "Where `npm run update` finds the newest release. Leave it.",
  RELEASE_KEYS: "The public keys that sign releases. Leave them.",
};

interface RepoOptions {
  repository?: string | null;
  /** Null leaves the folder without a signed release. */
  signing?: Signing | null;
}

interface Signing {
  keyId: string;
  /** PEM. */
  privateKey: string;
  /** Day of the release, such as 2026-11-28. */
  date: string;
  /** Public address of the folder's `release.json`. */
  releasesUrl: string | null;
}

/** @throws Problem for a folder with other contents */
export async function writeDeployRepo(
  folder: string,
  { repository = null, signing = null }: RepoOptions = {},
): Promise<void> {
  await requireOwnFolder(folder);
  await makeFolder(folder);
  const config = await readWranglerConfig();
  const files = new Map<string, string>();
  const defaults = `${JSON.stringify(toRepoConfig(config, signing), null, 2)}\n`;
  files.set("wrangler.defaults.json", defaults);
  const { manifest, lock } = await packageFiles(config);
  files.set("package.json", manifest);
  files.set("package-lock.json", lock);
  files.set("README.md", await readmeOf(repository));
  files.set("LICENSE.md", await readFile(inProject(".github", "LICENSE.md"), "utf8"));
  files.set(".gitignore", "node_modules/\n.wrangler/\n.wrangler-report\nwrangler.deploy.json\n");
  files.set(MARK, MARK_TEXT);
  const isNew = !(await readdir(folder).catch(() => [] as string[])).includes(OWNERS);
  if (isNew) files.set(OWNERS, defaults);

  for (const name of ["worker", "assets"])
    await rm(join(folder, name), { recursive: true, force: true });
  await buildAssets();
  await cp(inProject(config.assets.directory), join(folder, "assets"), { recursive: true });
  await writeScript(join(folder, "worker"));
  for (const name of PROGRAMS) await bundleProgram(name, folder);
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  for (const name of [RELEASE_FILE, ...FORMER]) await rm(join(folder, name), { force: true });
  if (!signing) return;
  const release = await describeRelease(folder, isOwners, signing.date);
  const key = { id: signing.keyId, privateKey: signing.privateKey };
  await writeFile(join(folder, RELEASE_FILE), signRelease(release, key));
}

/** Writes a plain program: the folder's only dependency is wrangler. */
async function bundleProgram(name: string, folder: string): Promise<void> {
  const bundle = await rolldown({
    input: join(TEMPLATES, `${name}.ts`),
    platform: "node",
    external: /^(?:node:|wrangler$)/,
  });
  await bundle.write({ file: join(folder, `${name}.mjs`), format: "esm" });
}

async function requireOwnFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new Problem(
      error.code === "ENOTDIR"
        ? `${folder} is a file. Name a folder.`
        : `${folder} cannot be used: ${error.message}`,
    );
  });
  const others = names.filter((name) => name !== ".git");
  if (others.length === 0 || others.includes(MARK)) return;
  throw new Problem(
    `${folder} has files that this command did not write. Choose an empty folder, or one that it wrote before.`,
  );
}

/** Builds within the project, so that source maps name the same paths wherever the folder is. */
async function writeScript(target: string): Promise<void> {
  await mkdir(inProject(".wrangler"), { recursive: true });
  const home = await mkdtemp(inProject(".wrangler", "deploy-repo-"));
  const folder = join(home, "worker");
  try {
    await buildWorker(folder);
    for (const path of await readdir(folder, { recursive: true })) {
      if (path.endsWith(".map")) await moveSources(join(folder, path));
    }
    await cp(folder, target, { recursive: true });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Sources are named from the project's folder, and their texts stay in the map. */
async function moveSources(path: string): Promise<void> {
  const map = JSON.parse(await readFile(path, "utf8")) as { sources: string[] };
  const sources = map.sources.map((source) =>
    relative(PROJECT_DIR, resolve(path, "..", source)).replaceAll("\\", "/"),
  );
  await writeFile(path, JSON.stringify({ ...map, sources }));
}

function toRepoConfig(config: WranglerConfig, signing: Signing | null = null): object {
  const { alias: _, keep_names: __, account_id: ___, ...rest } = config;
  const [{ migrations_dir: ____, ...database }] = config.d1_databases;
  const [{ local_dev: _____, ...bucket }] = config.r2_buckets;
  return {
    ...rest,
    main: "worker/worker.js",
    no_bundle: true,
    rules: [{ type: "ESModule", globs: [`${PARTS}/*.js`] }],
    // Variables that the owner sets in the dashboard stay.
    keep_vars: true,
    preview_urls: false,
    vars: { ...config.vars, SANDBOX: "on", ...releaseVars(signing) },
    assets: { ...config.assets, directory: "assets" },
    d1_databases: [{ ...database, database_id: "" }],
    r2_buckets: [bucket],
  };
}

const releaseVars = (signing: Signing | null): Record<string, string> =>
  signing?.releasesUrl
    ? {
        RELEASES_URL: signing.releasesUrl,
        RELEASE_KEYS: publicKeyOf(signing.keyId, signing.privateKey),
      }
    : {};

async function packageFiles(config: WranglerConfig): Promise<{ manifest: string; lock: string }> {
  const project = JSON.parse(await readFile(inProject("package.json"), "utf8"));
  const wrangler: string = project.devDependencies.wrangler;
  const used = JSON.stringify(toRepoConfig(config));
  const bindings = Object.entries(DESCRIPTIONS)
    .filter(([name]) => used.includes(`"${name}"`))
    .map(([name, description]) => [name, { description }]);
  const manifest = {
    name: config.name,
    version: VERSION,
    private: true,
    description: project.description,
    license: project.license,
    type: "module",
    engines: { node: `>=${MIN_NODE_MAJOR}` },
    scripts: Object.fromEntries(PROGRAMS.map((name) => [name, `node ${name}.mjs`])),
    dependencies: { wrangler },
    cloudflare: { bindings: Object.fromEntries(bindings) },
  };
  const projectLock = JSON.parse(await readFile(inProject("package-lock.json"), "utf8"));
  const toText = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  return { manifest: toText(manifest), lock: toText(lockOf(projectLock, manifest)) };
}

async function readmeOf(repository: string | null): Promise<string> {
  const template = await readFile(join(TEMPLATES, "README.md"), "utf8");
  const button = repository
    ? `[![Deploy to Cloudflare](https://deploy.workers.cloudflare.com/button)](https://deploy.workers.cloudflare.com/?url=${repository})`
    : "To have a button here, publish this folder as a public repository and write it with `--repository ADDRESS`.";
  const name = repository ? `[Akimbo](${repository})` : "Akimbo";
  return template
    .replace("LINKED_NAME", () => name)
    .replace("BUTTON", () => button)
    .replace("MIN_NODE", String(MIN_NODE_MAJOR))
    .replaceAll("VERSION", VERSION);
}

interface Options {
  repository?: string;
  key?: string;
  keyId: string;
  releases?: string;
  date: string;
  newKey?: boolean;
}

/** @throws Problem for a file that is no private key */
async function readSigning(
  path: string,
  { keyId, releases, date, newKey = false }: Options,
): Promise<Signing> {
  if (!/^\w+$/.test(keyId)) throw new Problem("--key-id must be a word of letters and digits.");
  if (newKey) {
    const { privateKey } = createReleaseKey(keyId);
    await writeFile(path, privateKey, { mode: OWNER_ONLY, flag: "wx" }).catch(() => {
      throw new Problem(`${path} could not be made. A key that is there is never replaced.`);
    });
  }
  const privateKey = await readFile(path, "utf8").catch(() => {
    throw new Problem(`${path} cannot be read. Make a key with --new-key.`);
  });
  try {
    publicKeyOf(keyId, privateKey);
  } catch {
    throw new Problem(`${path} is not a private key in PEM.`);
  }
  return { keyId, privateKey, date, releasesUrl: releases ?? null };
}

async function main(): Promise<number> {
  const program = new Command("npm run deploy-repo --")
    .description(
      'Writes a folder that the button "Deploy to Cloudflare" deploys, with nothing to compile.',
    )
    .argument("<folder>", "an empty folder, or one that this command wrote before")
    .option("--repository <address>", "public address of the folder's repository, for the button")
    .option("--key <file>", "sign the release with this private key")
    .option("--key-id <word>", "name of the key", "r1")
    .option("--releases <address>", "public address of the folder's release.json, for updates")
    .option("--date <day>", "day of the release", new Date().toISOString().slice(0, 10))
    .option("--new-key", "make the private key, in the file that --key names, before")
    .parse();
  const [folder = ""] = program.args;
  const options = program.opts<Options>();
  const here = process.env.INIT_CWD ?? process.cwd();
  const path = resolve(here, folder);
  const signing = options.key ? await readSigning(resolve(here, options.key), options) : null;
  await writeDeployRepo(path, { repository: options.repository ?? null, signing });
  if (signing) {
    console.log(`Signed. Its public key: ${publicKeyOf(signing.keyId, signing.privateKey)}`);
  }
  console.log(`The folder is written: ${path}`);
  return 0;
}

if (import.meta.main) await runProgram(main);
