import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeFolder } from "../../src/cli/folders.ts";

const root = await mkdtemp(join(tmpdir(), "akimbo-folders-"));
after(() => rm(root, { recursive: true }));

test("makes a folder and its parents, and leaves one that is there", async () => {
  const path = join(root, "a", "b", "c");
  await makeFolder(path);
  await writeFile(join(path, "kept"), "");
  await makeFolder(path);
  assert.deepEqual(await readdir(path), ["kept"]);
});

const onLinux = { skip: process.platform !== "linux" && "only Linux has /proc" };

test("refuses a folder that the system does not make", onLinux, () =>
  assert.rejects(makeFolder("/proc/nope/deeper"), {
    name: "Error",
    message: /^The folder \/proc\/nope\/deeper cannot be made: ENOENT/,
  }),
);

test("refuses a file in place of the folder, or of its parent", async () => {
  const file = join(root, "file");
  await writeFile(file, "");
  await assert.rejects(makeFolder(file), /cannot be made: EEXIST/);
  await assert.rejects(makeFolder(join(file, "in")), /cannot be made: EEXIST/);
});
