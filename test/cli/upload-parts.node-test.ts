import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { LocalFile } from "../../src/cli/local-file.ts";
import { choosePresignRoute } from "../../src/cli/presign-route.ts";
import { createProgressBar, formatBytes } from "../../src/cli/progress-bar.ts";
import { removeOldJournals, UploadJournal } from "../../src/cli/upload-journal.ts";

const MB = 1_000_000;

for (const [platform, mime, sizeMb, route] of [
  ["youtube", "video/mp4", 10_000, "youtube_videos"],
  ["tiktok", "video/mp4", 300, "tiktok_videos"],
  ["tiktok", "video/quicktime", 300, "youtube_videos"],
  ["linkedin", "video/mp4", 499, "linkedin_videos"],
  ["linkedin", "video/webm", 1, "youtube_videos"],
  ["bluesky", "video/mp4", 90, "youtube_videos"],
  [null, "video/webm", 1, "youtube_videos"],
  ["instagram", "image/png", 5, "instagram_photos"],
  ["threads", "image/webp", 5, "photos"],
  ["bluesky", "image/gif", 1, "bluesky_photos"],
  ["x", "image/gif", 5, "thumbnails"],
  ["facebook", "image/jpeg", 50, "photos"],
  ["linkedin", "application/pdf", 5, "documents"],
] as const) {
  test(`${mime} of ${sizeMb} MB for ${platform} goes by ${route}`, () => {
    const kind = mime.startsWith("application") ? "document" : mime.split("/")[0];
    const file = { kind: kind as LocalFile["kind"], mime, sizeBytes: sizeMb * MB };
    assert.equal(choosePresignRoute(platform, file), route);
  });
}

function barOn(out: { isTTY: boolean; columns?: number }) {
  let written = "";
  let now = 0;
  const write = (text: string) => {
    written += text;
    return true;
  };
  const bar = createProgressBar({
    label: "Sending",
    totalBytes: 100 * MB,
    out: { ...out, write } as NodeJS.WriteStream,
    now: () => now,
  });
  return {
    bar,
    written: () => written,
    at: (ms: number) => {
      now = ms;
    },
  };
}

test("without a terminal there is a line for every tenth, and none goes back", () => {
  const { bar, written, at } = barOn({ isTTY: false });
  bar.show(1 * MB);
  bar.show(5 * MB);
  at(1_000);
  bar.show(20 * MB);
  bar.show(15 * MB);
  bar.show(20 * MB);
  bar.show(100 * MB);
  bar.end();
  assert.deepEqual(written().split("\n"), [
    "Sending: 1 %, 1.0 of 100.0 MB",
    "Sending: 20 %, 20.0 of 100.0 MB, 20.0 MB/s, 4 s left",
    "Sending: 100 %, 100.0 of 100.0 MB, 100.0 MB/s",
    "",
  ]);
});

for (const [bytes, text] of [
  [0, "0.0 MB"],
  [67, "0.1 kB"],
  [99_999, "100.0 kB"],
  [100_000, "0.1 MB"],
  [300_000_000, "300.0 MB"],
] as const) {
  test(`${bytes} bytes are told as ${text}`, () => assert.equal(formatBytes(bytes), text));
}

test("on a terminal one line is rewritten, and ends with the last state", () => {
  const { bar, written, at } = barOn({ isTTY: true, columns: 80 });
  bar.show(0);
  at(200);
  bar.show(50 * MB);
  bar.end();
  bar.end();
  const lines = stripVTControlCharacters(written()).split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? "", /^Sending ░{24} 0 %, 0\.0 of 100\.0 MB/);
  assert.match(lines[0] ?? "", /Sending █{12}░{12} 50 %, 50\.0 of 100\.0 MB$/);
});

const FILE = { path: "/film.mp4", sizeBytes: 9, changedAt: 1 };
const PRESIGNED = { bucketUrl: "b", accessUrl: "a", uploadUrl: "u", uploadHeaders: {} };

test("a journal gives back what was noted, also after a line that was cut off", async () => {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-journal-"));
  const journal = UploadJournal.open(folder, ["one"]);
  journal.note({ file: FILE, presigned: PRESIGNED });
  journal.note({ part: 2, etag: "e2" });
  journal.note({ post: "p", sentAt: 5 });
  journal.note({ post: "p", uploadId: 7 });
  const [name = ""] = await readdir(folder);
  await appendFile(join(folder, name), '\n{"part":3,"et');

  const read = UploadJournal.open(folder, ["one"]);
  assert.deepEqual([...read.etags], [[2, "e2"]]);
  assert.deepEqual(read.post("p"), { sentAt: 5, uploadId: 7, failures: 0 });
  assert.deepEqual(read.presigned, PRESIGNED);
  read.note({ part: 4, etag: "e4" });
  read.note({ post: "p", failed: true });
  const later = UploadJournal.open(folder, ["one"]);
  assert.deepEqual([...later.etags.keys()], [2, 4]);
  assert.deepEqual(later.post("p"), { sentAt: null, uploadId: null, failures: 1 });

  assert.equal(UploadJournal.open(folder, ["other"]).presigned, null);
  later.note({ file: FILE, presigned: { ...PRESIGNED, bucketUrl: "c" } });
  const anew = UploadJournal.open(folder, ["one"]);
  assert.deepEqual([anew.presigned?.bucketUrl, anew.etags.size], ["c", 0]);
  await rm(folder, { recursive: true });
});

test("journals go after eight days", async () => {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-journal-"));
  for (const name of ["old.jsonl", "new.jsonl", "old.txt"]) await writeFile(join(folder, name), "");
  const old = Date.now() / 1_000 - 9 * 86_400;
  for (const name of ["old.jsonl", "old.txt"]) await utimes(join(folder, name), old, old);
  await removeOldJournals(folder);
  assert.deepEqual((await readdir(folder)).sort(), ["new.jsonl", "old.txt"]);
  await removeOldJournals(join(folder, "none"));
  await rm(folder, { recursive: true });
});
