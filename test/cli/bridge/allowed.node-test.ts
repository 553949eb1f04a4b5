import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closeFile, openAllowed, readAllowedFolders } from "../../../src/cli/bridge/allowed.ts";
import { readHead } from "../../../src/cli/local-file.ts";
import { createGradientPng } from "../../../src/cli/png.ts";

const png = (shade: number) =>
  createGradientPng({ width: 8, height: 8, from: [shade, 0, 0], to: [0, shade, 0] });

let root: string;
let inside: string;
let outside: string;

before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "akimbo-allowed-")));
  [inside, outside] = [join(root, "in"), join(root, "out")];
  await mkdir(join(inside, "sub"), { recursive: true });
  await mkdir(`${inside}-too`);
  await mkdir(outside);
  await writeFile(join(inside, "photo.png"), png(10));
  await writeFile(join(inside, "sub", "photo.png"), png(20));
  await writeFile(join(outside, "secret.png"), png(30));
  await writeFile(join(`${inside}-too`, "photo.png"), png(40));
  await writeFile(join(inside, "notes.txt"), "no photo");
  await symlink(join(outside, "secret.png"), join(inside, "leads-out.png"));
  await symlink(outside, join(inside, "leads-out"));
  await symlink(join(inside, "sub"), join(inside, "leads-in"));
  await symlink(inside, join(root, "by-another-name"));
  execFileSync("mkfifo", [join(inside, "fifo.png")]);
});

after(() => rm(root, { recursive: true }));

for (const [system, descriptors] of [
  ["Linux", "/proc/self/fd"],
  ["a system without /proc", "/none"],
] as const) {
  const open = async (given: string, allowed = [inside]) => {
    const file = await openAllowed(given, await readAllowedFolders(allowed), descriptors);
    await closeFile(file);
    return file;
  };

  test(`${system}: files below the folders are opened, by whatever name`, async () => {
    for (const [given, path] of [
      ["photo.png", "photo.png"],
      ["./sub/../photo.png", "photo.png"],
      [join(inside, "sub", "photo.png"), "sub/photo.png"],
      ["leads-in/photo.png", "sub/photo.png"],
    ] as const) {
      assert.equal((await open(given)).path, join(inside, path));
    }
    const byName = join(root, "by-another-name");
    assert.equal((await open(join(byName, "photo.png"), [byName])).path, join(inside, "photo.png"));
    assert.equal((await open(join(inside, "photo.png"), [byName])).name, "photo.png");
  });

  test(`${system}: files elsewhere are refused, and it has no entry for them`, async () => {
    for (const given of [
      join(outside, "secret.png"),
      join(outside, "there-is-none.png"),
      "../out/secret.png",
      join(`${inside}-too`, "photo.png"),
      "leads-out.png",
      "leads-out/secret.png",
      "/etc/passwd",
    ]) {
      await assert.rejects(open(given), /is outside the folders that may be published from/, given);
    }
  });

  test(`${system}: what is no medium is refused without waiting for it`, async () => {
    await assert.rejects(open("none.png"), /There is no file none\.png/);
    await assert.rejects(open("notes.txt"), /not an image, video or document/);
    await assert.rejects(open("sub"), /is a folder/);
    await assert.rejects(open("fifo.png"), /is not a file/);
    await assert.rejects(open("photo.png\0"), /cannot be read|null bytes/);
    await assert.rejects(readAllowedFolders([join(root, "none")]), /there is no such folder/);
  });

  test(`${system}: what is put in the place of a file that was judged is not read`, async () => {
    const path = join(inside, "swapped.png");
    await writeFile(path, png(50));
    const file = await openAllowed(path, await readAllowedFolders([inside]), descriptors);
    await rm(path);
    await symlink(join(outside, "secret.png"), path);
    assert.deepEqual(Buffer.from(await readHead(file, file.sizeBytes)), png(50));
    await closeFile(file);
    await rm(path);
  });

  test(`${system}: a name that changes between in and out all the time never opens the file outside`, async () => {
    const path = join(inside, `flickering-${system.length}.png`);
    const spare = join(inside, "spare.png");
    let isOver = false;
    const flicker = async () => {
      for (let turn = 0; !isOver; turn++) {
        await rm(spare, { force: true });
        if (turn % 2 === 0) await symlink(join(outside, "secret.png"), spare);
        else await link(join(inside, "photo.png"), spare);
        await rename(spare, path);
      }
    };
    await link(join(inside, "photo.png"), path);
    const flickering = flicker();
    const folders = await readAllowedFolders([inside]);
    for (let tries = 0; tries < 300; tries++) {
      const file = await openAllowed(path, folders, descriptors).catch(() => null);
      if (!file) continue;
      assert.deepEqual(Buffer.from(await readHead(file, file.sizeBytes)), png(10));
      await closeFile(file);
    }
    isOver = true;
    await flickering;
  });
}
