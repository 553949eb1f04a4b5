import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createApi, ensureSandboxAccounts } from "../../src/cli/api.ts";
import { CHECKOUT } from "../../src/cli/instance.ts";
import { inProject } from "../../src/cli/paths.ts";
import { Problem } from "../../src/cli/program.ts";
import { createSampleVideoHead } from "../../src/cli/sample-video.ts";
import { runUpload, type UploadOptions } from "../../src/cli/upload-command.ts";
import { type LocalService, startLocalService } from "./local-service.ts";

const MB = 1_000_000;
/** Two parts. */
const FILM_BYTES = 20 * MB;

let service: LocalService;
let folder: string;
let youtube: string;
let facebook: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "akimbo-upload-"));
  service = await startLocalService();
  const api = createApi(service.origin, service.token);
  [youtube = "", facebook = ""] = await ensureSandboxAccounts(api, ["youtube", "facebook"]);
});

after(async () => {
  await service?.stop();
  await rm(folder, { recursive: true });
});

async function writeFilm(name: string, bytes = FILM_BYTES): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, createSampleVideoHead(name + Math.random(), bytes));
  await truncate(path, bytes);
  return path;
}

const instanceVars = () => ({
  AKIMBO_URL: service.origin,
  AKIMBO_TOKEN: service.token,
  STATE_DIR: folder,
});

function startUpload(args: string[]) {
  return spawn(process.execPath, [inProject("src/cli/akimbo.ts"), "upload", ...args], {
    env: { ...process.env, ...instanceVars() },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function upload(args: string[]) {
  const child = startUpload(args);
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { out, error, code };
}

const journals = () => readdir(join(folder, "uploads")).catch(() => [] as string[]);

async function onlyJournal(): Promise<string> {
  const [name = "", ...others] = await journals();
  assert.deepEqual(others, []);
  return join(folder, "uploads", name);
}

const clearJournals = () => rm(join(folder, "uploads"), { recursive: true, force: true });

const partsIn = (journal: string): string[] =>
  [...journal.matchAll(/^\{"part":(\d+),/gm)].map(([, number]) => number ?? "");

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function digestAt(output: string): Promise<string> {
  const [, url = ""] = /accessUrl {2}(\S+)/.exec(output) ?? [];
  return digest(new Uint8Array(await (await fetch(url)).arrayBuffer()));
}

const countPosts = async (title: string): Promise<number> =>
  (await service.api("GET", `/upload?search=${encodeURIComponent(title)}`)).pagination.total;

test("sends a film in parts and publishes it; the same command again posts nothing", async () => {
  await clearJournals();
  const film = await writeFilm("film.mp4");
  const args = [film, "--account", facebook, "--description", "One large film"];
  const first = await upload(args);
  assert.equal(first.code, 0, first.error);
  assert.match(first.out, /^film\.mp4, 20\.0 MB, video\/mp4 → facebook \(Demo\)$/m);
  assert.match(first.out, /^Sending: \d0 %, [\d.]+ of 20\.0 MB/m);
  assert.match(first.out, /^To facebook: 100 %/m);
  assert.match(first.out, /^Published: https:\/\/www\.facebook\.com\/\S+$/m);
  assert.equal((await stat(await onlyJournal())).mode & 0o777, 0o600);

  const again = await upload(args);
  assert.equal(again.code, 0, again.error);
  assert.match(again.out, /An earlier run has made this post/);
  assert.doesNotMatch(again.out, /Sending/);
  assert.equal(await countPosts("One large film"), 1);
});

test("Ctrl-C loses no part: the same command sends those that are missing", async () => {
  await clearJournals();
  const film = await writeFilm("long.mp4", 100 * MB);
  const child = startUpload([film]);
  const out = text(child.stdout);
  let stored: string[] = [];
  while (stored.length === 0 && child.exitCode === null) {
    const [name] = await journals();
    if (name) stored = partsIn(await readFile(join(folder, "uploads", name), "utf8"));
    await sleep(5);
  }
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  assert.equal(code, 130);
  assert.match(await out, /Stopped\. The same command goes on from here\./);
  stored = partsIn(await readFile(await onlyJournal(), "utf8"));
  assert.ok(stored.length >= 1 && stored.length < 6, String(stored));

  const resumed = await upload([film]);
  assert.equal(resumed.code, 0, resumed.error);
  assert.match(resumed.out, new RegExp(`^${stored.length} of 6 parts are in storage already`, "m"));
  const parts = partsIn(await readFile(await onlyJournal(), "utf8"));
  assert.deepEqual(parts.slice(0, stored.length), stored);
  assert.deepEqual(
    parts.map(Number).sort((one, other) => one - other),
    [1, 2, 3, 4, 5, 6],
  );
  assert.equal(await digestAt(resumed.out), digest(await readFile(film)));
});

test("a file that has changed since is sent from the beginning", async () => {
  await clearJournals();
  const film = await writeFilm("edited.mp4");
  const first = await upload([film]);
  assert.equal(first.code, 0, first.error);
  const unchanged = await upload([film]);
  assert.doesNotMatch(unchanged.out, /Sen[dt]/);
  assert.equal(
    unchanged.out,
    `${first.out.split("\n")[0]}\n${first.out.slice(first.out.indexOf("The file is"))}`,
  );

  await writeFilm("edited.mp4");
  const second = await upload([film]);
  assert.equal(second.code, 0, second.error);
  assert.match(second.out, /has changed since the last run/);
  assert.match(second.out, /^Sent 20\.0 MB/m);
  assert.equal(await digestAt(second.out), digest(await readFile(film)));
});

test("a photo is one PUT, and a post that fails has exit code 1 and the platform's reason", async () => {
  await clearJournals();
  const [photo, film] = [join(folder, "photo.png"), await writeFilm("flagged.mp4", 17 * MB)];
  const { createGradientPng } = await import("../../src/cli/png.ts");
  const shape = { width: 800, height: 600, from: [0, 0, 90], to: [250, 90, 90] } as const;
  await writeFile(photo, createGradientPng({ ...shape, from: [...shape.from], to: [...shape.to] }));
  const [published, failed] = await Promise.all([
    upload([photo, "--account", facebook, "--description", "A photo"]),
    upload([film, "--account", facebook, "--description", "[sandbox:content_flagged]"]),
  ]);
  assert.equal(published.code, 0, published.error);
  assert.match(published.out, /^Published: /m);
  assert.equal(failed.code, 1);
  assert.match(failed.error, /^Failed: .{5,}\nThe file stays in storage/);

  const again = await upload([film, "--account", facebook, "--description", "Harmless"]);
  assert.equal(again.code, 0, again.error);
  assert.doesNotMatch(again.out, /Sen[dt]/);
});

test("what waits for a date or for approval is told, and the program ends", async () => {
  await clearJournals();
  const film = await writeFilm("later.mp4", 1 * MB);
  const at = new Date(Date.now() + 86_400_000).toISOString();
  const options = [film, "--account", youtube, "--title"];
  const planned = await upload([...options, "Tomorrow", "--at", at]);
  assert.equal(planned.code, 0, planned.error);
  assert.match(planned.out, new RegExp(`^Scheduled for ${at}, as post \\d+\\.$`, "m"));
  const held = await upload([...options, "Perhaps", "--set", "status=pending_approval"]);
  assert.equal(held.code, 0, held.error);
  assert.match(held.out, /^Held for approval, as post \d+\.$/m);
});

/** The message by which the command refuses, in this process: a program of its own takes a second to start. */
async function refusal(
  t: TestContext,
  path: string,
  options: Partial<UploadOptions>,
  env = {},
  exitCode = 1,
) {
  t.mock.method(console, "log", () => {});
  Object.assign(process.env, instanceVars(), env);
  const setting = { host: CHECKOUT, stopping: new AbortController().signal };
  const ended = runUpload(path, { set: [], ...options }, setting);
  const error = await ended.catch((reason: unknown) => reason);
  assert.ok(error instanceof Problem, String(error));
  assert.equal(error.exitCode, exitCode);
  return error.message;
}

test("settings that would be refused are refused before a byte is sent", async (t) => {
  await clearJournals();
  const film = await writeFilm("refused.mp4");
  for (const [exitCode, options, message] of [
    [1, {}, /Write a title: YouTube takes no video without one/],
    [1, { title: "A", at: "2020-01-01T00:00:00Z" }, /schedule_date: must be in the future/],
    [
      2,
      { title: "A", set: ["privacyLevel=x"] },
      /youtube has no field privacyLevel\. There are: .*privacyStatus/,
    ],
    [1, { title: "A", set: ["privacyStatus=mine"] }, /privacyStatus/],
    [2, { set: ["nothing"] }, /--set wants NAME=VALUE/],
    [2, { set: ["video=x"] }, /--set video: it has an option of its own/],
    [1, { account: "acc_0" }, /404 Account not found/],
    [2, { account: undefined, title: "A" }, /Without --account/],
  ] as const) {
    const given = { account: youtube, ...options, set: [...("set" in options ? options.set : [])] };
    assert.match(await refusal(t, film, given, {}, exitCode), message);
  }
  assert.deepEqual(await journals(), []);
});

test("files that cannot be published are refused by name", async (t) => {
  await clearJournals();
  const [empty, words] = [join(folder, "empty.mp4"), join(folder, "words.mp4")];
  await writeFile(empty, "");
  await writeFile(words, "no film at all");
  const large = await writeFilm("large.mp4", 1_001 * MB);
  for (const [path, message] of [
    [join(folder, "none.mp4"), /^There is no file .*none\.mp4\.$/],
    [folder, /is a folder\. Name one file\./],
    [empty, /empty\.mp4 is empty\./],
    [words, /words\.mp4 is not an image, video or document of a known type/],
    [large, /large\.mp4 has 1,001,000,000 bytes, and facebook takes videos of up to 1,000,000,000/],
  ] as const) {
    assert.match(await refusal(t, path, { account: facebook }), message);
  }
});

test("a token that does not work and a server that is not there are told", async (t) => {
  const film = await writeFilm("token.mp4", 1 * MB);
  const AKIMBO_TOKEN = `kmb_${"6".repeat(64)}`;
  assert.match(await refusal(t, film, {}, { AKIMBO_TOKEN }), /401 Missing or invalid API token/);
  const nowhere = await refusal(t, film, {}, { AKIMBO_URL: "http://localhost:9" }, 3);
  assert.match(nowhere, /^Nothing answers at http:\/\/localhost:9\/health\. Check AKIMBO_URL\./);
  const local = await refusal(t, film, {}, { AKIMBO_URL: "", PORT: "9" }, 3);
  assert.match(local, /Start Akimbo with npm start\./);
});
