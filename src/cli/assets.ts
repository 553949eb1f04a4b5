import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { PICTURES_FOLDER, pictureFile, readGuides, readPictures, renderGuides } from "./guides.ts";
import { LEAN_PARTS } from "./island-parts.ts";
import { writeMigrationsModule } from "./migrations-module.ts";
import { inProject } from "./paths.ts";

const ASSETS = inProject(".assets");

const COPIES = {
  "docs/scalar.js": "node_modules/@scalar/api-reference/dist/browser/standalone.js",
  "docs/search.js": "src/docs/search.js",
};

const ISLANDS = "src/pages/islands";

/** Scripts of pages by their path: one for each `.tsx` file, and what it loads later. */
async function bundleIslands(): Promise<Map<string, string>> {
  const files = (await readdir(inProject(ISLANDS))).filter((name) => name.endsWith(".tsx"));
  return new Map((await Promise.all(files.map(bundleIsland))).flat());
}

/** Each by itself: a page loads one of them, and files that several share compress worse. */
async function bundleIsland(name: string): Promise<[path: string, text: string][]> {
  const folder = inProject(ISLANDS);
  const { outputFiles } = await build({
    entryPoints: [join(folder, name)],
    outdir: "app/islands",
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    tsconfig: join(folder, "tsconfig.json"),
    absWorkingDir: inProject("."),
    plugins: LEAN_PARTS,
    logLevel: "error",
  });
  return outputFiles.map(({ path, text }) => [`/app/islands/${basename(path)}`, text]);
}

/** Also writes the migrations into the module that the Worker loads. */
export async function buildAssets(): Promise<boolean> {
  await writeMigrationsModule();
  const pictures = await readPictures();
  const guides = renderGuides(await readGuides(), pictures);
  const texts = new Map([...guides, ...(await bundleIslands())]);
  const copies = {
    ...COPIES,
    ...Object.fromEntries(
      [...pictures].map((name) => [pictureFile(name), join(PICTURES_FOLDER, `${name}.jpg`)]),
    ),
  };
  const changes = await Promise.all([
    ...Object.entries(copies).map(([target, source]) =>
      copyIfChanged(resolve(inProject("."), source), join(ASSETS, target)),
    ),
    ...[...texts].map(([target, text]) => writeIfChanged(join(ASSETS, target), text)),
  ]);
  const built = [...Object.keys(copies), ...[...texts.keys()].map((path) => path.slice(1))];
  const hasLess = await removeOthers(built);
  return hasLess || changes.includes(true);
}

async function writeIfChanged(target: string, text: string): Promise<boolean> {
  if ((await readFile(target, "utf8").catch(() => null)) === text) return false;
  await mkdir(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, target);
  return true;
}

/** Ending of a copy that another process may still be writing. */
const DRAFT = /\.\d+$/;

async function removeOthers(built: readonly string[]): Promise<boolean> {
  const files = await readdir(ASSETS, { recursive: true, withFileTypes: true });
  const paths = files.flatMap((file) => (file.isFile() ? [join(file.parentPath, file.name)] : []));
  const kept = new Set(built.map((path) => join(ASSETS, path)));
  const others = paths.filter((path) => !kept.has(path) && !DRAFT.test(path));
  await Promise.all(others.map((path) => rm(path, { force: true })));
  return others.length > 0;
}

/** The copy gets the modification time of its source, so equal size and time mean equal content. */
async function copyIfChanged(source: string, target: string): Promise<boolean> {
  const [from, to] = await Promise.all([stat(source), stat(target).catch(() => null)]);
  const isSame = to?.size === from.size && Math.abs(to.mtimeMs - from.mtimeMs) < 1_000;
  if (isSame) return false;
  await mkdir(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  await copyFile(source, draft);
  await utimes(draft, from.atime, from.mtime);
  await rename(draft, target);
  return true;
}

if (import.meta.main) await buildAssets();
