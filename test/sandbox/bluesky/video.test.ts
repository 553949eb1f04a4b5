import { afterEach, describe, expect, it } from "vitest";
import { moveClock, now } from "../../../src/core/clock.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import {
  type Blob,
  type Connection,
  connect,
  mp4,
  readError,
  record,
  sandbox,
  write,
  xrpc,
} from "../support.ts";

afterEach(() => moveClock(0));

const VIDEO = "https://video.bsky.app";
const PDS_DID = "did:web:pds.sandbox.bsky.network";
const PART = 5_242_880;

interface Auth {
  aud?: string;
  lxm?: string | null;
  lifeSeconds?: number;
}

/** A token of the account's server for the video service. */
async function serviceToken(
  { session, fetch }: Connection,
  { aud = PDS_DID, lxm = "com.atproto.repo.uploadBlob", lifeSeconds = 1_800 }: Auth = {},
): Promise<string> {
  const exp = String(Math.floor(now().getTime() / 1_000) + lifeSeconds);
  const params = new URLSearchParams({ aud, exp, ...(lxm ? { lxm } : {}) });
  const reply = await fetch(`${xrpc("com.atproto.server.getServiceAuth")}?${params}`, {
    headers: { authorization: `Bearer ${session.accessJwt}` },
  });
  return (await reply.json<{ token: string }>()).token;
}

const ask = (
  { fetch }: Connection,
  method: string,
  params: Record<string, string>,
  token?: string,
) =>
  fetch(`${xrpc(`app.bsky.video.${method}`, VIDEO)}?${new URLSearchParams(params)}`, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });

const tell = ({ fetch }: Connection, method: string, body: unknown, token: string) =>
  fetch(xrpc(`app.bsky.video.${method}`, VIDEO), {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

const start = (connection: Connection, token: string, fields: Record<string, unknown> = {}) =>
  tell(connection, "startUpload", { sizeBytes: 100, mimeType: "video/mp4", ...fields }, token);

const sendPart = (
  { fetch }: Connection,
  token: string,
  jobId: string,
  partNumber: number,
  body: BodyInit,
) =>
  fetch(
    `${xrpc("app.bsky.video.uploadPart", VIDEO)}?${new URLSearchParams({ jobId, partNumber: String(partNumber) })}`,
    {
      method: "POST",
      headers: { "content-type": "application/octet-stream", authorization: `Bearer ${token}` },
      body,
    },
  );

const sendWhole = (
  { fetch, session }: Connection,
  token: string,
  body: BodyInit,
  did = session.did,
) =>
  fetch(`${xrpc("app.bsky.video.uploadVideo", VIDEO)}?${new URLSearchParams({ did, name: "a" })}`, {
    method: "POST",
    headers: { "content-type": "video/mp4", authorization: `Bearer ${token}` },
    body,
  });

const chunked = (bytes: Uint8Array): ReadableStream =>
  new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });

interface JobStatus {
  jobId: string;
  did: string;
  state: string;
  blob?: Blob;
  failureCode?: string;
}

const jobOf = async (connection: Connection, jobId: string) =>
  (await (await ask(connection, "getJobStatus", { jobId })).json<{ jobStatus: JobStatus }>())
    .jobStatus;

/** Uploads a video in parts; the job to follow. */
async function uploadInParts(connection: Connection, bytes: Uint8Array, finishLife = 1_800) {
  const token = await serviceToken(connection);
  const started = await start(connection, token, { sizeBytes: bytes.length });
  const { jobId, partCount } = await started.json<{ jobId: string; partCount: number }>();
  for (let n = partCount; n >= 1; n--) {
    const part = bytes.slice((n - 1) * PART, n * PART);
    await sendPart(connection, token, jobId, n, part);
  }
  const fresh = await serviceToken(connection, { lifeSeconds: finishLife });
  const reply = await tell(connection, "finishUpload", { jobId }, fresh);
  return {
    jobId,
    token: fresh,
    ...(await reply.json<{ completedJobId: string; jobStatus: JobStatus }>()),
  };
}

describe("an upload in parts", () => {
  it("becomes a blob on the account's server 3 seconds after its end", async () => {
    const connection = await connect();
    const bytes = mp4(2 * PART + 1_000);
    const { completedJobId, jobStatus } = await uploadInParts(connection, bytes);
    expect(jobStatus).toMatchObject({ did: connection.session.did, state: "JOB_STATE_ENCODING" });
    expect(await jobOf(connection, completedJobId)).not.toHaveProperty("blob");
    moveClock(3);
    const done = await jobOf(connection, completedJobId);
    expect(done).toMatchObject({
      state: "JOB_STATE_COMPLETED",
      blob: { $type: "blob", mimeType: "video/mp4", size: bytes.length },
    });
    const embed = { $type: "app.bsky.embed.video", video: done.blob, alt: "A fox" };
    expect((await write(connection, record("Look", { embed }))).status).toBe(200);
    const [post] = await sandbox().listPosts({ teamId: connection.teamId });
    expect(post?.media).toMatchObject([
      { kind: "video", alt: "A fox", sizeBytes: bytes.length, sha256: await sha256Hex(bytes) },
    ]);
  });

  it("tells the size of its parts and when it ends", async () => {
    const connection = await connect();
    const reply = await start(connection, await serviceToken(connection), { sizeBytes: PART + 1 });
    expect(await reply.json()).toEqual({
      jobId: expect.any(String),
      partSizeBytes: PART,
      partCount: 2,
      expiresAt: expect.stringMatching(/Z$/),
    });
  });

  it("takes a part twice, reports what it has, and refuses an end with parts missing", async () => {
    const connection = await connect();
    const token = await serviceToken(connection);
    const started = await start(connection, token, { sizeBytes: PART + 4 });
    const { jobId } = await started.json<{ jobId: string }>();
    for (let time = 0; time < 2; time++) {
      const reply = await sendPart(connection, token, jobId, 2, "tail");
      expect(await reply.json()).toEqual({ partNumber: 2, sizeBytes: 4 });
    }
    const status = await ask(connection, "getUploadStatus", { jobId }, token);
    expect(await status.json()).toMatchObject({ jobId, state: "created", receivedParts: [2] });
    expect(await readError(await tell(connection, "finishUpload", { jobId }, token))).toEqual({
      status: 400,
      error: "MissingParts",
      message: "Missing parts: 1",
    });
  });

  it("is finished once, however often that is asked", async () => {
    const connection = await connect();
    const first = await uploadInParts(connection, mp4(1_000));
    const again = await tell(connection, "finishUpload", { jobId: first.jobId }, first.token);
    expect(await again.json()).toMatchObject({ completedJobId: first.completedJobId });
    const status = await ask(connection, "getUploadStatus", { jobId: first.jobId }, first.token);
    expect(await status.json()).toMatchObject({
      state: "completed",
      completedJobId: first.completedJobId,
    });
    const late = await sendPart(connection, first.token, first.jobId, 1, mp4(1_000));
    expect(await readError(late)).toMatchObject({ error: "UploadAlreadyCompleted" });
  });

  it("leads to the earlier job for a video that the account has uploaded before", async () => {
    const connection = await connect();
    const bytes = mp4(1_000);
    const first = await uploadInParts(connection, bytes);
    moveClock(3);
    await jobOf(connection, first.completedJobId);
    const second = await uploadInParts(connection, bytes);
    expect(second.jobId).not.toBe(first.jobId);
    expect(second.completedJobId).toBe(first.completedJobId);
    expect(second.jobStatus).toMatchObject({ state: "JOB_STATE_COMPLETED", blob: { size: 1_000 } });
  });

  it("fails in the job when the token of its end runs out before the blob is written", async () => {
    const connection = await connect();
    const { completedJobId } = await uploadInParts(connection, mp4(1_000), 2);
    moveClock(3);
    expect(await jobOf(connection, completedJobId)).toMatchObject({
      state: "JOB_STATE_FAILED",
      failureCode: "pds_upload_failure",
    });
  });

  it("is refused at its end when it is no video", async () => {
    const connection = await connect();
    const token = await serviceToken(connection);
    const { jobId } = await (await start(connection, token)).json<{ jobId: string }>();
    await sendPart(connection, token, jobId, 1, "x".repeat(100));
    expect(await readError(await tell(connection, "finishUpload", { jobId }, token))).toMatchObject(
      { status: 400, error: "UnsupportedContentType" },
    );
  });

  it("fails at its end when the sandbox was emptied meanwhile", async () => {
    const connection = await connect();
    const token = await serviceToken(connection);
    const { jobId } = await (await start(connection, token)).json<{ jobId: string }>();
    await sandbox().reset(connection.teamId);
    expect((await sendPart(connection, token, jobId, 1, mp4(100))).status).toBe(200);
    expect(await readError(await tell(connection, "finishUpload", { jobId }, token))).toMatchObject(
      { status: 400, error: "UploadFailed" },
    );
  });

  it("can be aborted while it is open, and expires after an hour", async () => {
    const connection = await connect();
    const token = await serviceToken(connection, { lifeSeconds: 3_600 });
    const open = async () =>
      (await (await start(connection, token)).json<{ jobId: string }>()).jobId;
    const aborted = await open();
    for (let time = 0; time < 2; time++) {
      const reply = await tell(connection, "abortUpload", { jobId: aborted }, token);
      expect(await reply.json()).toEqual({ state: "aborted" });
    }
    const part = mp4(100);
    expect(await readError(await sendPart(connection, token, aborted, 1, part))).toMatchObject({
      error: "UploadAborted",
    });
    const forgotten = await open();
    moveClock(3_599);
    const later = await serviceToken(connection);
    moveClock(3_600);
    const late = await readError(await sendPart(connection, later, forgotten, 1, part));
    expect(late).toMatchObject({ status: 400, error: "UploadExpired" });
  });

  it.each<[string, number, () => BodyInit, string]>([
    ["a part too short", 1, () => "x", "PartSizeMismatch"],
    ["a part too long", 1, () => "x".repeat(101), "PartSizeMismatch"],
    ["a part of unknown length", 1, () => chunked(mp4(100)), "PartSizeMismatch"],
    ["a part that is not there", 2, () => "x", "InvalidPartNumber"],
    ["a part number that is none", 0, () => "x", "InvalidPartNumber"],
  ])("refuses %s", async (_, number, body, error) => {
    const connection = await connect();
    const token = await serviceToken(connection);
    const { jobId } = await (await start(connection, token)).json<{ jobId: string }>();
    const reply = await sendPart(connection, token, jobId, number, body());
    expect(await readError(reply)).toMatchObject({ status: 400, error });
  });

  it.each([
    ["too large a file", { sizeBytes: 300_000_001 }, "VideoTooLarge"],
    ["another type", { mimeType: "text/html" }, "UnsupportedContentType"],
    ["more than ten minutes", { durationMs: 600_001 }, "VideoTooLong"],
    ["no size", { sizeBytes: 0 }, "InvalidRequest"],
  ])("refuses at its start %s", async (_, fields, error) => {
    const connection = await connect();
    const reply = await start(connection, await serviceToken(connection), fields);
    expect(await readError(reply)).toMatchObject({ status: 400, error });
  });

  it("is refused while ten others are open", async () => {
    const connection = await connect();
    const token = await serviceToken(connection);
    for (let n = 0; n < 10; n++) expect((await start(connection, token)).status).toBe(200);
    expect(await readError(await start(connection, token))).toMatchObject({
      error: "TooManyOpenUploads",
    });
  });

  it("is nobody else's", async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const started = await start(mine, await serviceToken(mine));
    const { jobId } = await started.json<{ jobId: string }>();
    const token = await serviceToken(theirs);
    for (const reply of [
      await ask(theirs, "getUploadStatus", { jobId }, token),
      await sendPart(theirs, token, jobId, 1, mp4(100)),
      await tell(theirs, "finishUpload", { jobId }, token),
      await tell(theirs, "abortUpload", { jobId }, token),
    ]) {
      expect(await readError(reply)).toMatchObject({ error: "UploadNotFound" });
    }
  });
});

describe("a service token", () => {
  it.each<[string, Auth, string]>([
    ["another audience", { aud: "did:web:video.bsky.app" }, "BadJwtAudience"],
    ["another method", { lxm: "app.bsky.video.startUpload" }, "BadJwtLexiconMethod"],
    ["no method", { lxm: null }, "BadJwtLexiconMethod"],
  ])("for %s is refused (401)", async (_, auth, error) => {
    const connection = await connect();
    const reply = await start(connection, await serviceToken(connection, auth));
    expect(await readError(reply)).toMatchObject({ status: 401, error });
  });

  it("is refused when it has expired, is invented or is the account's own (401)", async () => {
    const connection = await connect();
    const token = await serviceToken(connection, { lifeSeconds: 60 });
    expect((await start(connection, token)).status).toBe(200);
    moveClock(61);
    expect(await readError(await start(connection, token))).toMatchObject({ error: "JwtExpired" });
    for (const other of ["a.b.c", connection.session.accessJwt]) {
      expect(await readError(await start(connection, other))).toMatchObject({ error: "BadJwt" });
    }
    const bare = await ask(connection, "getUploadStatus", { jobId: "x" });
    expect(await readError(bare)).toMatchObject({ status: 401, error: "AuthMissing" });
  });
});

describe("uploadVideo", () => {
  it("takes a whole video, and names the earlier job for the same one (409)", async () => {
    const connection = await connect();
    const bytes = mp4(2_500_000);
    const first = await sendWhole(connection, await serviceToken(connection), bytes);
    expect(first.status).toBe(200);
    const { jobId } = await first.json<JobStatus>();
    moveClock(3);
    const again = await sendWhole(connection, await serviceToken(connection), bytes);
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({
      jobId,
      error: "already_exists",
      blob: { size: bytes.length },
    });
  });

  it("refuses what is no video, and the account of somebody else", async () => {
    const connection = await connect();
    const token = await serviceToken(connection);
    expect(await readError(await sendWhole(connection, token, "hello"))).toMatchObject({
      error: "UnsupportedContentType",
    });
    const other = await sendWhole(connection, token, mp4(100), "did:plc:other");
    expect(other.status).toBe(401);
  });
});

describe("getUploadLimits", () => {
  it("counts the videos of a day, and needs a token of its own", async () => {
    const connection = await connect();
    const limits = async () => {
      const token = await serviceToken(connection, {
        aud: "did:web:video.bsky.app",
        lxm: "app.bsky.video.getUploadLimits",
      });
      return (await ask(connection, "getUploadLimits", {}, token)).json<{
        canUpload: boolean;
        remainingDailyVideos: number;
      }>();
    };
    const before = await limits();
    expect(before.canUpload).toBe(true);
    await uploadInParts(connection, mp4(1_000));
    expect((await limits()).remainingDailyVideos).toBe(before.remainingDailyVideos - 1);
    const wrong = await ask(connection, "getUploadLimits", {}, await serviceToken(connection));
    expect(wrong.status).toBe(401);
  });
});

describe("a record with a video", () => {
  it.each<[string, (blob: Blob) => unknown, RegExp]>([
    ["no blob", () => ({}), /Missing required key "video"/],
    [
      "another type",
      (blob) => ({ video: { ...blob, mimeType: "video/webm" } }),
      /Expected "video\/mp4"/,
    ],
    [
      "a blob too big",
      (blob) => ({ video: { ...blob, size: 300_000_001 } }),
      /blob too big \(maximum 300000000/,
    ],
    [
      "a blob that nobody uploaded",
      (blob) => ({ video: { ...blob, ref: { $link: `bafkrei${"a".repeat(52)}` } } }),
      /Could not find blob/,
    ],
    ["no text as alt", (blob) => ({ video: blob, alt: 5 }), /Expected string/],
    [
      "half an aspect ratio",
      (blob) => ({ video: blob, aspectRatio: { width: 9 } }),
      /Missing required key "height"/,
    ],
  ])("is refused for %s", async (_, embed, message) => {
    const connection = await connect();
    const { completedJobId } = await uploadInParts(connection, mp4(1_000));
    moveClock(3);
    const { blob } = await jobOf(connection, completedJobId);
    if (!blob) throw new Error("The video was not processed.");
    const value = record("x", { embed: { $type: "app.bsky.embed.video", ...Object(embed(blob)) } });
    const refusal = await readError(await write(connection, value));
    expect(refusal.status).toBe(400);
    expect(refusal.message).toMatch(message);
  });

  it("is refused while the video is still being processed (BlobNotFound)", async () => {
    const connection = await connect();
    const bytes = mp4(1_000);
    const first = await uploadInParts(connection, bytes);
    moveClock(3);
    const { blob } = await jobOf(connection, first.completedJobId);
    moveClock(0);
    const other = await connect();
    await uploadInParts(other, bytes);
    const embed = { $type: "app.bsky.embed.video", video: blob };
    expect(await readError(await write(other, record("x", { embed })))).toMatchObject({
      error: "BlobNotFound",
    });
  });
});
