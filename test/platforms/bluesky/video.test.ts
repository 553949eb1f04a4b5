import { expect, test } from "vitest";
import { bluesky } from "../../../src/platforms/bluesky/index.ts";
import { didOfServer } from "../../../src/platforms/bluesky/video.ts";
import type { Bookmark, Prepared } from "../../../src/platforms/connector.ts";
import { DID, job, json, NOW, PDS, scriptedFetch, video, xrpcError } from "./scripted.ts";

const BLOB = {
  $type: "blob",
  ref: { $link: "bafkreivideo" },
  mimeType: "video/mp4",
  size: 2_000,
};
const SESSION = {
  jobId: "upload-1",
  partSizeBytes: 1_000,
  partCount: 3,
  expiresAt: "2026-12-01T10:00:00.000Z",
};
const UPLOADING = {
  stage: "uploading",
  jobId: "upload-1",
  partSizeBytes: 1_000,
  partCount: 3,
  missing: [1, 2, 3],
  recoveries: 0,
};
const LAST_PART = { ...UPLOADING, missing: [3] };
const ALL_SENT = { ...UPLOADING, missing: [] };
const PROCESSING = { stage: "processing", jobId: "job-1", since: NOW.getTime() };

type Script = Parameters<typeof scriptedFetch>[0];
type Answer = NonNullable<Script>[string][number];

const methods = (script: Record<string, Answer[]>): Script =>
  Object.fromEntries(
    Object.entries(script).map(([name, answers]) => [
      name === "getServiceAuth" ? `com.atproto.server.${name}` : `app.bsky.video.${name}`,
      answers,
    ]),
  );

/** One distinct service token per step. */
const tokens = (count: number) =>
  Array.from({ length: count }, (_, index) => json({ token: `service-${index + 1}` }));

const status = (fields: Record<string, unknown>) => ({ jobId: "job-1", did: DID, ...fields });
const done = () => json({ jobStatus: status({ state: "JOB_STATE_COMPLETED", blob: BLOB }) });
const encoding = () => json({ jobStatus: status({ state: "JOB_STATE_ENCODING", progress: 10 }) });
const finished = () =>
  json({ completedJobId: "job-1", jobStatus: status({ state: "JOB_STATE_CREATED" }) });
const part = () => json({ partNumber: 1, sizeBytes: 1_000 });

async function step(
  script: Record<string, Answer[]>,
  bookmark: Bookmark | null,
  change: Parameters<typeof job>[1] = {},
) {
  const { fetch, calls } = scriptedFetch(methods(script));
  const media = change.post?.media ?? [video()];
  const publishJob = job(fetch, { ...change, post: { ...change.post, media } });
  const stored = bookmark && (JSON.parse(JSON.stringify(bookmark)) as Bookmark);
  const prepared = await bluesky.prepare(publishJob, stored);
  const names = calls.map((call) => call.path.split(".").at(-1) ?? "");
  return { prepared, calls, names, ranges: publishJob.ranges };
}

const bookmarkOf = (prepared: Prepared): Bookmark => {
  if (!("bookmark" in prepared)) throw new Error(`No bookmark in ${JSON.stringify(prepared)}`);
  return prepared.bookmark;
};

const refused = (code: string, message: string, more: Record<string, unknown> = {}) => ({
  kind: "failed",
  failure: { code, message },
  transient: false,
  ...more,
});
const transient = { transient: true };
const restart = { transient: true, restart: true };

test("opens an upload with a token of the account's server for writing blobs", async () => {
  const { prepared, calls } = await step(
    { getServiceAuth: tokens(1), startUpload: [json(SESSION)] },
    null,
    { post: { media: [video({ width: 1_080, height: 1_920 })] } },
  );
  expect(prepared).toEqual({ kind: "next", bookmark: UPLOADING });
  expect(calls).toMatchObject([
    {
      method: "GET",
      url: expect.stringContaining(`${PDS}/xrpc/com.atproto.server.getServiceAuth?`),
      authorization: "Bearer access-token",
      query: {
        aud: "did:web:morel.us-east.host.bsky.network",
        lxm: "com.atproto.repo.uploadBlob",
        exp: String(Math.floor(NOW.getTime() / 1_000) + 1_800),
      },
    },
    {
      method: "POST",
      url: "https://video.bsky.app/xrpc/app.bsky.video.startUpload",
      authorization: "Bearer service-1",
      redirect: "manual",
      json: {
        sizeBytes: 2_500,
        mimeType: "video/mp4",
        name: "cdcdcdcdcdcd.mp4",
        width: 1_080,
        height: 1_920,
      },
    },
  ]);
});

test("says nothing of a size that is not known", async () => {
  const { calls } = await step({ getServiceAuth: tokens(1), startUpload: [json(SESSION)] }, null);
  expect(calls[1]?.json).toEqual({
    sizeBytes: 2_500,
    mimeType: "video/mp4",
    name: "cdcdcdcdcdcd.mp4",
  });
});

test.each([
  ["https://pds.example.com", "did:web:pds.example.com"],
  ["https://pds.example.com:8443", "did:web:pds.example.com"],
  ["http://localhost:2583", "did:web:localhost"],
])("names the server at %s %s", (origin, did) => {
  expect(didOfServer(origin)).toBe(did);
});

test("sends one part per step, each with its range and length, and the last one shorter", async () => {
  let bookmark: Bookmark = UPLOADING;
  const sent: unknown[] = [];
  for (const missing of [[2, 3], [3], []]) {
    const { prepared, calls, ranges } = await step(
      { getServiceAuth: tokens(1), uploadPart: [part()] },
      bookmark,
    );
    expect(prepared).toEqual({ kind: "next", bookmark: { ...UPLOADING, missing } });
    bookmark = bookmarkOf(prepared);
    const [, call] = calls;
    sent.push([call?.query, call?.bytes, call?.contentType, call?.authorization, ranges]);
  }
  const head = ["application/octet-stream", "Bearer service-1"];
  expect(sent).toEqual([
    [{ jobId: "upload-1", partNumber: "1" }, 1_000, ...head, [{ offset: 0, length: 1_000 }]],
    [{ jobId: "upload-1", partNumber: "2" }, 1_000, ...head, [{ offset: 1_000, length: 1_000 }]],
    [{ jobId: "upload-1", partNumber: "3" }, 500, ...head, [{ offset: 2_000, length: 500 }]],
  ]);
});

test("goes from nothing to a ready record, resumed at every step boundary", async () => {
  const { fetch, calls } = scriptedFetch(
    methods({
      getServiceAuth: tokens(5),
      startUpload: [json(SESSION)],
      uploadPart: [part(), part(), part()],
      finishUpload: [finished()],
      getJobStatus: [encoding(), done()],
    }),
  );
  const post = {
    description: "Look",
    media: [video({ width: 1_080, height: 1_920 })],
    settings: { bluesky_alt_text: "A fox" },
  };
  const kinds: string[] = [];
  let bookmark: Bookmark | null = null;
  for (let seconds = 0; kinds.at(-1) !== "ready" && seconds < 20; seconds++) {
    const now = new Date(NOW.getTime() + seconds * 1_000);
    const prepared = await bluesky.prepare(job(fetch, { post, now }), bookmark);
    kinds.push(prepared.kind);
    bookmark = JSON.parse(JSON.stringify(bookmarkOf(prepared)));
  }
  expect(kinds).toEqual(["next", "next", "next", "next", "waiting", "waiting", "next", "ready"]);
  expect(bookmark).toEqual({
    rkey: expect.stringMatching(/^[2-7a-z]{13}$/),
    record: {
      $type: "app.bsky.feed.post",
      text: "Look",
      createdAt: "2026-12-01T09:00:07.123Z",
      embed: {
        $type: "app.bsky.embed.video",
        video: BLOB,
        alt: "A fox",
        aspectRatio: { width: 1_080, height: 1_920 },
      },
    },
  });
  const finish = calls.find((call) => call.path.endsWith("finishUpload"));
  expect(finish).toMatchObject({ authorization: "Bearer service-5", json: { jobId: "upload-1" } });
  const polls = calls.filter((call) => call.path.endsWith("getJobStatus"));
  expect(polls).toMatchObject(Array(2).fill({ query: { jobId: "job-1" }, authorization: null }));
  expect(await bluesky.prepare(job(fetch, { post }), bookmark)).toEqual({
    kind: "ready",
    bookmark,
  });
});

test("keeps no token in a bookmark", async () => {
  const steps = await Promise.all([
    step({ getServiceAuth: tokens(1), startUpload: [json(SESSION)] }, null),
    step({ getServiceAuth: tokens(1), uploadPart: [part()] }, UPLOADING),
    step({ getServiceAuth: tokens(1), finishUpload: [finished()] }, ALL_SENT),
  ]);
  for (const { prepared } of steps) {
    expect(JSON.stringify(bookmarkOf(prepared))).not.toContain("service-1");
  }
});

test("leaves out alt text and size that nobody gave", async () => {
  const { prepared, calls } = await step({}, { stage: "processed", blob: BLOB });
  expect(bookmarkOf(prepared).record).toMatchObject({
    embed: { $type: "app.bsky.embed.video", video: BLOB },
  });
  expect(JSON.stringify(bookmarkOf(prepared))).not.toMatch(/alt|aspectRatio/);
  expect(calls).toEqual([]);
});

test("shows the video in the size that its own header says", async () => {
  const { fetch } = scriptedFetch({});
  const publishJob = {
    ...job(fetch, { post: { media: [video()] } }),
    inspectVideo: async () => ({
      container: "mp4",
      videoCodec: "avc",
      audioCodec: null,
      durationSeconds: 4,
      framesPerSecond: 30,
      width: 720,
      height: 1_280,
    }),
  };
  const prepared = await bluesky.prepare(publishJob, { stage: "processed", blob: BLOB });
  expect(bookmarkOf(prepared).record).toMatchObject({
    embed: { aspectRatio: { width: 720, height: 1_280 } },
  });
});

test("keeps the video when a mention cannot be resolved at its end", async () => {
  const { fetch } = scriptedFetch({
    "com.atproto.identity.resolveHandle": [xrpcError(502, "UpstreamFailure", "Upstream Failure")],
  });
  const publishJob = job(fetch, { post: { description: "@bob.com", media: [video()] } });
  expect(await bluesky.prepare(publishJob, { stage: "processed", blob: BLOB })).toEqual(
    refused("platform_unavailable", "Upstream Failure", transient),
  );
});

test("goes on at once with a video that was processed before", async () => {
  const { prepared } = await step(
    {
      getServiceAuth: tokens(1),
      finishUpload: [
        json({
          completedJobId: "job-0",
          jobStatus: status({ state: "JOB_STATE_COMPLETED", blob: BLOB }),
        }),
      ],
    },
    ALL_SENT,
  );
  expect(prepared).toEqual({ kind: "next", bookmark: { stage: "processed", blob: BLOB } });
});

test("follows the job that the service names at the end, not the one of the upload", async () => {
  const { prepared } = await step(
    { getServiceAuth: tokens(1), finishUpload: [finished()] },
    ALL_SENT,
  );
  expect(prepared).toEqual({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds: 2 });
});

test.each([
  [0, 2],
  [10, 3],
  [25, 4],
  [30, 5],
  [1_000, 5],
])("asks after %i seconds of processing again in %i", async (seconds, checkAfterSeconds) => {
  const now = new Date(NOW.getTime() + seconds * 1_000);
  const { prepared } = await step({ getJobStatus: [encoding()] }, PROCESSING, { now });
  // The same bookmark shows the runner that nothing moves.
  expect(JSON.stringify(prepared)).toBe(
    JSON.stringify({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds }),
  );
});

test.each<[string, Response]>([
  ["HTTP 503", new Response("", { status: 503 })],
  ["HTTP 429", xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded")],
  ["something that cannot be read", new Response("<h1>")],
])("waits on when a look at the job is answered with %s", async (_, reply) => {
  const { prepared } = await step({ getJobStatus: [reply] }, PROCESSING);
  expect(prepared).toMatchObject({ kind: "waiting", bookmark: PROCESSING });
});

test("gives up on a job that is not done after 25 minutes, and says that nothing was posted", async () => {
  const now = new Date(NOW.getTime() + 1_500_000);
  const { prepared } = await step({ getJobStatus: [encoding()] }, PROCESSING, { now });
  expect(prepared).toEqual(
    refused(
      "platform_processing_timeout",
      "Bluesky has not finished processing the video after 25 minutes; nothing was posted.",
    ),
  );
});

test("takes the video of a job that failed after storing it", async () => {
  const failed = status({ state: "JOB_STATE_FAILED", error: "already_exists", blob: BLOB });
  const { prepared } = await step({ getJobStatus: [json({ jobStatus: failed })] }, PROCESSING);
  expect(prepared).toEqual({ kind: "next", bookmark: { stage: "processed", blob: BLOB } });
});

test.each<[Record<string, unknown>, object]>([
  [
    { failureCode: "validation_failure", message: "too long" },
    refused("media_invalid", "too long"),
  ],
  [
    { failureCode: "encoding_failure" },
    refused("media_invalid", "Bluesky could not convert this video."),
  ],
  [
    { failureCode: "pds_upload_unsupported_blob_size" },
    refused(
      "media_invalid",
      "The account's server takes no video of this size; send a smaller one.",
    ),
  ],
  [{ error: "bad_aspect_ratio" }, refused("media_invalid", "bad_aspect_ratio")],
  [
    { failureCode: "pds_upload_failure", message: "no" },
    refused("platform_unavailable", "no", restart),
  ],
  [
    { failureCode: "generic_failure", error: "oops" },
    refused("platform_unavailable", "oops", restart),
  ],
  [{}, refused("platform_unavailable", "Bluesky's video service failed with this video.", restart)],
])("ends a job that failed with %j", async (fields, expected) => {
  const jobStatus = status({ state: "JOB_STATE_FAILED", ...fields });
  const { prepared } = await step({ getJobStatus: [json({ jobStatus })] }, PROCESSING);
  expect(prepared).toEqual(expected);
});

test.each<[string, Response]>([
  ["is done without a video", json({ jobStatus: status({ state: "JOB_STATE_COMPLETED" }) })],
  ["is not known any more", xrpcError(400, "InvalidRequest", "Could not find job")],
])("sends the video again when the job %s", async (_, reply) => {
  const { prepared } = await step({ getJobStatus: [reply] }, PROCESSING);
  expect(prepared).toMatchObject({ failure: { code: "platform_unavailable" }, ...restart });
});

const reset = String(Math.floor(NOW.getTime() / 1_000) + 3_600);

test.each<[string, Response, object]>([
  ...["UnsupportedContentType", "VideoTooLarge", "VideoTooLong", "BadAspectRatio"].map(
    (name): [string, Response, object] => [
      name,
      xrpcError(400, name, "No"),
      refused("media_invalid", "No"),
    ],
  ),
  [
    "DailyLimitExceeded",
    xrpcError(400, "DailyLimitExceeded", "Enough", { "ratelimit-reset": reset }),
    {
      kind: "failed",
      failure: { code: "rate_limited", message: "Enough", retryAfterSeconds: 3_600 },
      transient: false,
    },
  ],
  [
    "too many calls",
    xrpcError(429, "RateLimitExceeded", "Slower"),
    refused("rate_limited", "Slower", transient),
  ],
  [
    "UploadForbidden",
    xrpcError(403, "UploadForbidden", "Confirm your email address to upload videos"),
    refused("account_disconnected", "Confirm your email address to upload videos"),
  ],
  [
    "a taken down account",
    xrpcError(401, "AccountTakedown", "Taken down"),
    refused("account_disconnected", "Taken down"),
  ],
])("ends the start at %s", async (_, reply, expected) => {
  const { prepared, names } = await step({ getServiceAuth: tokens(1), startUpload: [reply] }, null);
  expect(prepared).toEqual(expected);
  expect(names).toEqual(["getServiceAuth", "startUpload"]);
});

test.each<[string, Bookmark | null]>([
  ["at the start", null],
  ["at a part", UPLOADING],
  ["at the end", ALL_SENT],
  ["before sending all at once", { stage: "single_shot" }],
])("asks for a fresh login when the account's server refuses ours %s", async (_, bookmark) => {
  const expired = xrpcError(400, "ExpiredToken", "Token has expired");
  const { prepared, calls } = await step({ getServiceAuth: [expired] }, bookmark);
  expect(prepared).toEqual({ kind: "token_expired" });
  expect(calls).toHaveLength(1);
});

test("gives up parts that do not add up, and closes the upload", async () => {
  const { prepared, names } = await step(
    { getServiceAuth: tokens(1), startUpload: [json({ ...SESSION, partCount: 2 })] },
    null,
  );
  expect(prepared).toMatchObject({ failure: { code: "platform_unavailable" }, ...restart });
  expect(names).toEqual(["getServiceAuth", "startUpload", "abortUpload"]);
});

test.each(["UploadExpired", "UploadNotFound", "UploadAborted", "UploadFailed"])(
  "begins again when a part or the end is refused with %s",
  async (name) => {
    const reply = () => xrpcError(400, name, "Gone");
    const steps = [
      await step({ getServiceAuth: tokens(1), uploadPart: [reply()] }, UPLOADING),
      await step({ getServiceAuth: tokens(1), finishUpload: [reply()] }, ALL_SENT),
    ];
    for (const { prepared, names } of steps) {
      expect(prepared).toEqual(refused("platform_unavailable", "Gone", restart));
      expect(names).not.toContain("abortUpload");
    }
  },
);

test.each(["InvalidPartNumber", "PartSizeMismatch"])(
  "closes the upload and begins again when a part is refused with %s",
  async (name) => {
    const { prepared, names, calls } = await step(
      {
        getServiceAuth: tokens(1),
        uploadPart: [xrpcError(400, name, "Other size")],
        abortUpload: [json({ state: "aborted" })],
      },
      UPLOADING,
    );
    expect(prepared).toEqual(refused("platform_unavailable", "Other size", restart));
    expect(names.at(-1)).toBe("abortUpload");
    expect(calls.at(-1)?.json).toEqual({ jobId: "upload-1" });
  },
);

test("closes the upload of a file that is refused at its end, whether or not that works", async () => {
  const { prepared, names } = await step(
    {
      getServiceAuth: tokens(1),
      finishUpload: [xrpcError(400, "UnsupportedContentType", "No video")],
      abortUpload: [new TypeError("Network connection lost.")],
    },
    ALL_SENT,
  );
  expect(prepared).toEqual(refused("media_invalid", "No video"));
  expect(names.at(-1)).toBe("abortUpload");
});

test("repeats a part or the end after an overload, and leaves the upload open", async () => {
  const overload = () => xrpcError(503, "ServiceOverloaded", "Later");
  const steps = [
    await step({ getServiceAuth: tokens(1), uploadPart: [overload()] }, LAST_PART),
    await step({ getServiceAuth: tokens(1), finishUpload: [overload()] }, ALL_SENT),
  ];
  for (const { prepared, names } of steps) {
    expect(prepared).toEqual(refused("platform_unavailable", "Later", transient));
    expect(names).toHaveLength(2);
  }
});

test("sends the parts that the service turns out not to have, and no others", async () => {
  const { prepared } = await step(
    {
      getServiceAuth: tokens(1),
      finishUpload: [xrpcError(400, "MissingParts", "Missing parts: 2")],
      getUploadStatus: [json({ ...SESSION, state: "created", receivedParts: [3, 1] })],
    },
    ALL_SENT,
  );
  expect(prepared).toEqual({
    kind: "next",
    bookmark: { ...UPLOADING, missing: [2], recoveries: 1 },
  });
});

test("waits a moment when nothing is missing and the end was refused all the same", async () => {
  const script = () => ({
    getServiceAuth: tokens(1),
    finishUpload: [xrpcError(400, "UploadNotReady", "Not ready")],
    getUploadStatus: [json({ ...SESSION, state: "created", receivedParts: [1, 2, 3] })],
  });
  const { prepared } = await step(script(), ALL_SENT);
  expect(prepared).toEqual({
    kind: "waiting",
    bookmark: { ...ALL_SENT, recoveries: 1 },
    checkAfterSeconds: 2,
  });
  const last = await step(script(), { ...ALL_SENT, recoveries: 3 });
  expect(last.prepared).toEqual(refused("platform_unavailable", "Not ready", restart));
  expect(last.names.at(-1)).toBe("abortUpload");
});

test.each<[string, object, object]>([
  [
    "is being finished",
    { state: "finishing" },
    { kind: "waiting", bookmark: LAST_PART, checkAfterSeconds: 2 },
  ],
  [
    "is complete",
    { state: "completed", completedJobId: "job-1", jobStatus: status({ state: "x" }) },
    { kind: "next", bookmark: PROCESSING },
  ],
  [
    "has failed",
    { state: "failed", failureReason: "Broken" },
    refused("platform_unavailable", "Broken", restart),
  ],
  [
    "has expired",
    { state: "expired" },
    refused(
      "platform_unavailable",
      "Bluesky's video service says that the upload is expired.",
      restart,
    ),
  ],
])("finds out that an upload %s", async (_, fields, expected) => {
  const { prepared } = await step(
    {
      getServiceAuth: tokens(1),
      uploadPart: [xrpcError(400, "UploadAlreadyCompleted", "Complete")],
      getUploadStatus: [json({ ...SESSION, receivedParts: [1, 2], ...fields })],
    },
    LAST_PART,
  );
  expect(prepared).toEqual(expected);
});

test("leaves a lost connection to the runner, at every call", async () => {
  const lost = new TypeError("Network connection lost.");
  const cases: [Record<string, Answer[]>, Bookmark | null][] = [
    [{ getServiceAuth: [lost] }, null],
    [{ getServiceAuth: tokens(1), startUpload: [lost] }, null],
    [{ getServiceAuth: tokens(1), uploadPart: [lost] }, UPLOADING],
    [{ getServiceAuth: tokens(1), finishUpload: [lost] }, ALL_SENT],
    [{ getJobStatus: [lost] }, PROCESSING],
  ];
  for (const [script, bookmark] of cases) await expect(step(script, bookmark)).rejects.toBe(lost);
});

test.each<[string, Response]>([
  ["HTTP 404", new Response("Not Found", { status: 404 })],
  ["HTTP 501", new Response("", { status: 501 })],
  ["MethodNotImplemented", xrpcError(501, "MethodNotImplemented", "Method Not Implemented")],
  ["XRPCNotSupported", xrpcError(404, "XRPCNotSupported", "XRPCNotSupported")],
  ["TooManyOpenUploads", xrpcError(400, "TooManyOpenUploads", "Too many")],
  ["ServiceOverloaded", xrpcError(503, "ServiceOverloaded", "Later")],
  ["a token that it does not believe", xrpcError(401, "BadJwtSignature", "jwt signature")],
  ["InvalidRequest", xrpcError(400, "InvalidRequest", "Input must have the property width")],
  ["HTTP 502", new Response("<h1>", { status: 502 })],
  ["a session that cannot be read", json({ jobId: "" })],
])("turns to the older way when an upload in parts is answered with %s", async (_, reply) => {
  const { prepared } = await step({ getServiceAuth: tokens(1), startUpload: [reply] }, null);
  expect(prepared).toEqual({ kind: "next", bookmark: { stage: "single_shot" } });
});

const wholeScript = (reply: Answer) => ({
  getServiceAuth: tokens(2),
  getUploadLimits: [json({ canUpload: true })],
  uploadVideo: [reply],
});

test("sends a whole video after asking whether it may", async () => {
  const created = json(status({ state: "JOB_STATE_CREATED" }));
  const { prepared, calls, ranges } = await step(wholeScript(created), { stage: "single_shot" });
  expect(prepared).toEqual({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds: 2 });
  expect(calls).toMatchObject([
    { query: { aud: "did:web:video.bsky.app", lxm: "app.bsky.video.getUploadLimits" } },
    { method: "GET", authorization: "Bearer service-1" },
    { query: { lxm: "com.atproto.repo.uploadBlob" } },
    {
      url: expect.stringContaining("https://video.bsky.app/xrpc/app.bsky.video.uploadVideo?"),
      query: { did: DID, name: "cdcdcdcdcdcd.mp4" },
      authorization: "Bearer service-2",
      contentType: "video/mp4",
      bytes: 2_500,
    },
  ]);
  expect(ranges).toEqual([null]);
});

test("a whole video has as long as its bytes move, not the time of a call", async () => {
  const { fetch } = scriptedFetch(
    methods({ getServiceAuth: tokens(2), getUploadLimits: [json({ canUpload: true })] }),
  );
  const sent: string[] = [];
  const publishJob: ReturnType<typeof job> = {
    ...job(fetch, { post: { media: [video()] } }),
    transfer: async (item, toRequest) => {
      const request = toRequest(new Blob([new Uint8Array(item.sizeBytes)]).stream());
      const { byteLength } = await request.arrayBuffer();
      sent.push(`${new URL(request.url).pathname.split(".").at(-1)} ${byteLength}`);
      return json(status({ state: "JOB_STATE_CREATED" }));
    },
  };
  const prepared = await bluesky.prepare(publishJob, { stage: "single_shot" });
  expect(prepared).toMatchObject({ kind: "waiting", bookmark: PROCESSING });
  expect(sent).toEqual(["uploadVideo 2500"]);
});

test.each<[string, Response, object]>([
  [
    "a status in a wrapping",
    json({ jobStatus: status({ state: "JOB_STATE_ENCODING" }) }),
    { kind: "waiting", bookmark: PROCESSING },
  ],
  [
    "an earlier video",
    json(status({ error: "already_exists", state: "JOB_STATE_FAILED", blob: BLOB }), 409),
    { kind: "next", bookmark: { stage: "processed", blob: BLOB } },
  ],
  [
    "an earlier job",
    json(status({ error: "already_exists", state: "JOB_STATE_FAILED" }), 409),
    { kind: "next", bookmark: PROCESSING },
  ],
  [
    "a file that is too large",
    xrpcError(400, "", "file size (2 bytes) is larger than the maximum allowed size (1 bytes)"),
    { failure: { code: "media_invalid" } },
  ],
  [
    "a limit",
    xrpcError(400, "", "User has exceeded daily upload bytes limit"),
    { failure: { code: "rate_limited" }, transient: false },
  ],
  ["an outage", new Response("", { status: 500 }), { failure: { code: "platform_unavailable" } }],
])("reads the answer to a whole video: %s", async (_, reply, expected) => {
  const { prepared } = await step(wholeScript(reply), { stage: "single_shot" });
  expect(prepared).toMatchObject(expected);
});

test.each<[object, object]>([
  [
    { canUpload: false, message: "User has exceeded daily upload videos limit" },
    refused("rate_limited", "User has exceeded daily upload videos limit"),
  ],
  [
    { canUpload: false },
    refused("rate_limited", "The account has reached Bluesky's limit of videos for now."),
  ],
  [
    { canUpload: false, message: "Confirm your email address to upload videos" },
    refused("account_disconnected", "Confirm your email address to upload videos"),
  ],
])("sends nothing where the account may not: %j", async (limits, expected) => {
  const { prepared, names } = await step(
    { getServiceAuth: tokens(1), getUploadLimits: [json(limits)] },
    { stage: "single_shot" },
  );
  expect(prepared).toEqual(expected);
  expect(names).toEqual(["getServiceAuth", "getUploadLimits"]);
});
