import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ensureDevVars, readDevVars } from "../../src/cli/dev-vars.ts";
import { inProject } from "../../src/cli/paths.ts";
import { checkVars, NAMES } from "../../src/cli/vars.ts";

const folder = await mkdtemp(join(tmpdir(), "akimbo-"));
after(() => rm(folder, { recursive: true }));

test("writes usable keys that only the owner may read", async () => {
  const path = join(folder, "fresh");
  assert.equal(await ensureDevVars(path), true);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  checkVars({ ...(await readDevVars(path)), ENVIRONMENT: "development" });
});

test("leaves a file that is there as it is", async () => {
  const path = join(folder, "mine");
  await writeFile(path, "SIGNING_KEY=mine\n");
  assert.equal(await ensureDevVars(path), false);
  assert.equal(await readFile(path, "utf8"), "SIGNING_KEY=mine\n");
});

test("of many who start at once, one writes and all read the same", async () => {
  const path = join(folder, "raced");
  const created = await Promise.all(Array.from({ length: 20 }, () => ensureDevVars(path)));
  assert.equal(created.filter(Boolean).length, 1);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith("raced.")),
    [],
  );
});

test("the example names every variable of the Worker", async () => {
  const example = await readFile(inProject(".dev.vars.example"), "utf8");
  for (const name of NAMES) assert.match(example, new RegExp(`^(# )?${name}=`, "m"));
});
