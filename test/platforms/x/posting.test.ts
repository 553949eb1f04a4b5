import { expect, test } from "vitest";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { xSimulator } from "../../../src/sandbox/x/index.ts";
import {
  count,
  dieBefore,
  type Fields,
  finish,
  openStage,
  watcherOf,
} from "../../support/stage.ts";
import { lasting, testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

const photo = (bytes = testJpeg) => new Blob([bytes], { type: "image/jpeg" });
const video = (bytes: Uint8Array<ArrayBuffer> = verticalMp4) =>
  new Blob([bytes], { type: "video/mp4" });
/** 1 x 1. */
const testGif = Uint8Array.from(
  atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
  (character) => character.charCodeAt(0),
);

async function onStage(person?: string) {
  const stage = await openStage("x", { person });
  return { ...stage, post: (fields: Fields = {}) => stage.post({ title: "Hello", ...fields }) };
}

/** Verbs and paths. */
const watching = watcherOf(xSimulator, ({ request, url }) => {
  const path = url.pathname.replace(/\d{5,}/, "ID");
  return `${request.method} ${path}`;
});

const POST = "POST /2/tweets";

test("a post of text alone is one call, with the fields that were given", async () => {
  const stage = await onStage();
  let id = 0;
  const calls = await watching(async () => {
    id = await stage.post({
      title: "Look at example.com & <this>",
      x_reply_settings: "mentionedUsers",
      x_made_with_ai: "true",
      x_paid_partnership: "true",
      x_community_id: "1493446837214187523",
      x_share_with_followers: "true",
    });
    await stage.harness.drain();
  });
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed", errorMessage: null });
  expect(JSON.stringify(record)).toMatch(/https:\/\/x\.com\/ada_\d+\/status\/\d{18,19}"/);
  expect(calls).toEqual([POST]);
  expect(await stage.feed()).toMatchObject([
    {
      uploadId: id,
      received: 1,
      text: "Look at example.com & <this>",
      media: [],
      fields: {
        text: "Look at example.com & <this>",
        reply_settings: "mentionedUsers",
        made_with_ai: true,
        paid_partnership: true,
        community_id: "1493446837214187523",
        share_with_followers: true,
      },
    },
  ]);
});

test("a poll", async () => {
  const stage = await onStage();
  const id = await stage.post({ x_poll_options: "Tea, Coffee", x_poll_duration_minutes: "60" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([
    { fields: { poll: { options: ["Tea", "Coffee"], duration_minutes: 60 } } },
  ]);
});

test("images with alternative text and tags; who is not there is left out and told", async () => {
  const stage = await onStage();
  const id = await stage.post({
    photo: [photo(), photo(testPng)],
    x_alt_text: "A square",
    x_tagged_users: '["grace","nobody1"]',
  });
  await finish(stage);
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed", errorMessage: null });
  const [post] = await stage.feed();
  expect(post).toMatchObject({
    received: 1,
    media: [
      { kind: "image", sha256: await sha256Hex(testJpeg) },
      { kind: "image", sha256: await sha256Hex(testPng) },
    ],
    fields: {
      media: { media_ids: [expect.any(String), expect.any(String)] },
      alt_texts: ["A square", "A square"],
    },
  });
  expect(post.fields.media.tagged_user_ids).toHaveLength(1);
});

test("a GIF goes up in segments, without any text", async () => {
  const stage = await onStage();
  const calls = await watching(async () => {
    const id = await stage.post({ title: "", photo: new Blob([testGif]) });
    await stage.harness.drain();
    expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  });
  expect(calls[0]).toBe("POST /2/media/upload/initialize");
  expect(await stage.feed()).toMatchObject([
    { text: "", media: [{ mime: "image/gif", sha256: await sha256Hex(testGif) }] },
  ]);
});

test("a video with subtitles stands in the feed byte for byte", async () => {
  const stage = await onStage();
  const id = await stage.post({
    video: video(),
    x_subtitles_url: "https://subtitles.sandbox.test/hello.srt",
    x_subtitles_language: "de",
  });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(await stage.feed()).toMatchObject([
    {
      media: [{ kind: "video", sha256: await sha256Hex(verticalMp4) }],
      fields: { subtitles: [{ language_code: "DE", display_name: "German" }] },
    },
  ]);
});

test("a video of three minutes goes out, with its subtitles", async () => {
  const stage = await onStage();
  const id = await stage.post({
    video: video(lasting(180)),
    x_subtitles_url: "https://subtitles.sandbox.test/hello.srt",
  });
  await stage.harness.drain();
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed", errorMessage: null });
  expect(record.warnings ?? []).toEqual([]);
  expect(await stage.feed()).toMatchObject([
    { received: 1, fields: { subtitles: [{ language_code: "EN" }] } },
  ]);
});

test("a video that X takes from subscribers alone is refused with what to do", async () => {
  const stage = await onStage("Free Ada");
  const id = await stage.post({ video: video(lasting(1_500)), x_premium: "true" });
  const calls = await watching(() => finish(stage));
  expect(calls).toEqual(["GET /2/users/me"]);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    errorMessage: expect.stringContaining("X Premium"),
  });
});

/** Twenty segments: more than one run can send. */
const LONG_BYTES = 19_500_000;

test("a long video goes up in segments over several runs, each sent once", async () => {
  const stage = await onStage();
  const bytes = new Uint8Array(LONG_BYTES);
  bytes.set(verticalMp4);
  const id = await stage.post({ video: video(bytes) });
  const calls = await watching(async () => {
    await stage.harness.deliver();
    expect(await stage.read(id)).toMatchObject({ status: "processing" });
    await stage.harness.drain();
  });
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(count(calls, "POST /2/media/upload/ID/append")).toBe(19);
  expect(count(calls, "POST /2/media/upload/ID/finalize")).toBe(1);
  expect(await stage.feed()).toMatchObject([
    { received: 1, media: [{ sizeBytes: LONG_BYTES, sha256: await sha256Hex(bytes) }] },
  ]);
}, 60_000);

test.each(FAILURE_CODES)("[sandbox:%s] ends the post with it, at once", async (code) => {
  const stage = await onStage();
  const id = await stage.post({ title: `${code} [sandbox:${code}]` });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "failed", failure: { code } });
  expect(await stage.feed()).toEqual([]);
});

test.each<[string, () => Fields]>([
  ["text", () => ({ title: "Lost example.com/a?b=1&c=<2> [sandbox:lost_reply]" })],
  [
    "a long text",
    () => ({ title: `${"Lost ".repeat(80)}[sandbox:lost_reply]`, x_premium: "true" }),
  ],
  ["images", () => ({ title: "Lost [sandbox:lost_reply]", photo: [photo(), photo(testPng)] })],
  ["a video", () => ({ title: "Lost [sandbox:lost_reply]", video: video() })],
])("%s: a lost answer is looked up, never repeated", async (_, fields) => {
  const stage = await onStage();
  const id = await stage.post(fields());
  const calls = await watching(() => finish(stage));
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(count(calls, POST)).toBe(1);
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("thirty posts whose answers are all lost are each looked up, never repeated", async () => {
  const stage = await onStage();
  const ids: number[] = [];
  for (let number = 1; number <= 30; number++) {
    ids.push(await stage.post({ title: `Number ${number} of many [sandbox:lost_reply]` }));
  }
  const calls = await watching(() => finish(stage));
  const records = await Promise.all(ids.map((id) => stage.read(id)));
  expect(records.map(({ status }) => status)).toEqual(ids.map(() => "completed"));
  expect(count(calls, POST)).toBe(30);
  expect((await stage.feed()).map(({ received }) => received)).toEqual(ids.map(() => 1));
}, 60_000);

test("a refused token is refreshed once", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Late [sandbox:token_expired]", photo: photo() });
  const calls = await watching(() => finish(stage));
  expect(count(calls, "POST /2/oauth2/token")).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toHaveLength(1);
});

test("a server that falls over is asked what became of the post before it is sent again", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Rough [sandbox:5xx=2]" });
  const calls = await watching(() => finish(stage));
  const look = "GET /2/users/ID/tweets";
  // The second wait is longer than X's own: it is asked once more right before the next call.
  expect(calls).toEqual([POST, look, POST, look, look, POST]);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("a run killed before it could store the outcome makes no second post", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Killed" });
  const deaths = dieBefore(stage, "completed");
  await finish(stage);
  expect(deaths()).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("the same text twice is refused in X's own words", async () => {
  const stage = await onStage();
  await stage.post({ title: "Twice", photo: photo() });
  await stage.harness.drain();
  stage.harness.advance(300);
  const id = await stage.post({ title: "Twice", photo: photo(testPng) });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "content_flagged" },
    errorMessage: "You are not allowed to create a Tweet with duplicate content.",
  });
  expect(await stage.feed()).toHaveLength(1);
});

test("a long text goes out for a subscriber, and for nobody else", async () => {
  for (const [name, status] of [
    ["Ada", "completed"],
    ["Free Ada", "failed"],
  ] as const) {
    const stage = await onStage(name);
    const id = await stage.post({ title: "x ".repeat(400), photo: photo(), x_premium: "true" });
    const calls = await watching(() => finish(stage));
    expect(await stage.read(id)).toMatchObject({ status });
    expect(count(calls, "POST /2/media/upload")).toBe(status === "completed" ? 1 : 0);
  }
});

test.each([
  ["missing.srt", "media_unreachable"],
  ["large.srt", "media_invalid"],
  ["hello.txt", "media_invalid"],
])("subtitles at %s end the post as %s", async (file, code) => {
  const stage = await onStage();
  const id = await stage.post({
    video: video(),
    x_subtitles_url: `https://subtitles.sandbox.test/${file}`,
  });
  const calls = await watching(() => finish(stage));
  expect(await stage.read(id)).toMatchObject({ status: "failed", failure: { code } });
  expect(calls).toEqual([`GET /${file}`]);
});

test("a file that only looks like a video ends the post before anything goes out", async () => {
  const stage = await onStage();
  const id = await stage.post({ video: video(verticalMp4.slice(0, 400)) });
  const calls = await watching(() => stage.harness.drain());
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "media_invalid" },
    errorMessage: "The file is not a readable video.",
  });
  expect(calls).toEqual([]);
});

test.each<[string, () => Fields, string]>([
  ["nothing at all", () => ({ title: "" }), "title"],
  ["281 characters", () => ({ title: "x".repeat(281) }), "title"],
  ["a photo beside a video", () => ({ video: video(), photo: photo() }), "video"],
  ["five photos", () => ({ photo: Array.from({ length: 5 }, () => photo()) }), "photo"],
  ["a poll with a photo", () => ({ photo: photo(), x_poll_options: "a,b" }), "x_poll_options"],
  ["alternative text alone", () => ({ x_alt_text: "A square" }), "x_alt_text"],
  ["tags in a video", () => ({ video: video(), x_tagged_users: "ada" }), "x_tagged_users"],
  ["an odd community", () => ({ x_community_id: "mine" }), "x_community_id"],
  ["an unknown field", () => ({ x_shout: "true" }), "x_shout"],
])("refuses %s (400)", async (_, fields, field) => {
  const stage = await onStage();
  const answer = await stage.send({ title: "Hello", ...fields() });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(field);
  expect(stage.harness.sent).toEqual([]);
});

test("an account that was given up can be connected again", async () => {
  const stage = await onStage();
  const { harness, member, accountId } = stage;
  const { token } = member;
  const calls = await watching(async () => {
    expect(await harness.call("DELETE", `/accounts/${accountId}`, { token })).toMatchObject({
      status: 200,
    });
    await harness.settle();
  });
  expect(count(calls, "POST /2/oauth2/revoke")).toBe(2);
  const again = await stage.connect();
  expect(again.body).toMatchObject({ success: true });
});
