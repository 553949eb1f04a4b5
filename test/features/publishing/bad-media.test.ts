import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Fields } from "../../support/harness.ts";
import { mp4, openAccount } from "../../support/stage.ts";
import { shortMp4, testJpeg, verticalMp4 } from "../../support/videos.ts";

const jpegs = (count: number) =>
  Array.from({ length: count }, (_, i) => new Blob([testJpeg, String(i)], { type: "image/jpeg" }));

async function onStage(platform: string) {
  const stage = await openAccount(platform, () => ({ title: "Text" }));
  const { harness, member } = stage;
  return {
    ...stage,
    left: async () => {
      await harness.settle();
      const { objects } = await env.MEDIA.list({ prefix: `media/${member.teamId}/` });
      const row = await env.DB.prepare("SELECT COUNT(*) AS n FROM uploads WHERE team_id = ?")
        .bind(member.teamId)
        .first<{ n: number }>();
      return { objects: objects.length, uploads: row?.n };
    },
  };
}

test.each<[string, string, Fields, RegExp]>([
  ["tiktok", "no bytes", { video: mp4(new Uint8Array()) }, /the file is empty/],
  [
    "tiktok",
    "text called .mp4",
    { video: new Blob(["Hello"], { type: "video/mp4" }) },
    /not an image, video/,
  ],
  ["tiktok", "a video and a photo", { video: mp4(), photo: jpegs(1) }, /not both|either|alone/i],
  ["tiktok", "36 photos", { photo: jpegs(36) }, /up to 35/],
  ["tiktok", "a photo in the video field", { video: jpegs(1) }, /an image, not a video/],
  ["instagram", "no bytes", { video: mp4(new Uint8Array()) }, /the file is empty/],
  ["instagram", "a carousel of 11", { photo: jpegs(11) }, /up to 10/],
  [
    "instagram",
    "a story with collaborators",
    { photo: jpegs(1), media_type: "STORIES", collaborators: "ada" },
    /no collaborators/,
  ],
  [
    "instagram",
    "a story with a location",
    { photo: jpegs(1), media_type: "STORIES", location_id: "1" },
    /no location/,
  ],
  ["instagram", "a story of two", { photo: jpegs(2), media_type: "STORIES" }, /exactly one/],
  ["instagram", "a trial reel of a photo", { photo: jpegs(1), trial_reel: "auto" }, /trial reel/],
])("%s refuses %s at once, and nothing is left of it", async (platform, _, fields, message) => {
  const stage = await onStage(platform);
  const answer = await stage.send(fields);
  expect(answer).toMatchObject({ status: 400, body: { success: false } });
  expect(JSON.stringify(answer.body.errors)).toMatch(message);
  expect(await stage.left()).toEqual({ objects: 0, uploads: 0 });
});

test.each<[string, string, Fields, RegExp]>([
  [
    "tiktok",
    "a video cut off in its header",
    { video: mp4(verticalMp4.slice(0, 900)) },
    /not a readable video/,
  ],
  [
    "instagram",
    "a reel cut off in its header",
    { video: mp4(verticalMp4.slice(0, 900)) },
    /cannot be read/,
  ],
  [
    "instagram",
    "a story of one second",
    { video: mp4(shortMp4), media_type: "STORIES" },
    /3 to 60 s/,
  ],
])("%s fails %s for good once the file is here", async (platform, _, fields, message) => {
  const stage = await onStage(platform);
  const answer = await stage.send(fields);
  expect(answer).toMatchObject({ status: 200 });
  await stage.harness.drain();
  const upload = await stage.read(answer.body.data.uploadId);
  expect(upload).toMatchObject({
    status: "failed",
    failure: { code: "media_invalid", retryable: false, nextAction: "replace_media" },
  });
  expect(upload.errorMessage).toMatch(message);
});

test("one photo is a post like any other, not a carousel of one", async () => {
  const stage = await onStage("instagram");
  const answer = await stage.send({ photo: jpegs(1) });
  await stage.harness.drain(100);
  expect(await stage.read(answer.body.data.uploadId)).toMatchObject({ status: "completed" });
});
