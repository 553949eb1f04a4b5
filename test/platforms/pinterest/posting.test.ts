import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { loadOf } from "../../support/load.ts";
import { count, dieBefore, jpeg, mp4, openStage, png, videoOf } from "../../support/stage.ts";
import { testJpeg, verticalMp4 } from "../../support/videos.ts";
import { boardOf, PINS, pinterest } from "./row.ts";

const onStage = () => openStage("pinterest", pinterest);

test("a pin goes to its board, and its address is made of its id", async () => {
  const stage = await onStage();
  const { upload, feed } = await stage.publish({ photo: jpeg() });
  expect(upload.metadata.shareUrl).toBe(
    `https://www.pinterest.com/pin/${upload.metadata.videoId}/`,
  );
  expect(feed).toMatchObject([{ fields: { board_id: await boardOf(stage.name) } }]);
});

test("a pin without a title is Untitled, and board_id names the board as well", async () => {
  const stage = await onStage();
  const board_id = await boardOf(stage.name);
  const fields = { title: [], pinterest_board_id: [], board_id, photo: png() };
  const { upload, feed } = await stage.publish(fields);
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toMatchObject([
    { fields: { title: "Untitled", board_id }, media: [{ mime: "image/png" }] },
  ]);
});

test("the form of a video says how long it is", async () => {
  const stage = await onStage();
  const lengths: (string | null)[] = [];
  await stage.publish({ video: mp4() }, (call, answer) => {
    if (call.url.pathname === "/") lengths.push(call.request.headers.get("content-length"));
    return answer();
  });
  expect(Number(lengths[0])).toBeGreaterThan(verticalMp4.byteLength);
});

test.each([
  ["an image", 1],
  ["a carousel", 3],
])("%s that Pinterest cannot fetch is sent along, and the pin made once", async (_, number) => {
  const stage = await onStage();
  const photo = Array.from({ length: number }, jpeg);
  const { upload, calls, feed } = await stage.publish({ photo }, async (call, answer) => {
    if (call.url.pathname !== "/v5/pins") return answer();
    const pin = await call.request.clone().json<{ media_source: { source_type: string } }>();
    if (!/url/.test(pin.media_source.source_type)) return answer();
    const message = "Unable to reach the URL. Please check the URL and try again.";
    return Response.json({ code: 235, message }, { status: 400 });
  });
  expect(calls).toEqual([PINS, PINS]);
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  const sha256 = await sha256Hex(testJpeg);
  expect(feed).toMatchObject([
    { uploadId: upload.id, received: 1, media: photo.map(() => ({ sha256 })) },
  ]);
});

test("an app in trial is told so, and the account stays connected", async () => {
  const stage = await onStage();
  const fields = { photo: jpeg(), title: "Early [sandbox:trial_access]" };
  const { upload, feed } = await stage.publish(fields);
  expect(upload).toMatchObject({
    status: "failed",
    failure: { code: "unknown", retryable: true, nextAction: "retry" },
    errorMessage: expect.stringMatching(
      /^Apps with Trial access may not create Pins.*upgrades the app to Standard/,
    ),
  });
  expect(feed).toEqual([]);
  expect(await stage.readAccount()).toMatchObject({ status: "active" });
});

const LARGE_BYTES = loadOf(12_000_001, 60_000_001);

test(`a video of ${LARGE_BYTES} bytes arrives byte for byte`, async () => {
  const video = videoOf(LARGE_BYTES);
  const { upload, feed } = await (await onStage()).publish({ video });
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  const sha256 = await sha256Hex(new Uint8Array(await video.arrayBuffer()));
  expect(feed).toMatchObject([{ media: [{ sizeBytes: LARGE_BYTES, sha256 }] }]);
}, 60_000);

test("a lost answer beside an equal pin is not decided, and nothing is made again", async () => {
  const stage = await onStage();
  const title = "Twice [sandbox:lost_reply]";
  const id = await stage.post({ title, photo: jpeg() });
  await stage.harness.deliver();
  await stage.end(id, await stage.post({ title, photo: png() }));
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "platform_processing_timeout" },
  });
  expect(await stage.feed()).toHaveLength(2);
});

test("a transfer that breaks off is begun anew, and the pin is made once", async () => {
  const stage = await onStage();
  let broken = 0;
  const { upload, calls, feed } = await stage.publish({ video: mp4() }, async (call, answer) => {
    if (call.url.pathname !== "/" || broken > 0) return answer();
    broken++;
    await call.request.body?.cancel();
    return new Response("<Error><Code>RequestTimeout</Code></Error>", { status: 400 });
  });
  expect(count(calls, "POST media")).toBe(2);
  expect(count(calls, "POST /")).toBe(2);
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toHaveLength(1);
});

test.each([
  ["the video's arrival", '\\"stage\\":\\"processing\\"', { registrations: 2, transfers: 2 }],
  ["that the pin is to be made", '\\"stage\\":\\"ready\\"', { registrations: 1, transfers: 1 }],
])("a run killed before it could store %s makes no second pin", async (_, written, expected) => {
  const stage = await onStage();
  const deaths = dieBefore(stage, written);
  const { upload, calls, feed } = await stage.publish({ video: mp4() });
  expect(deaths()).toBe(1);
  const counted = { registrations: count(calls, "POST media"), transfers: count(calls, "POST /") };
  expect(counted).toEqual(expected);
  expect(count(calls, PINS)).toBe(1);
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toMatchObject([{ received: 1 }]);
});

test("a board that is gone is told in Pinterest's words", async () => {
  const stage = await onStage();
  const { upload } = await stage.publish({ photo: jpeg(), pinterest_board_id: "123456" });
  expect(upload).toMatchObject({
    status: "failed",
    failure: { code: "unknown" },
    errorMessage: "Board not found.",
  });
});
