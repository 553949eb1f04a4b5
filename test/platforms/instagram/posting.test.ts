import { expect, test } from "vitest";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { instagramSimulator } from "../../../src/sandbox/instagram/index.ts";
import {
  dieAfterChildren,
  type Fields,
  jpeg,
  mp4,
  openStage,
  passing,
  png,
} from "../../support/stage.ts";
import { shortMp4, testJpeg, verticalMp4 } from "../../support/videos.ts";

const onStage = () => openStage("instagram", { person: "Insta" });

test("connects a sandbox account that has its own handle", async () => {
  const { account } = await onStage();
  expect(account).toMatchObject({ platform: "instagram" });
});

test("a PNG goes out as a JPEG with every field of the post", async () => {
  const stage = await onStage();
  const upload = await stage.publish({
    photo: png(),
    title: "A red square #one",
    collaborators: "@ada, bob",
    user_tags: "carol,dan",
    location_id: "123",
    is_aigc: "TRUE",
  });
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      text: "A red square #one",
      media: [{ kind: "image", mime: "image/jpeg" }],
      fields: {
        caption: "A red square #one",
        collaborators: '["ada","bob"]',
        location_id: "123",
        is_ai_generated: "true",
        user_tags: JSON.stringify([
          { username: "carol", x: 0.5, y: 0.333 },
          { username: "dan", x: 0.5, y: 0.667 },
        ]),
      },
    },
  ]);
});

test("a reel goes out byte for byte", async () => {
  const stage = await onStage();
  const upload = await stage.publish({
    video: mp4(),
    title: "Look",
    thumb_offset: "1500",
    share_to_feed: "false",
    trial_reel: "auto",
    audio_name: "My song",
  });
  expect(upload).toMatchObject({ status: "completed" });
  const [post] = await stage.feed();
  expect(post).toMatchObject({
    received: 1,
    url: expect.stringMatching(/^https:\/\/www\.instagram\.com\/reel\/[\w-]+\/$/),
    media: [{ kind: "video", mime: "video/mp4", sha256: await sha256Hex(verticalMp4) }],
    fields: {
      media_type: "REELS",
      thumb_offset: "1500",
      share_to_feed: "false",
      trial_params: '{"graduation_strategy":"SS_PERFORMANCE"}',
      audio_name: "My song",
    },
  });
  expect(JSON.stringify(upload)).toContain(post.url);
});

test("a mixed carousel of three keeps its order and tags the first image", async () => {
  const stage = await onStage();
  const upload = await stage.publish({
    photo: [mp4(), jpeg(), png()],
    title: "Three",
    user_tags: "carol",
    is_aigc: "true",
  });
  expect(upload).toMatchObject({ status: "completed" });
  const [post] = await stage.feed();
  expect(post).toMatchObject({
    media: [
      { kind: "video", sha256: await sha256Hex(verticalMp4) },
      { kind: "image", sha256: await sha256Hex(testJpeg) },
      { kind: "image", mime: "image/jpeg" },
    ],
    fields: {
      media_type: "CAROUSEL",
      caption: "Three",
      is_ai_generated: "true",
      items: [{ media_type: "VIDEO" }, { user_tags: expect.stringContaining("carol") }, {}],
    },
  });
  expect(post.fields.items[2]).not.toHaveProperty("user_tags");
});

test.each([
  ["image", () => ({ photo: jpeg() })],
  ["video", () => ({ video: mp4() })],
])(
  "a story of one %s is sent without caption and AI label, and has no address",
  async (kind, media) => {
    const stage = await onStage();
    const fields = { title: "Nobody reads this", is_aigc: "true", media_type: "stories" };
    const upload = await stage.publish({ ...media(), ...fields });
    expect(upload).toMatchObject({ status: "completed" });
    const [post] = await stage.feed();
    expect(post).toMatchObject({ text: "", media: [{ kind }], fields: { media_type: "STORIES" } });
    expect(Object.keys(post.fields).sort()).toEqual([`${kind}_url`, "media_type"].sort());
    expect(JSON.stringify(upload)).not.toContain("instagram.com");
  },
);

test.each<[string, () => Fields, string]>([
  ["a carousel of 11", () => ({ photo: Array.from({ length: 11 }, jpeg) }), "photo"],
  [
    "a story with collaborators",
    () => ({ photo: jpeg(), media_type: "STORIES", collaborators: "ada" }),
    "collaborators",
  ],
  [
    "a story with a location",
    () => ({ photo: jpeg(), media_type: "STORIES", location_id: "1" }),
    "location_id",
  ],
  ["a story of two", () => ({ photo: [jpeg(), jpeg()], media_type: "STORIES" }), "photo"],
  ["a PNG story", () => ({ photo: png(), media_type: "STORIES" }), "photo"],
  ["a trial reel of a photo", () => ({ photo: jpeg(), trial_reel: "auto" }), "trial_reel"],
  ["no media", () => ({ title: "Only words" }), "photo"],
])("refuses %s at once (400)", async (_, fields, field) => {
  const stage = await onStage();
  const answer = await stage.send(fields());
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(field);
  expect(stage.harness.sent).toEqual([]);
});

test("a video that is too short fails for good, with the rule in words", async () => {
  const stage = await onStage();
  const upload = await stage.publish({ video: mp4(shortMp4), title: "Blink" });
  expect(upload).toMatchObject({
    status: "failed",
    failure: { code: "media_invalid", retryable: false },
    errorMessage: expect.stringMatching(/lasts 1.* s; Instagram takes 3 to 900 s/),
  });
  expect(await stage.feed()).toEqual([]);
});

test.each([
  ["lost_reply", 1],
  ["token_expired", 1],
  ["5xx=2", 1],
  ["slow=90", 1],
])("a post with [sandbox:%s] stands in the feed once", async (word, received) => {
  const stage = await onStage();
  const upload = await stage.publish({ photo: jpeg(), title: `Steered [sandbox:${word}]` });
  expect(upload).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received }]);
  const [post] = await stage.feed();
  expect(JSON.stringify(upload)).toContain(post.url);
});

test.each(FAILURE_CODES)("a post with [sandbox:%s] fails at once with that code", async (code) => {
  const stage = await onStage();
  const upload = await stage.publish({ photo: jpeg(), title: `Steered [sandbox:${code}]` });
  expect(upload).toMatchObject({ status: "failed", failure: { code } });
  expect(await stage.feed()).toEqual([]);
});

test("runs killed after each item of a carousel make no container twice", async () => {
  const stage = await onStage();
  let containers = 0;
  const deaths = dieAfterChildren(stage, 3);
  const upload = await passing(
    instagramSimulator,
    (call, answer) => {
      if (call.request.method === "POST" && call.url.pathname.endsWith("/media")) containers++;
      return answer();
    },
    () => stage.publish({ photo: [jpeg(), mp4(), png()], title: "Three" }),
  );
  expect(deaths()).toBe(3);
  expect(upload).toMatchObject({ status: "completed" });
  expect(containers).toBe(4);
  expect(await stage.feed()).toMatchObject([
    { received: 1, media: [{ kind: "image" }, { kind: "video" }, { kind: "image" }] },
  ]);
});
