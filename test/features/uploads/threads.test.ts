import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import type { Simulator } from "../../../src/sandbox/simulator.ts";
import { threadsSimulator } from "../../../src/sandbox/threads/index.ts";
import { createMember, form, Harness } from "../../support/harness.ts";
import { testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

type Fields = Parameters<typeof form>[0];

const png = () => new Blob([testPng], { type: "image/png" });
const jpeg = () => new Blob([testJpeg], { type: "image/jpeg" });
const mp4 = () => new Blob([verticalMp4], { type: "video/mp4" });

async function onStage() {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const connected = await harness.call("POST", "/accounts", {
    token,
    json: { platform: "threads", sandbox: true, name: `Threads ${member.teamId}` },
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

/** Has the simulator answer differently while `work` runs. */
async function answering<T>(
  handle: (original: Simulator["handle"]) => Simulator["handle"],
  work: () => Promise<T>,
): Promise<T> {
  const original = threadsSimulator.handle;
  threadsSimulator.handle = handle(original);
  try {
    return await work();
  } finally {
    threadsSimulator.handle = original;
  }
}

test("connects a sandbox account that has its own handle", async () => {
  const { account } = await onStage();
  expect(account).toMatchObject({ platform: "threads" });
});

test("a text goes out alone, and everyone may reply", async () => {
  const stage = await onStage();
  const upload = await stage.publish({ title: "Only words, 東京 and 😀" });
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  const [post, ...others] = await stage.feed();
  expect(others).toEqual([]);
  expect(post).toMatchObject({
    platform: "threads",
    received: 1,
    text: "Only words, 東京 and 😀",
    media: [],
    url: expect.stringMatching(/^https:\/\/www\.threads\.com\/@threads_\d+\/post\/[\w-]+$/),
  });
  expect(post.fields).toEqual({ media_type: "TEXT", text: "Only words, 東京 and 😀" });
  expect(JSON.stringify(upload)).toContain(post.url);
});

test("a PNG goes out as it is, with every field of the post", async () => {
  const stage = await onStage();
  const upload = await stage.publish({
    photo: png(),
    description: "A red square",
    threads_alt_text: "Red",
    threads_reply_control: "Accounts_You_Follow",
  });
  expect(upload).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      text: "A red square",
      media: [{ kind: "image", mime: "image/png", sha256: await sha256Hex(testPng) }],
      fields: {
        media_type: "IMAGE",
        text: "A red square",
        alt_text: "Red",
        reply_control: "accounts_you_follow",
      },
    },
  ]);
});

test("a video goes out byte for byte", async () => {
  const stage = await onStage();
  const upload = await stage.publish({ video: mp4(), title: "Look", threads_alt_text: "Moves" });
  expect(upload).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      media: [
        {
          kind: "video",
          mime: "video/mp4",
          sha256: await sha256Hex(verticalMp4),
          sizeBytes: verticalMp4.byteLength,
        },
      ],
      fields: { media_type: "VIDEO", text: "Look", alt_text: "Moves" },
    },
  ]);
});

test("a mixed carousel keeps its order, with the alt text on every item", async () => {
  const stage = await onStage();
  const upload = await stage.publish({
    photo: [mp4(), jpeg(), png()],
    title: "Three",
    threads_alt_text: "All",
    threads_reply_control: "followers_only",
  });
  expect(upload).toMatchObject({ status: "completed" });
  const [post] = await stage.feed();
  expect(post).toMatchObject({
    received: 1,
    media: [
      { kind: "video", sha256: await sha256Hex(verticalMp4) },
      { kind: "image", sha256: await sha256Hex(testJpeg) },
      { kind: "image", sha256: await sha256Hex(testPng) },
    ],
    fields: {
      media_type: "CAROUSEL",
      text: "Three",
      reply_control: "followers_only",
      items: [
        { media_type: "VIDEO", alt_text: "All" },
        { media_type: "IMAGE", alt_text: "All" },
        { media_type: "IMAGE", alt_text: "All" },
      ],
    },
  });
  expect(post.fields).not.toHaveProperty("alt_text");
});

test("a carousel of 20 goes out in its order, over more than one run", async () => {
  const stage = await onStage();
  const photo = Array.from({ length: 20 }, (_, index) => (index % 2 ? png() : jpeg()));
  const upload = await stage.publish({ photo, title: "Twenty" });
  expect(upload).toMatchObject({ status: "completed" });
  const [post] = await stage.feed();
  const types = post.media.map(({ mime }: { mime: string }) => mime);
  expect(types).toEqual(photo.map(({ type }) => type));
});

const links = Array.from({ length: 6 }, (_, index) => `https://example.com/${index}`).join(" ");

test.each<[string, () => Fields, string]>([
  ["a carousel of 21", () => ({ title: "x", photo: Array.from({ length: 21 }, jpeg) }), "photo"],
  ["a photo without text", () => ({ photo: jpeg() }), "title"],
  ["501 characters", () => ({ title: "x".repeat(501) }), "title"],
  ["126 emoji", () => ({ title: "😀".repeat(126) }), "title"],
  ["6 links", () => ({ title: links }), "title"],
  ["an alt text without media", () => ({ title: "x", threads_alt_text: "x" }), "threads_alt_text"],
  [
    "an alt text of 1,001 characters",
    () => ({ title: "x", photo: jpeg(), threads_alt_text: "x".repeat(1_001) }),
    "threads_alt_text",
  ],
  [
    "a reply control that there is not",
    () => ({ title: "x", threads_reply_control: "friends" }),
    "threads_reply_control",
  ],
])("refuses %s at once (400)", async (_, fields, field) => {
  const stage = await onStage();
  const answer = await stage.send(fields());
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toMatchObject([{ field }]);
  expect(stage.harness.sent).toEqual([]);
});

test.each<[string, () => Fields]>([
  ["lost_reply", () => ({})],
  ["lost_reply", () => ({ photo: [jpeg(), png()] })],
  ["token_expired", () => ({ photo: jpeg() })],
  ["5xx=2", () => ({ photo: jpeg() })],
  ["slow=90", () => ({ photo: jpeg() })],
])("a post with [sandbox:%s] stands in the feed once, case %#", async (word, media) => {
  const stage = await onStage();
  const upload = await stage.publish({ ...media(), title: `Steered [sandbox:${word}]` });
  expect(upload).toMatchObject({ status: "completed" });
  const posts = await stage.feed();
  expect(posts).toMatchObject([{ received: 1 }]);
  expect(JSON.stringify(upload)).toContain(posts[0].url);
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
  const began = Date.now();
  const upload = await stage.publish({ photo: jpeg(), title: `Steered [sandbox:${code}]` });
  expect(upload).toMatchObject({ status: "failed", failure: { code } });
  expect(Date.now() - began).toBeLessThan(30_000);
  expect(await stage.feed()).toEqual([]);
});

test("a container that publishing does not find yet is published after a back-off, not made anew", async () => {
  const stage = await onStage();
  let created = 0;
  let published = 0;
  const upload = await answering(
    (original) => async (call, store) => {
      const { pathname } = call.url;
      if (call.request.method !== "POST") return original(call, store);
      if (pathname.endsWith("/threads")) created++;
      if (!pathname.endsWith("/threads_publish")) return original(call, store);
      published++;
      if (published > 2) return original(call, store);
      const error = { message: "Media Not Found", code: 24, error_subcode: 4279009 };
      return Response.json({ error }, { status: 400 });
    },
    () => stage.publish({ title: "Not there yet" }),
  );
  expect(upload).toMatchObject({ status: "completed" });
  expect({ created, published }).toEqual({ created: 1, published: 3 });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("a publishing that broke off after it took effect is found, not repeated", async () => {
  const stage = await onStage();
  let published = 0;
  const upload = await answering(
    (original) => async (call, store) => {
      const answer = await original(call, store);
      if (!call.url.pathname.endsWith("/threads_publish")) return answer;
      published++;
      return new Response("<html>", { status: 502 });
    },
    () => stage.publish({ title: "Twice is once too often" }),
  );
  expect(upload).toMatchObject({ status: "completed" });
  expect(published).toBe(1);
  const posts = await stage.feed();
  expect(posts).toMatchObject([{ received: 1 }]);
  expect(JSON.stringify(upload)).toContain(posts[0].url);
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
  let containers = 0;
  const deaths = dieAfterChildren(stage.harness, [1, 2, 3]);
  const upload = await answering(
    (original) => (call, store) => {
      if (call.request.method === "POST" && call.url.pathname.endsWith("/threads")) containers++;
      return original(call, store);
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
