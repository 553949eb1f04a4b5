import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { Command } from "commander";
import { buildAssets } from "./assets.ts";
import { PARTS, readWranglerConfig, type WranglerConfig } from "./deploy-config.ts";
import { lockOf } from "./deploy-repo-lock.ts";
import { inProject, PROJECT_DIR } from "./paths.ts";
import { Problem, runProgram } from "./program.ts";
import { VERSION } from "./version.ts";
import { buildWorker } from "./worker-script.ts";

/** Tells a folder that this command made from any other. */
const MARK = ".akimbo-deploy";
const MARK_TEXT = "`npm run deploy-repo` of Akimbo wrote this folder and replaces what it wrote.\n";

const TEMPLATES = inProject("src", "cli", "deploy-repo");

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
};

/** @throws Problem for a folder with other contents */
export async function writeDeployRepo(
  folder: string,
  { repository = null }: { repository?: string | null } = {},
): Promise<void> {
  await requireOwnFolder(folder);
  const config = await readWranglerConfig();
  const files = new Map<string, string>();
  const defaults = `${JSON.stringify(toRepoConfig(config), null, 2)}\n`;
  files.set("wrangler.defaults.json", defaults);
  const { manifest, lock } = await packageFiles(config);
  files.set("package.json", manifest);
  files.set("package-lock.json", lock);
  files.set("deploy.mjs", await readFile(join(TEMPLATES, "deploy.mjs"), "utf8"));
  files.set("README.md", await readmeOf(repository));
  files.set("LICENSE.md", await readFile(inProject(".github", "LICENSE.md"), "utf8"));
  files.set(".gitignore", "node_modules/\n.wrangler/\n.wrangler-report\nwrangler.deploy.json\n");
  files.set(MARK, MARK_TEXT);
  const isNew = !(await readdir(folder).catch(() => [] as string[])).includes(OWNERS);
  if (isNew) files.set(OWNERS, defaults);

  await mkdir(folder, { recursive: true });
  for (const name of ["worker", "assets"])
    await rm(join(folder, name), { recursive: true, force: true });
  await buildAssets();
  await cp(inProject(config.assets.directory), join(folder, "assets"), { recursive: true });
  await writeScript(join(folder, "worker"));
  for (const [name, text] of files) await writeFile(join(folder, name), text);
}

async function requireOwnFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [] as string[]);
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

function toRepoConfig(config: WranglerConfig): object {
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
    vars: { ...config.vars, SANDBOX: "on" },
    assets: { ...config.assets, directory: "assets" },
    d1_databases: [{ ...database, database_id: "" }],
    r2_buckets: [bucket],
  };
}

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
    engines: { node: ">=22" },
    scripts: { deploy: "node deploy.mjs" },
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
  return template.replaceAll("VERSION", VERSION).replace("BUTTON", button);
}

async function main(): Promise<number> {
  const program = new Command("npm run deploy-repo --")
    .description(
      'Writes a folder that the button "Deploy to Cloudflare" deploys, with nothing to compile.',
    )
    .argument("<folder>", "an empty folder, or one that this command wrote before")
    .option("--repository <address>", "public address of the folder's repository, for the button")
    .parse();
  const [folder = ""] = program.args;
  const { repository } = program.opts<{ repository?: string }>();
  const path = resolve(process.env.INIT_CWD ?? process.cwd(), folder);
  await writeDeployRepo(path, { repository: repository ?? null });
  console.log(`The folder is written: ${path}`);
  return 0;
}

if (import.meta.main) await runProgram(main);
