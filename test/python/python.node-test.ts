import assert from "node:assert/strict";
import { type ExecFileOptions, execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { inProject } from "../../src/cli/paths.ts";
import { createGradientPng } from "../../src/cli/png.ts";
import { createSampleVideoHead } from "../../src/cli/sample-video.ts";
import { generatePython } from "../../src/python/generate.ts";
import { type LocalService, startLocalService } from "../cli/local-service.ts";
import { blocksOf } from "../docs/blocks.ts";

const exec = promisify(execFile);

/** Two parts. */
const FILM_BYTES = 20_000_000;

/** An index that is out of reach is told at once. */
process.env.PIP_RETRIES = "0";

const PACKAGE = inProject("src", "python");

let folder: string;
let python: string;
let service: LocalService;

const run = (file: string, args: string[], options: ExecFileOptions = {}): Promise<string> =>
  exec(file, args, { cwd: folder, encoding: "utf8", ...options }).then(
    ({ stdout }) => String(stdout),
    ({ message, stdout }) => assert.fail(`${message}\n${stdout}`),
  );

/** @throws AssertionError where the machine has no Python that the package runs on */
async function requirePython(): Promise<void> {
  const ask = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
  await exec("python3", ["-c", ask]).catch(() =>
    assert.fail("There is no python3 of version 3.10 or newer with venv. Install one."),
  );
}

/** @throws AssertionError where pip finds no index with the packages */
async function install(...packages: string[]): Promise<void> {
  const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages];
  await exec(python, args, { cwd: folder }).catch(({ stderr }) =>
    assert.fail(`pip reaches no index that has ${packages.join(", ")}:\n${stderr}`),
  );
}

before(async () => {
  await requirePython();
  await generatePython();
  folder = await mkdtemp(join(tmpdir(), "akimbo-python-"));
  await run("python3", ["-m", "venv", "venv"]);
  python = join(folder, "venv", "bin", "python");
  await install("build");
  await run(python, ["-m", "build", "--outdir", join(folder, "dist"), PACKAGE]);
  await run("python3", ["-m", "venv", "--clear", "venv"]);
  const wheel = (await readdir(join(folder, "dist"))).find((name) => name.endsWith(".whl"));
  assert.ok(wheel);
  await install(join(folder, "dist", wheel));
});

after(async () => {
  await service?.stop();
  if (folder) await rm(folder, { recursive: true });
});

test("the package is installed with its types, its licence and nothing of the generator", async () => {
  const site = (await run(python, ["-c", "import akimbo; print(akimbo.__path__[0])"])).trim();
  const files = await readdir(site, { recursive: true });
  for (const name of ["py.typed", "types.py", join("_generated", "types.py")]) {
    assert.ok(files.includes(name), name);
  }
  assert.ok(files.every((name) => !name.endsWith(".ts") && !name.includes("test")));
  const info = join(site, "..", "akimbo_client-1.0.0.dist-info");
  const metadata = await readFile(join(info, "METADATA"), "utf8");
  assert.match(metadata, /^License-Expression: MIT$/m);
  assert.match(metadata, /^Requires-Python: >=3\.10$/m);
  assert.match(await readFile(join(info, "licenses", "LICENSE.md"), "utf8"), /MIT License/);
});

test("a strict type checker accepts the package and a program, and refuses the program's mistakes", async () => {
  await install("mypy");
  await cp(inProject("test", "python", "typed_program.py"), join(folder, "typed_program.py"));
  await run(python, ["-m", "mypy", "--strict", "typed_program.py"]);
  await run(python, ["-m", "mypy", "--strict", "-p", "akimbo"]);
});

test("the code is formatted, and a linter finds nothing", async () => {
  await install("ruff");
  const own = [PACKAGE, inProject("test", "python"), "--config", join(PACKAGE, "pyproject.toml")];
  await run(python, ["-m", "ruff", "check", "--no-cache", ...own]);
  await run(python, ["-m", "ruff", "format", "--no-cache", "--check", ...own]);
});

const pytest = (name: string, env: NodeJS.ProcessEnv = {}): Promise<string> =>
  run(python, ["-m", "pytest", "-q", "-p", "no:cacheprovider", inProject("test", "python", name)], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
  });

test("decisions: retries, signatures, forms, parts", async (t) => {
  await install("pytest", "trio");
  t.diagnostic((await pytest("test_client.py")).trim().split("\n").at(-1) ?? "");
});

async function makeFiles(): Promise<void> {
  const png = createGradientPng({
    width: 320,
    height: 240,
    from: [255, 120, 40],
    to: [40, 60, 160],
  });
  for (const name of ["one.png", "two.png"]) await writeFile(join(folder, name), png);
  const film = join(folder, "film.mp4");
  await writeFile(film, createSampleVideoHead("python", FILM_BYTES));
  await truncate(film, FILM_BYTES);
}

test("the client works with a running instance", async (t) => {
  await makeFiles();
  service = await startLocalService();
  const env = { AKIMBO_URL: service.origin, AKIMBO_TOKEN: service.token };
  t.diagnostic((await pytest("test_service.py", env)).trim().split("\n").at(-1) ?? "");
});

/** What each example prints, by the file that it stands in. */
const PRINTED: Record<string, RegExp[]> = {
  "src/python/README.md": [
    /^completed https:\/\/bsky\.app\/profile\/\S+$/m,
    /^(16|83) %\n100 %\ncompleted \n/,
    /^(\d+)\n\1\n400 None None \S+\nschedule_date schedule_date: /,
    /^(bluesky completed\n)+$/,
    /^401\nevt_\w+ \d+\n/,
  ],
  "src/docs/python.md": [
    /^\d+ of 20000000\n20000000 of 20000000\ncompleted\n$/,
    /^X-Webhook-Signature does not fit the body and the secret\.\n$/,
  ],
};

for (const [file, printed] of Object.entries(PRINTED)) {
  test(`the examples of ${file} run as they stand`, async () => {
    const examples = blocksOf(await readFile(inProject(file), "utf8"), "python");
    assert.equal(examples.length, printed.length);
    const path = join(folder, "example.py");
    const env = {
      ...process.env,
      AKIMBO_URL: service.origin,
      AKIMBO_TOKEN: service.token,
      WEBHOOK_SECRET: "whsec_0123456789abcdef",
    };
    for (const [i, example] of examples.entries()) {
      const text = example
        .replaceAll("http://localhost:8797", service.origin)
        .replaceAll("kmb_…", service.token);
      await writeFile(path, text);
      await run(python, ["-m", "mypy", "--strict", path]);
      assert.match(await run(python, [path], { env }), printed[i] ?? /^$/);
    }
  });
}
