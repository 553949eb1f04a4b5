import { expect, test } from "vitest";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { boardsOf } from "../../../src/sandbox/pinterest/boards.ts";
import { pinterestSimulator } from "../../../src/sandbox/pinterest/index.ts";
import {
  count,
  dieBefore,
  type Fields,
  finish,
  jpeg,
  mp4,
  openStage,
  png,
  watcherOf,
} from "../../support/stage.ts";
import { shortMp4, testJpeg, verticalMp4 } from "../../support/videos.ts";

async function onStage() {
  const stage = await openStage("pinterest");
  const [board] = await boardsOf(stage.name);
  const boardId = board?.id ?? "";
  const post = (fields: Fields = {}) => {
    const media: Fields = "video" in fields ? {} : { photo: jpeg() };
    return stage.post({ title: "Look", pinterest_board_id: boardId, ...media, ...fields });
  };
  return { ...stage, boardId, post };
}

/** Verbs and paths. */
const watching = watcherOf(pinterestSimulator, ({ request, url }) => {
  const path = url.pathname.replace("/v5/", "").replace(/\d{17,}/, "ID");
  return `${request.method} ${path}`;
});

test("an image is pulled from us as it is and becomes a pin with all its fields", async () => {
  const stage = await onStage();
  const id = await stage.post({
    description: "More of it",
    link: "https://example.com/shop?a=1",
    alt_text: "A square",
  });
  const calls = await watching(() => stage.harness.drain());
  expect(calls).toEqual(["POST pins"]);
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed", errorMessage: null });
  expect(record.metadata.shareUrl).toBe(
    `https://www.pinterest.com/pin/${record.metadata.videoId}/`,
  );
  expect(await stage.feed()).toMatchObject([
    {
      uploadId: id,
      received: 1,
      text: "Look\nMore of it",
      url: record.metadata.shareUrl,
      media: [{ kind: "image", mime: "image/jpeg", sha256: await sha256Hex(testJpeg) }],
      fields: {
        board_id: stage.boardId,
        title: "Look",
        description: "More of it",
        link: "https://example.com/shop?a=1",
        alt_text: "A square",
        media_source: { source_type: "image_url" },
      },
    },
  ]);
});

test("a pin without a title is Untitled, and board_id names the board as well", async () => {
  const stage = await onStage();
  const id = await stage.post({
    title: [],
    pinterest_board_id: [],
    board_id: stage.boardId,
    photo: png(),
  });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([
    { fields: { title: "Untitled", board_id: stage.boardId }, media: [{ mime: "image/png" }] },
  ]);
});

test("2 to 5 images become a carousel in their order", async () => {
  const stage = await onStage();
  const id = await stage.post({ photo: [jpeg(), png(), jpeg(), png(), jpeg()] });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  const [post] = await stage.feed();
  expect(post.media.map(({ mime }: { mime: string }) => mime)).toEqual([
    "image/jpeg",
    "image/png",
    "image/jpeg",
    "image/png",
    "image/jpeg",
  ]);
  expect(post.fields.media_source).toMatchObject({ source_type: "multiple_image_urls", index: 0 });
});

test("a video goes up whole in one form, is waited for, and becomes a pin with its cover", async () => {
  const stage = await onStage();
  const id = await stage.post({ video: mp4(), pinterest_cover_time_ms: "1600" });
  const lengths: (string | null)[] = [];
  const calls = await watching(
    () => stage.harness.drain(),
    (call, answer) => {
      if (call.url.pathname === "/") lengths.push(call.request.headers.get("content-length"));
      return answer();
    },
  );
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(calls).toEqual(["POST media", "POST /", "GET media/ID", "GET media/ID", "POST pins"]);
  expect(Number(lengths[0])).toBeGreaterThan(verticalMp4.byteLength);
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      media: [
        {
          kind: "video",
          mime: "video/mp4",
          sizeBytes: verticalMp4.byteLength,
          sha256: await sha256Hex(verticalMp4),
        },
      ],
      fields: { media_source: { source_type: "video_id", cover_image_key_frame_time: 2 } },
    },
  ]);
}, 30_000);

test.each([
  ["an image", 1],
  ["a carousel", 3],
])("%s that Pinterest cannot fetch is sent along, and the pin made once", async (_, number) => {
  const stage = await onStage();
  const id = await stage.post({ photo: Array.from({ length: number }, jpeg) });
  const calls = await watching(
    () => finish(stage),
    async (call, answer) => {
      if (call.url.pathname !== "/v5/pins") return answer();
      const pin = await call.request.clone().json<{ media_source: { source_type: string } }>();
      if (!/url/.test(pin.media_source.source_type)) return answer();
      const message = "Unable to reach the URL. Please check the URL and try again.";
      return Response.json({ code: 235, message }, { status: 400 });
    },
  );
  expect(calls).toEqual(["POST pins", "POST pins"]);
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  const sha256 = await sha256Hex(testJpeg);
  expect(await stage.feed()).toMatchObject([
    { uploadId: id, received: 1, media: Array.from({ length: number }, () => ({ sha256 })) },
  ]);
});

test("an app in trial is told so, and the account stays connected", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Early [sandbox:trial_access]" });
  await finish(stage);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "unknown", retryable: true, nextAction: "retry" },
    errorMessage: expect.stringMatching(/^Apps with Trial access may not create Pins/),
  });
  expect(await stage.feed()).toEqual([]);
  const { token } = stage.member;
  const answer = await stage.harness.call("GET", "/accounts", { token });
  expect(answer.body.data).toMatchObject([{ id: stage.accountId, status: "active" }]);
});

const LARGE_BYTES = 60_000_001;

test("a video of 60 MB arrives byte for byte", async () => {
  const stage = await onStage();
  const bytes = new Uint8Array(LARGE_BYTES);
  bytes.set(verticalMp4);
  const id = await stage.post({ video: new Blob([bytes]) });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(await stage.feed()).toMatchObject([
    { media: [{ sizeBytes: LARGE_BYTES, sha256: await sha256Hex(bytes) }] },
  ]);
}, 60_000);

const MEDIA: [string, () => Fields][] = [
  ["image", () => ({ photo: jpeg() })],
  ["carousel", () => ({ photo: [jpeg(), jpeg()] })],
  ["video", () => ({ video: mp4() })],
];

test.each(MEDIA)("%s: steering words end the post with each failure", async (_, media) => {
  const stage = await onStage();
  for (const code of FAILURE_CODES) {
    const id = await stage.post({ ...media(), title: `${code} [sandbox:${code}]` });
    await stage.harness.drain();
    expect(await stage.read(id)).toMatchObject({ status: "failed", failure: { code } });
    if (code === "account_disconnected") await stage.connect();
  }
  expect(await stage.feed()).toEqual([]);
});

test.each(MEDIA)("%s: a lost answer is looked up, never repeated", async (_, media) => {
  const stage = await onStage();
  const id = await stage.post({
    ...media(),
    title: "Lost [sandbox:lost_reply]",
    link: "https://example.com",
    description: "One\r\n\r\ntwo ",
  });
  const calls = await watching(() => finish(stage));
  expect(count(calls, "POST pins")).toBe(1);
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1, url: record.metadata.shareUrl }]);
});

test.each(MEDIA)("%s: a refused token is refreshed once", async (_, media) => {
  const stage = await onStage();
  const id = await stage.post({ ...media(), title: "Late [sandbox:token_expired]" });
  const calls = await watching(() => finish(stage));
  expect(count(calls, "POST oauth/token")).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toHaveLength(1);
});

test.each(MEDIA)(
  "%s: what Pinterest failed to make is asked after, then made",
  async (_, media) => {
    const stage = await onStage();
    const id = await stage.post({ ...media(), title: "Rough [sandbox:5xx=2]" });
    const calls = await watching(() => finish(stage));
    expect(count(calls, "POST pins")).toBe(3);
    expect(count(calls, "GET boards/ID/pins")).toBe(2);
    expect(await stage.read(id)).toMatchObject({ status: "completed" });
    expect(await stage.feed()).toMatchObject([{ received: 1 }]);
  },
);

test("a lost answer beside an equal pin is not decided, and nothing is made again", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Twice [sandbox:lost_reply]" });
  await stage.harness.deliver();
  await stage.post({ title: "Twice [sandbox:lost_reply]", photo: png() });
  await finish(stage);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "platform_processing_timeout" },
  });
  expect(await stage.feed()).toHaveLength(2);
});

test("a transfer that breaks off is begun anew, and the pin is made once", async () => {
  const stage = await onStage();
  const id = await stage.post({ video: mp4() });
  let broken = 0;
  const calls = await watching(
    () => finish(stage),
    async (call, answer) => {
      if (call.url.pathname !== "/" || broken > 0) return answer();
      broken++;
      await call.request.body?.cancel();
      return new Response("<Error><Code>RequestTimeout</Code></Error>", { status: 400 });
    },
  );
  expect(count(calls, "POST media")).toBe(2);
  expect(count(calls, "POST /")).toBe(2);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toHaveLength(1);
});

test.each([
  ["the video's arrival", '\\"stage\\":\\"processing\\"', { registrations: 2, transfers: 2 }],
  ["that the pin is to be made", '\\"stage\\":\\"ready\\"', { registrations: 1, transfers: 1 }],
])("a run killed before it could store %s makes no second pin", async (_, written, expected) => {
  const stage = await onStage();
  const id = await stage.post({ video: mp4() });
  const deaths = dieBefore(stage, written);
  const calls = await watching(() => finish(stage));
  expect(deaths()).toBe(1);
  expect({
    registrations: count(calls, "POST media"),
    transfers: count(calls, "POST /"),
  }).toEqual(expected);
  expect(count(calls, "POST pins")).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("an answer that takes a second is waited for", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Slow [sandbox:slow=1]" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
});

test("a board that is gone is told in Pinterest's words", async () => {
  const stage = await onStage();
  const id = await stage.post({ pinterest_board_id: "123456" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "unknown" },
    errorMessage: "Board not found.",
  });
});

test("a video that is too short ends the post before anything goes out", async () => {
  const stage = await onStage();
  const id = await stage.post({ video: new Blob([shortMp4]) });
  const calls = await watching(() => stage.harness.drain());
  expect(calls).toEqual([]);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "media_invalid" },
    errorMessage: "The video lasts 1 seconds; Pinterest takes 4 to 900.",
  });
});

test.each<[string, Fields, string[]]>([
  ["no board", { pinterest_board_id: [] }, ["pinterest_board_id"]],
  ["a board that is no number", { pinterest_board_id: "ideas" }, ["pinterest_board_id"]],
  ["a bad link and nothing else", { link: "ftp://example.com" }, ["link"]],
  ["a title of 101", { title: "x".repeat(101) }, ["title"]],
  ["no media", { photo: [] }, ["photo"]],
  ["6 images", { photo: Array.from({ length: 6 }, jpeg) }, ["photo"]],
  ["an image beside a video", { video: mp4() }, ["video"]],
  ["a cover time with an image", { pinterest_cover_time_ms: "0" }, ["pinterest_cover_time_ms"]],
  ["a GIF", { photo: new Blob(["GIF89a..........."]) }, ["photo"]],
])("refuses %s (400)", async (_, fields, named) => {
  const stage = await onStage();
  const usual = { pinterest_board_id: stage.boardId, photo: jpeg() };
  const answer = await stage.send({ ...usual, ...fields });
  expect(answer.status).toBe(400);
  expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(named);
  expect(stage.harness.sent).toEqual([]);
});
