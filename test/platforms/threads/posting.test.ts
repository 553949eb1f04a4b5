import { expect, test } from "vitest";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { threadsSimulator } from "../../../src/sandbox/threads/index.ts";
import {
  dieAfterChildren,
  type Fields,
  jpeg,
  mp4,
  openStage,
  passing,
  png,
} from "../../support/stage.ts";
import { testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

const onStage = () => openStage("threads", { person: "Threads" });

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

test.each(FAILURE_CODES)("a post with [sandbox:%s] fails at once with that code", async (code) => {
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
  const upload = await passing(
    threadsSimulator,
    async (call, answer) => {
      const { pathname } = call.url;
      if (call.request.method !== "POST") return answer();
      if (pathname.endsWith("/threads")) created++;
      if (!pathname.endsWith("/threads_publish")) return answer();
      published++;
      if (published > 2) return answer();
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
  const upload = await passing(
    threadsSimulator,
    async (call, answer) => {
      const reply = await answer();
      if (!call.url.pathname.endsWith("/threads_publish")) return reply;
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

test("runs killed after each item of a carousel make no container twice", async () => {
  const stage = await onStage();
  let containers = 0;
  const deaths = dieAfterChildren(stage, 3);
  const upload = await passing(
    threadsSimulator,
    (call, answer) => {
      if (call.request.method === "POST" && call.url.pathname.endsWith("/threads")) containers++;
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
