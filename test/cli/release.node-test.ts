import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  createReleaseKey,
  describeRelease,
  publicKeyOf,
  readChanges,
  signRelease,
} from "../../src/cli/release.ts";
import { openRelease } from "../../src/core/release.ts";
import { readReleaseKeys } from "../../src/core/release-keys.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "akimbo-release-"));
  await mkdir(join(folder, "worker", "parts"), { recursive: true });
  await writeFile(join(folder, "worker", "parts", "a.js"), "export {};\n");
  await writeFile(join(folder, "wrangler.jsonc"), "{}");
});

after(() => rm(folder, { recursive: true }));

test("what is signed here is opened there, and by no other key", async () => {
  const { privateKey, publicKey } = createReleaseKey("r1");
  equal(publicKeyOf("r1", privateKey), publicKey);
  const release = await describeRelease(folder, (path) => path === "wrangler.jsonc", "2026-11-28");
  const signed = signRelease(release, { id: "r1", privateKey });
  deepEqual(await openRelease(signed, readReleaseKeys(publicKey)), release);
  const other = readReleaseKeys(createReleaseKey("r1").publicKey);
  await rejects(openRelease(signed, other), /is not signed by a key/);
});

test("a release has the files of its folder, and what the database will get", async () => {
  const release = await describeRelease(folder, (path) => path === "wrangler.jsonc", "2026-11-28");
  deepEqual(release.files, [
    {
      path: "worker/parts/a.js",
      sha256: "8e609bb71c20b858c77f0e9f90bb1319db8477b13f9f965f1a1e18524bf50881",
      bytes: 11,
    },
  ]);
  ok(release.migrations.some(({ name }) => name === "0001_first_post.sql"));
  ok(release.durableObjects.includes("v2"));
  ok(release.changes.length > 3);
});

test("changes are the points of the newest section, in plain text", () => {
  const guide = [
    "# Changes",
    "",
    "## Since 1.1.0",
    "",
    "- One `call` more,",
    "  in [two](posts.md#two) lines.",
    "- **Another**.",
    "",
    "**Old parts**",
    "",
    "- A third.",
    "",
    "## Since 1.0.0",
    "",
    "- Not this.",
    "",
  ].join("\n");
  deepEqual(readChanges(guide), ["One call more, in two lines.", "Another.", "A third."]);
});
