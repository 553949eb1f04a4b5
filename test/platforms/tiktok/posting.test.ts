import { expect, test } from "vitest";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { publishUpload } from "../../../src/features/uploads/publish/run.ts";
import { tiktokSimulator } from "../../../src/sandbox/tiktok/index.ts";
import { form } from "../../support/harness.ts";
import {
  count,
  dieBefore,
  type Fields,
  finish,
  openStage,
  jpeg as photo,
  mp4 as video,
  watcherOf,
} from "../../support/stage.ts";
import { testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

async function onStage(person?: string) {
  const stage = await openStage("tiktok", { person });
  const post = (fields: Fields = {}) => {
    const media = "photo" in fields ? [] : [video()];
    return stage.post({ title: "Look", video: media, ...fields });
  };
  return { ...stage, post };
}

const watching = watcherOf(tiktokSimulator, ({ url }) =>
  url.pathname.replace("/v2/", "").replace("post/publish/", ""),
);

test("a video goes out, is waited for, and stands in the feed byte for byte", async () => {
  const stage = await onStage();
  let id = 0;
  const calls = await watching(async () => {
    id = await stage.post({ description: "More of it", is_aigc: "true" });
    await stage.harness.drain();
  });
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed", errorMessage: null });
  expect(JSON.stringify(record)).toMatch(/https:\/\/www\.tiktok\.com\/@ada_\d+\/video\/75\d{17}"/);
  expect(calls.slice(0, 3)).toEqual(["creator_info/query/", "video/init/", "/video/"]);
  expect(count(calls, "/video/")).toBe(1);
  expect(await stage.feed()).toMatchObject([
    {
      uploadId: id,
      received: 1,
      text: "Look\nMore of it",
      media: [
        {
          kind: "video",
          mime: "video/mp4",
          sizeBytes: verticalMp4.byteLength,
          sha256: await sha256Hex(verticalMp4),
        },
      ],
      fields: {
        post_info: {
          title: "Look\nMore of it",
          privacy_level: "PUBLIC_TO_EVERYONE",
          is_aigc: true,
          brand_content_toggle: false,
        },
        source_info: { source: "FILE_UPLOAD", total_chunk_count: 1 },
      },
    },
  ]);
}, 30_000);

test("photos are pulled from us as JPEGs of 1080 x 1920", async () => {
  const stage = await onStage();
  const title = `${"x".repeat(89)}😀`;
  const id = await stage.post({ photo: [photo(), photo()], title, photo_cover_index: "2" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  const [post] = await stage.feed();
  expect(post).toMatchObject({
    received: 1,
    media: [
      { kind: "image", mime: "image/jpeg" },
      { kind: "image", mime: "image/jpeg" },
    ],
    fields: {
      post_mode: "DIRECT_POST",
      is_aigc: false,
      post_info: {
        title: "x".repeat(89),
        description: title,
        privacy_level: "PUBLIC_TO_EVERYONE",
      },
      source_info: { photo_cover_index: 1 },
    },
  });
  expect(post.media[0].sha256).not.toBe(await sha256Hex(testJpeg));
});

test.each(["DRAFT", "MEDIA_UPLOAD"])("%s puts a video and photos into the inbox", async (mode) => {
  const stage = await onStage();
  const first = await stage.post({ post_mode: mode });
  const second = await stage.post({ post_mode: mode, photo: photo(), title: "A draft" });
  const calls = await watching(() => stage.harness.drain());
  expect(calls).not.toContain("creator_info/query/");
  for (const id of [first, second]) {
    expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  }
  const feed = await stage.feed();
  expect(feed).toHaveLength(2);
  expect(feed.map((post) => post.text).sort()).toEqual(["", "A draft"]);
});

const MEDIA: [string, () => Fields][] = [
  ["video", () => ({ video: video() })],
  ["photos", () => ({ photo: photo() })],
];

test.each(MEDIA)(
  "%s: a level that the creator cannot use falls back to SELF_ONLY, which has no address",
  async (_, media) => {
    const stage = await onStage();
    const id = await stage.post({ ...media(), privacy_level: "FOLLOWER_OF_CREATOR" });
    await stage.harness.drain();
    const record = await stage.read(id);
    expect(record).toMatchObject({
      status: "completed",
      metadata: {
        shareUrl: null,
        warnings: [expect.stringMatching(/FOLLOWER_OF_CREATOR.*SELF_ONLY/)],
      },
    });
    expect(await stage.feed()).toMatchObject([
      { fields: { post_info: { privacy_level: "SELF_ONLY" } } },
    ]);
  },
);

test.each(MEDIA)(
  "%s: an app that is not audited posts as SELF_ONLY, and says so",
  async (_, media) => {
    const stage = await onStage("Unaudited Ada");
    const id = await stage.post(media());
    await stage.harness.drain();
    expect(await stage.read(id)).toMatchObject({
      status: "completed",
      metadata: { shareUrl: null, warnings: [expect.stringMatching(/audit.*SELF_ONLY/)] },
    });
    expect(await stage.feed()).toMatchObject([
      { received: 1, fields: { post_info: { privacy_level: "SELF_ONLY" } } },
    ]);
  },
);

test.each(MEDIA)(
  "%s: the address is that of the post, once it is looked through",
  async (_, media) => {
    const stage = await onStage();
    const id = await stage.post(media());
    await stage.harness.drain();
    const { status, metadata } = await stage.read(id);
    expect(status).toBe("completed");
    expect(metadata.shareUrl).toBe(
      `https://www.tiktok.com/@ada_${stage.member.teamId}/video/${metadata.videoId}`,
    );
    expect(metadata.videoId).toMatch(/^75\d{17}$/);
  },
);

test.each(MEDIA)(
  "%s: an address that is not told within minutes is none, and no profile",
  async (_, media) => {
    const stage = await onStage("Moderated Ada");
    const id = await stage.post(media());
    const startedAt = Date.now();
    const calls = await watching(() => stage.harness.drain());
    expect(await stage.read(id)).toMatchObject({
      status: "completed",
      metadata: { shareUrl: null, videoId: expect.stringContaining("~") },
    });
    expect((Date.now() - startedAt) / 1_000).toBeGreaterThan(120);
    expect((Date.now() - startedAt) / 1_000).toBeLessThan(200);
    expect(count(calls, "video/list/")).toBe(1);
    expect(count(calls, "status/fetch/")).toBeLessThan(12);
  },
);

test("a caption of many is the description of photos, whole", async () => {
  const stage = await onStage();
  const caption = "All of what there is to say. ".repeat(10).trim();
  const answer = await stage.harness.call("POST", "/upload/bulk", {
    token: stage.member.token,
    body: form({
      accounts: JSON.stringify([stage.accountId]),
      description: caption,
      photo: [photo()],
    }),
  });
  expect(answer.body).toMatchObject({ success: true });
  await stage.harness.drain();
  expect(await stage.feed()).toMatchObject([
    { fields: { post_info: { title: caption.slice(0, 90), description: caption } } },
  ]);
});

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
  const id = await stage.post({ ...media(), title: "Lost [sandbox:lost_reply]" });
  await finish(stage);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test.each(MEDIA)("%s: a refused token is refreshed once", async (_, media) => {
  const stage = await onStage();
  const id = await stage.post({ ...media(), title: "Late [sandbox:token_expired]" });
  const calls = await watching(() => finish(stage));
  expect(count(calls, "oauth/token/")).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toHaveLength(1);
});

test("a last chunk that TikTok fails to take is asked after and sent again", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Rough [sandbox:5xx=2]" });
  const calls = await watching(() => finish(stage));
  expect(count(calls, "/video/")).toBe(3);
  expect(count(calls, "video/init/")).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test.each([
  ["the opening", '\\"next\\":0', { inits: 2, puts: 1 }],
  ["the last chunk", '\\"stage\\":\\"processing\\"', { inits: 1, puts: 1 }],
])("a run killed before it could store %s makes no second post", async (_, written, expected) => {
  const stage = await onStage();
  const id = await stage.post();
  const deaths = dieBefore(stage, written);
  const calls = await watching(() => finish(stage));
  expect(deaths()).toBe(1);
  expect({ inits: count(calls, "video/init/"), puts: count(calls, "/video/") }).toEqual(expected);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("photos that TikTok fails to take are never sent again, because they may be on their way", async () => {
  const stage = await onStage();
  const id = await stage.post({ photo: photo(), title: "Rough [sandbox:5xx=1]" });
  const calls = await watching(() => finish(stage));
  expect(count(calls, "content/init/")).toBe(1);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "platform_processing_timeout" },
  });
});

test("slow processing is waited for", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Slow [sandbox:slow=100]" });
  const calls = await watching(() => stage.harness.drain());
  expect(count(calls, "status/fetch/")).toBeGreaterThan(6);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
});

/** A little more than goes out in one chunk. */
const LONG_BYTES = 60_500_000;

test("a video of more than 60 MB goes out in chunks; the next run goes on where the budget ended", async () => {
  const stage = await onStage();
  const bytes = new Uint8Array(LONG_BYTES);
  bytes.set(verticalMp4);
  const id = await stage.post({ video: new Blob([bytes]) });
  const ranges: string[] = [];
  // To take it, to open the upload, and three chunks.
  let steps = 5;
  await watching(
    async () => {
      stage.harness.sent.splice(0);
      await publishUpload(stage.harness.deps, id, {
        within: async (_calls, step) => (steps-- > 0 ? step(() => {}) : null),
      });
      expect(ranges).toHaveLength(3);
      expect(await stage.read(id)).toMatchObject({ status: "processing" });
      await stage.harness.drain();
    },
    (call, answer) => {
      const range = call.request.headers.get("content-range");
      if (range) ranges.push(range);
      return answer();
    },
  );
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(ranges).toEqual([
    "bytes 0-9999999/60500000",
    "bytes 10000000-19999999/60500000",
    "bytes 20000000-29999999/60500000",
    "bytes 30000000-39999999/60500000",
    "bytes 40000000-49999999/60500000",
    "bytes 50000000-60499999/60500000",
  ]);
  expect(await stage.feed()).toMatchObject([
    { media: [{ sizeBytes: LONG_BYTES, sha256: await sha256Hex(bytes) }] },
  ]);
}, 60_000);

test("a file that only looks like a video ends the post before anything goes out", async () => {
  const stage = await onStage();
  const broken = new Blob([verticalMp4.slice(0, 400)]);
  const id = await stage.post({ video: broken });
  const calls = await watching(() => stage.harness.drain());
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "media_invalid" },
    errorMessage: "The file is not a readable video.",
  });
  expect(calls).not.toContain("video/init/");
});

test.each<[string, Fields, string]>([
  ["a PNG", { video: [], photo: new Blob([testPng]) }, "photo"],
  ["no title", { title: [] }, "title"],
  ["no media", { video: [] }, "video"],
  ["a photo beside the video", { photo: photo() }, "video"],
  ["an unknown privacy level", { privacy_level: "EVERYBODY" }, "privacy_level"],
  [
    "a cover that is not there",
    { video: [], photo: photo(), photo_cover_index: "2" },
    "photo_cover_index",
  ],
])("refuses %s (400)", async (_, fields, field) => {
  const stage = await onStage();
  const answer = await stage.send({ title: "Look", video: video(), ...fields });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(field);
  expect(stage.harness.sent).toEqual([]);
});
