import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { count, dieBefore, openStage, videoOf } from "../../support/stage.ts";
import { linkedin, linkedinPage, POST, PUT } from "./row.ts";

const SIZE = 9_000_000;
const video = videoOf(SIZE);
const sha256 = async () => sha256Hex(new Uint8Array(await video.arrayBuffer()));

test("a video is pushed part by part and stands in the feed byte for byte", async () => {
  const stage = await openStage("linkedin", linkedin);
  const { upload, calls, feed } = await stage.publish({ video, title: "My film" });
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  // The first look comes during processing, which people may not see.
  expect(count(calls, "GET videos/urn")).toBe(2);
  expect(JSON.stringify(feed)).not.toContain("My film");
  expect(calls.filter((call) => call !== "GET videos/urn")).toEqual([
    "POST videos initializeUpload",
    PUT,
    PUT,
    PUT,
    "POST videos finalizeUpload",
    POST,
  ]);
  expect(feed).toMatchObject([
    {
      received: 1,
      text: "",
      media: [{ kind: "video", sizeBytes: SIZE, sha256: await sha256() }],
      fields: { content: { media: { id: expect.stringMatching(/^urn:li:video:/) } } },
      url: expect.stringContaining("urn:li:ugcPost:"),
    },
  ]);
}, 60_000);

test("a video whose run is killed goes on with the part that was not stored", async () => {
  const stage = await openStage("linkedin", linkedin);
  // The upload and its two parts.
  const deaths = dieBefore(stage, '\\"progress\\"', 3);
  const { upload, calls, feed } = await stage.publish({ video });
  expect(upload).toMatchObject({ status: "completed" });
  expect(deaths()).toBe(1);
  expect(count(calls, PUT)).toBe(4);
  expect(count(calls, "POST videos initializeUpload")).toBe(1);
  expect(feed).toMatchObject([{ received: 1, media: [{ sha256: await sha256() }] }]);
}, 60_000);

test("a page is connected beside its member, and a stranger's is not", async () => {
  const stage = await openStage("linkedin", linkedinPage);
  const person = await stage.connect();
  expect(person).toMatchObject({ status: 200 });
  expect(person.body.data.id).not.toBe(stage.accountId);
  const stranger = await stage.connect("urn:li:organization:1");
  expect(stranger.status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(stranger.body)).toContain("may not publish");
});
