import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Account, Api } from "../../src/cli/api.ts";
import type { LocalFile } from "../../src/cli/local-file.ts";
import { Problem } from "../../src/cli/program.ts";
import { publishFile } from "../../src/cli/publish-file.ts";
import { Refusal, TemporaryProblem } from "../../src/cli/retry.ts";
import { UploadJournal } from "../../src/cli/upload-journal.ts";

const HOUR_MS = 3_600_000;

const account: Account = { id: "acc_1", platform: "x", accountName: "Demo", status: "active" };
const file: LocalFile = {
  ...{ path: "/film.mp4", name: "film.mp4", sizeBytes: 1_000, changedAt: 1 },
  ...{ kind: "video", mime: "video/mp4" },
};
const stored = { bucketUrl: "https://example.com/f", accessUrl: "", sentBytes: 0, ms: 0 };
const presigned = { ...stored, uploadUrl: "https://example.com/put", uploadHeaders: {} };

/** Runs of the command, each with the answers of the instance to the call that makes the post. */
async function beginRuns(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-publish-"));
  t.after(() => rm(folder, { recursive: true }));
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  UploadJournal.open(folder, ["film"]).note({ file, presigned });
  return (...answers: (number | Problem)[]) => {
    const createUpload = async () => {
      const answer = answers.shift() ?? new Problem("asked too often");
      if (answer instanceof Problem) throw answer;
      return answer;
    };
    const getUpload = async (id: number) => ({ id, status: "scheduled" });
    const api = { createUpload, getUpload } as unknown as Api;
    const journal = UploadJournal.open(folder, ["film"]);
    return publishFile({ api, account, file, journal, fields: { title: "A film" } }, stored);
  };
}

const refusal = new Refusal("POST /upload: 409 The account is not connected.");
const noAnswer = new TemporaryProblem("cannot be reached", 0);

test("a post that was refused can be made by the same command two days later", async (t) => {
  const run = await beginRuns(t);
  await assert.rejects(run(refusal), /not connected/);
  t.mock.timers.tick(48 * HOUR_MS);
  assert.equal((await run(7)).id, 7);
});

test("a post that may have been made before the refusal is not made again a day later", async (t) => {
  const run = await beginRuns(t);
  await assert.rejects(run(noAnswer, refusal), /not connected/);
  await assert.rejects(run(refusal), /not connected/);
  t.mock.timers.tick(25 * HOUR_MS);
  await assert.rejects(run(7), /It is not known any more/);
});

test("an answer that cannot be read leaves it open if the post was made", async (t) => {
  const run = await beginRuns(t);
  await assert.rejects(run(new Problem("unexpected answer (200)")), /unexpected/);
  t.mock.timers.tick(25 * HOUR_MS);
  await assert.rejects(run(7), /It is not known any more/);
});
