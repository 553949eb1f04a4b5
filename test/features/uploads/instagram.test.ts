import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { instagramSimulator } from "../../../src/sandbox/instagram/index.ts";
import { createMember, form, Harness } from "../../support/harness.ts";
import { shortMp4, testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

type Fields = Parameters<typeof form>[0];

const png = () => new Blob([testPng], { type: "image/png" });
const jpeg = () => new Blob([testJpeg], { type: "image/jpeg" });
const mp4 = (bytes = verticalMp4) => new Blob([bytes], { type: "video/mp4" });

async function onStage() {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const connected = await harness.call("POST", "/accounts", {
    token,
    json: { platform: "instagram", sandbox: true, name: `Insta ${member.teamId}` },
  });
  expect(connected).toMatchObject({ status: 200 });
  const accountId: string = connected.body.data.id;
  const send = (fields: Fields) =>
    harness.call("POST", "/upload", { token, body: form({ accountId, ...fields }) });
  return {
    harness,
    account: connected.body.data,
    send,
    /** Posts and follows it to its end. */
    publish: async (fields: Fields) => {
      const answer = await send(fields);
      expect(answer.body).toMatchObject({ success: true });
      const id = answer.body.data.uploadId;
      for (let minute = 0; minute < 15; minute++) {
        await harness.drain(100);
        const upload = (await harness.call("GET", `/upload/${id}`, { token })).body.data;
        if (upload.status === "completed" || upload.status === "failed") return upload;
        // What waits for longer than a queue message is woken by the cron trigger.
        harness.advance(60);
        await harness.tick();
      }
      throw new Error("The post never came to an end.");
    },
    feed: async () => {
      const answer = await harness.request(`/sandbox/api/posts?accountId=${accountId}`);
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the feed holds
      return ((await answer.json()) as { posts: any[] }).posts;
    },
  };
}

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

test.each([
  "rate_limited",
  "account_disconnected",
  "platform_unavailable",
  "queue_expired",
  "unknown",
  "media_invalid",
  "media_unreachable",
  "content_flagged",
  "platform_processing_timeout",
  "cancelled",
])("a post with [sandbox:%s] fails at once with that code", async (code) => {
  const stage = await onStage();
  const upload = await stage.publish({ photo: jpeg(), title: `Steered [sandbox:${code}]` });
  expect(upload).toMatchObject({ status: "failed", failure: { code } });
  expect(await stage.feed()).toEqual([]);
});

/** Has every run die once it has stored a bookmark with that many children. */
function dieAfterChildren(harness: Harness, counts: number[]): () => number {
  const { db } = harness.deps;
  const left = [...counts];
  let deaths = 0;
  const runAll: typeof db.runAll = async (queries) => {
    const text = JSON.stringify(queries);
    const children = /\\"children\\":\[([^\]]*)\]/.exec(text)?.[1];
    const count = children ? children.split(",").length : 0;
    const done = await db.runAll(queries);
    if (count === 0 || count !== left[0]) return done;
    left.shift();
    deaths++;
    throw new Error("The worker was killed.");
  };
  Object.assign(harness.deps, { db: { ...db, runAll } });
  return () => deaths;
}

test("runs killed after each item of a carousel make no container twice", async () => {
  const stage = await onStage();
  const original = instagramSimulator.handle;
  let containers = 0;
  instagramSimulator.handle = (call, store) => {
    if (call.request.method === "POST" && call.url.pathname.endsWith("/media")) containers++;
    return original(call, store);
  };
  try {
    const deaths = dieAfterChildren(stage.harness, [1, 2, 3]);
    const upload = await stage.publish({ photo: [jpeg(), mp4(), png()], title: "Three" });
    expect(deaths()).toBe(3);
    expect(upload).toMatchObject({ status: "completed" });
  } finally {
    instagramSimulator.handle = original;
  }
  expect(containers).toBe(4);
  expect(await stage.feed()).toMatchObject([
    { received: 1, media: [{ kind: "image" }, { kind: "video" }, { kind: "image" }] },
  ]);
});
