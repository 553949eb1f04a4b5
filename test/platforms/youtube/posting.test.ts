import { expect, test } from "vitest";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { youtubeSimulator } from "../../../src/sandbox/youtube/index.ts";
import { dieBefore, type Fields, finish, mp4, openStage, watcherOf } from "../../support/stage.ts";
import { testJpeg, verticalMp4 } from "../../support/videos.ts";

async function onStage() {
  const stage = await openStage("youtube");
  const post = (fields: Fields = {}) => stage.post({ title: "Look", video: mp4(), ...fields });
  return { ...stage, post };
}

interface Seen {
  method: string;
  path: string;
  range: string | null;
}

const watching = watcherOf(
  youtubeSimulator,
  ({ url, request: { method, headers } }): Seen => ({
    method,
    path: url.pathname,
    range: headers.get("content-range"),
  }),
);

const UPLOADS = "/upload/youtube/v3/videos";
const opened = (calls: Seen[]) =>
  calls.filter(({ method, path }) => method === "POST" && path === UPLOADS).length;
const ranges = (calls: Seen[]) => calls.flatMap(({ range }) => (range === null ? [] : [range]));

test("a video goes out with all of its fields, is looked after, and stands in the feed byte for byte", async () => {
  const stage = await onStage();
  let id = 0;
  const calls = await watching(async () => {
    id = await stage.post({
      description: "More of it",
      tags: "one, two words",
      categoryId: "10",
      privacyStatus: "unlisted",
      embeddable: "false",
      license: "creativeCommon",
      publicStatsViewable: "false",
      selfDeclaredMadeForKids: "false",
      madeForKids: "true",
      containsSyntheticMedia: "true",
      hasPaidProductPlacement: "true",
      defaultLanguage: "en",
      defaultAudioLanguage: "pt-BR",
      recordingDate: "2026-11-01",
      notifySubscribers: "false",
    });
    await stage.harness.drain();
  });
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed", errorMessage: null });
  expect(JSON.stringify(record)).toMatch(/https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}"/);
  expect(opened(calls)).toBe(1);
  expect(ranges(calls)).toEqual([
    `bytes 0-${verticalMp4.byteLength - 1}/${verticalMp4.byteLength}`,
  ]);
  expect(await stage.feed()).toMatchObject([
    {
      uploadId: id,
      received: 1,
      text: "Look\nMore of it",
      media: [
        {
          kind: "video",
          mime: "video/mp4",
          sizeBytes: verticalMp4.byteLength,
          sha256: await sha256Hex(verticalMp4),
        },
      ],
      fields: {
        snippet: {
          title: "Look",
          description: "More of it",
          tags: ["one", "two words"],
          categoryId: "10",
          defaultLanguage: "en",
          defaultAudioLanguage: "pt-BR",
        },
        status: {
          privacyStatus: "unlisted",
          embeddable: false,
          license: "creativeCommon",
          publicStatsViewable: false,
          selfDeclaredMadeForKids: false,
          containsSyntheticMedia: true,
        },
        recordingDetails: { recordingDate: "2026-11-01T00:00:00.000Z" },
        paidProductPlacementDetails: { hasPaidProductPlacement: true },
        notifySubscribers: false,
      },
    },
  ]);
}, 30_000);

test("a scheduled video is private until then; images beside it are not used", async () => {
  const stage = await onStage();
  const id = await stage.post({
    title: [],
    youtube_title: "Soon",
    photo: new Blob([testJpeg]),
    scheduledDate: "2026-12-24T18:00:00+01:00",
  });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(await stage.feed()).toMatchObject([
    {
      media: [{ kind: "video" }],
      fields: {
        snippet: { title: "Soon" },
        status: { privacyStatus: "private", publishAt: "2026-12-24T17:00:00.000Z" },
      },
    },
  ]);
});

test("a channel that may not restrict countries gets its video without", async () => {
  const stage = await onStage();
  const id = await stage.post({ blockedCountries: "DE,AT" });
  const calls = await watching(() => stage.harness.drain());
  expect(opened(calls)).toBe(2);
  expect(await stage.read(id)).toMatchObject({
    status: "completed",
    metadata: { warnings: [expect.stringMatching(/restrict countries/)] },
  });
  const [post] = await stage.feed();
  expect(Object.keys(post.fields)).toEqual(["snippet", "status", "notifySubscribers"]);
});

test("steering words end the post with each failure", async () => {
  const stage = await onStage();
  for (const code of FAILURE_CODES) {
    const id = await stage.post({ title: `${code} [sandbox:${code}]` });
    await stage.harness.drain();
    expect(await stage.read(id)).toMatchObject({ status: "failed", failure: { code } });
    if (code === "account_disconnected") await stage.connect();
  }
  expect(await stage.feed()).toEqual([]);
});

test("a lost answer is found by its session, never repeated", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Lost [sandbox:lost_reply]" });
  const calls = await watching(() => finish(stage));
  const size = verticalMp4.byteLength;
  expect(ranges(calls)).toEqual([`bytes 0-${size - 1}/${size}`, `bytes */${size}`]);
  expect(opened(calls)).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("a lost answer and a lost session: the video is found by its title and time", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Lost  twice [sandbox:lost_reply]" });
  await watching(
    () => finish(stage),
    (call, answer) =>
      call.request.headers.get("content-range")?.startsWith("bytes */")
        ? Promise.resolve(Response.json({ error: { code: 404, message: "Gone" } }, { status: 404 }))
        : answer(),
  );
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed" });
  const [post] = await stage.feed();
  expect(JSON.stringify(record)).toContain(post.url);
  expect(post.received).toBe(1);
});

test("a refused token is refreshed once", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Late [sandbox:token_expired]" });
  const calls = await watching(() => finish(stage));
  expect(calls.filter(({ path }) => path === "/token")).toHaveLength(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toHaveLength(1);
});

test("a last chunk that YouTube fails to take is asked after and sent again", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Rough [sandbox:5xx=2]" });
  const calls = await watching(() => finish(stage));
  expect(opened(calls)).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test.each([
  ["the opening", '\\"offset\\":0', 2],
  ["the last chunk", '\\"stage\\":\\"processing\\"', 1],
])("a run killed before it could store %s makes no second video", async (_, written, sessions) => {
  const stage = await onStage();
  const id = await stage.post();
  const deaths = dieBefore(stage, written);
  const calls = await watching(() => finish(stage));
  expect(deaths()).toBe(1);
  expect(opened(calls)).toBe(sessions);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("slow processing is waited for", async () => {
  const stage = await onStage();
  const slow = await stage.post({ title: "Slow [sandbox:slow=100]" });
  const calls = await watching(() => stage.harness.drain());
  expect(calls.filter(({ path }) => path === "/youtube/v3/videos").length).toBeGreaterThan(2);
  expect(await stage.read(slow)).toMatchObject({ status: "completed" });
});

/** Two whole chunks and a little. */
const LONG_BYTES = 2 * 16_777_216 + 5_000;

test("a long video goes out in chunks; one whose answer is lost is not sent again", async () => {
  const stage = await onStage();
  const bytes = new Uint8Array(LONG_BYTES);
  bytes.set(verticalMp4);
  const id = await stage.post({ video: new Blob([bytes]) });
  let isLost = false;
  const calls = await watching(
    () => finish(stage),
    async (call, answer) => {
      const reply = await answer();
      if (isLost || !call.request.headers.get("content-range")?.startsWith("bytes 0-"))
        return reply;
      isLost = true;
      return new Response("Bad Gateway", { status: 502 });
    },
  );
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(ranges(calls)).toEqual([
    `bytes 0-16777215/${LONG_BYTES}`,
    `bytes */${LONG_BYTES}`,
    `bytes 16777216-33554431/${LONG_BYTES}`,
    `bytes 33554432-${LONG_BYTES - 1}/${LONG_BYTES}`,
  ]);
  expect(await stage.feed()).toMatchObject([
    { received: 1, media: [{ sizeBytes: LONG_BYTES, sha256: await sha256Hex(bytes) }] },
  ]);
}, 60_000);

test("a file that only looks like a video ends the post before anything goes out", async () => {
  const stage = await onStage();
  const id = await stage.post({ video: new Blob([verticalMp4.slice(0, 400)]) });
  const calls = await watching(() => stage.harness.drain());
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "media_invalid" },
    errorMessage: "The file is not a readable video.",
  });
  expect(calls).toEqual([]);
});

test.each<[string, Fields, string]>([
  ["no title", { title: [] }, "title"],
  ["a title of 101 characters", { title: "x".repeat(101) }, "title"],
  ["no video", { video: [] }, "video"],
  ["images alone", { video: [], photo: new Blob([testJpeg]) }, "video"],
  ["an unknown privacy", { privacyStatus: "friends" }, "privacyStatus"],
  ["a date in the past", { scheduledDate: "2026-12-01T08:59:59Z" }, "scheduledDate"],
  [
    "countries both allowed and blocked",
    { allowedCountries: "DE", blockedCountries: "AT" },
    "blockedCountries",
  ],
])("refuses %s (400)", async (_, fields, field) => {
  const stage = await onStage();
  const answer = await stage.send({ title: "Look", video: mp4(), ...fields });
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toMatchObject([{ field }]);
  expect(stage.harness.sent).toEqual([]);
});

test("a field that cannot be read hides nothing of the others (400)", async () => {
  const stage = await onStage();
  const fields = { video: mp4(), youtube_title: "x".repeat(101), license: "mine" };
  const answer = await stage.send(fields);
  expect(answer.status).toBe(400);
  const named = answer.body.errors.map(({ field }: { field: string }) => field);
  expect(named).toEqual(["license", "youtube_title"]);
});
