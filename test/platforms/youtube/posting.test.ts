import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { count, dieBefore, mp4, openStage, videoOf } from "../../support/stage.ts";
import { OPEN, youtube } from "./row.ts";

const onStage = () => openStage("youtube", youtube);

test("a channel that may not restrict countries gets its video without", async () => {
  const stage = await onStage();
  const { upload, calls, feed } = await stage.publish({ video: mp4(), blockedCountries: "DE,AT" });
  expect(count(calls, OPEN)).toBe(2);
  expect(upload).toMatchObject({
    status: "completed",
    metadata: { warnings: [expect.stringMatching(/restrict countries/)] },
  });
  expect(Object.keys(feed[0].fields)).toEqual(["snippet", "status", "notifySubscribers"]);
});

test("a lost answer and a lost session: the video is found by its title and time", async () => {
  const stage = await onStage();
  const { upload, feed } = await stage.publish(
    { video: mp4(), title: "Lost  twice [sandbox:lost_reply]" },
    async (call, answer) =>
      call.request.headers.get("content-range")?.startsWith("bytes */")
        ? Response.json({ error: { code: 404, message: "Gone" } }, { status: 404 })
        : answer(),
  );
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toMatchObject([{ received: 1, url: upload.metadata.shareUrl }]);
});

test.each([
  ["the opening", '\\"offset\\":0', 2],
  ["the last chunk", '\\"stage\\":\\"processing\\"', 1],
])("a run killed before it could store %s makes no second video", async (_, written, sessions) => {
  const stage = await onStage();
  const deaths = dieBefore(stage, written);
  const { upload, calls, feed } = await stage.publish({ video: mp4() });
  expect(deaths()).toBe(1);
  expect(count(calls, OPEN)).toBe(sessions);
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toMatchObject([{ received: 1 }]);
});

/** Two whole chunks and a little. */
const LONG_BYTES = 2 * 16_777_216 + 5_000;

test("a long video goes out in chunks; one whose answer is lost is not sent again", async () => {
  const stage = await onStage();
  const video = videoOf(LONG_BYTES);
  let isLost = false;
  const { upload, calls, feed } = await stage.publish({ video }, async (call, answer) => {
    const reply = await answer();
    const range = call.request.headers.get("content-range");
    if (isLost || !range?.startsWith("bytes 0-")) return reply;
    isLost = true;
    return new Response("Bad Gateway", { status: 502 });
  });
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(calls.filter((call) => call.startsWith("PUT"))).toEqual([
    `PUT bytes 0-16777215/${LONG_BYTES}`,
    `PUT bytes */${LONG_BYTES}`,
    `PUT bytes 16777216-33554431/${LONG_BYTES}`,
    `PUT bytes 33554432-${LONG_BYTES - 1}/${LONG_BYTES}`,
  ]);
  const sha256 = await sha256Hex(new Uint8Array(await video.arrayBuffer()));
  expect(feed).toMatchObject([{ received: 1, media: [{ sizeBytes: LONG_BYTES, sha256 }] }]);
}, 60_000);
