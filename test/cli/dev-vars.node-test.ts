import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ensureDevVars, readDevVars, requireOwnKeys } from "../../src/cli/dev-vars.ts";
import { inProject } from "../../src/cli/paths.ts";
import { checkVars, NAMES } from "../../src/cli/vars.ts";
import {
  createEncryptionKeys,
  createSigningKey,
  createVapidKeys,
} from "../../src/core/instance-keys.ts";

const folder = await mkdtemp(join(tmpdir(), "akimbo-"));
after(() => rm(folder, { recursive: true }));

test("writes usable keys that only the owner may read", async () => {
  const path = join(folder, "fresh");
  assert.equal(await ensureDevVars(path), "Created .dev.vars with fresh keys.");
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  checkVars({ ...(await readDevVars(path)), ENVIRONMENT: "development" });
});

test("leaves a file that has every key as it is", async () => {
  const path = join(folder, "mine");
  const text =
    "ENCRYPTION_KEYS=k\nSIGNING_KEY=s\nBLUESKY_KEY=b\nVAPID_PUBLIC_KEY=p\nVAPID_PRIVATE_KEY=q";
  await writeFile(path, text);
  assert.equal(await ensureDevVars(path), null);
  assert.equal(await readFile(path, "utf8"), text);
});

test("adds the keys that an older file lacks, and replaces none", async () => {
  const path = join(folder, "older");
  const older = `ENCRYPTION_KEYS=${createEncryptionKeys()}\nSIGNING_KEY=${createSigningKey()}\nX_CLIENT_ID=id`;
  await writeFile(path, older);
  const done =
    "Added BLUESKY_KEY, VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY to .dev.vars, where there was none.";
  assert.equal(await ensureDevVars(path), done);
  const text = await readFile(path, "utf8");
  assert.ok(text.startsWith(`${older}\n`));
  const vars = await readDevVars(path);
  checkVars({ ...vars, ENVIRONMENT: "development" });
  assert.equal(JSON.parse(vars.BLUESKY_KEY ?? "").crv, "P-256");
  assert.equal(await ensureDevVars(path), null);
  assert.equal(await readFile(path, "utf8"), text);
});

test("one of a pair is never completed: the other half is somebody's own", async () => {
  const path = join(folder, "half");
  await writeFile(path, "ENCRYPTION_KEYS=k\nSIGNING_KEY=s\nBLUESKY_KEY=b\nVAPID_PUBLIC_KEY=p");
  assert.equal(await ensureDevVars(path), null);
});

test("fills in keys that are empty, but not those that are set elsewhere", async () => {
  const path = join(folder, "copied");
  await writeFile(path, "ENCRYPTION_KEYS=\nSIGNING_KEY=\nBLUESKY_KEY=\n");
  const elsewhere = { ENCRYPTION_KEYS: createEncryptionKeys(), ...(await createVapidKeys()) };
  const done = await ensureDevVars(path, elsewhere);
  assert.equal(done, "Added SIGNING_KEY, BLUESKY_KEY to .dev.vars, where there was none.");
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

test("data is refused whose keys are elsewhere", async () => {
  const [path, stateDir] = [join(folder, "keys"), join(folder, "state")];
  requireOwnKeys(path, stateDir);
  await mkdir(join(stateDir, "v3", "d1"), { recursive: true });
  assert.throws(() => requireOwnKeys(path, stateDir), /Copy \.dev\.vars/);
  await ensureDevVars(path);
  requireOwnKeys(path, stateDir);
});
