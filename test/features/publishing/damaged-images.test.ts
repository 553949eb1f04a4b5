import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { createMember, type Fields, form, Harness } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { connectLive } from "../../support/pds.ts";
import { openAccount } from "../../support/stage.ts";
import { animatedGif, testJpeg, testPng, verticalMp4, webp } from "../../support/videos.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const half = (image: Bytes): Bytes => image.slice(0, Math.floor(image.length / 2));
const FAILED = {
  status: "failed",
  failure: { code: "media_invalid", retryable: false, nextAction: "replace_media" },
  errorMessage: expect.stringMatching(/cannot be decoded/),
};

async function onStage(platform: Platform) {
  const always: Fields = { title: "Text", description: "Text" };
  const stage = await openAccount(platform, () => always);
  const { harness, member, accountId } = stage;
  const query = `accountId=${accountId}`;
  const boards = await harness.call("GET", `/pinterest/boards?${query}`, { token: member.token });
  const board = boards.body.data?.[0]?.id;
  if (board) always.pinterest_board_id = board;
  return {
    harness,
    publish: async (fields: Fields) => {
      const id = await stage.post(fields);
      await harness.drain();
      return stage.read(id);
    },
    posted: async () => (await stage.feed()).length,
    mediaRows: () =>
      env.DB.prepare("SELECT is_damaged FROM media WHERE team_id = ?").bind(member.teamId).all(),
  };
}

const TAKES_IMAGES = [
  "tiktok",
  "instagram",
  "facebook",
  "linkedin",
  "pinterest",
  "bluesky",
  "threads",
  "x",
] as const;

test.each(TAKES_IMAGES)("half a JPEG is media_invalid on %s", async (platform) => {
  const { publish, posted } = await onStage(platform);
  const photo = new Blob([half(testJpeg)], { type: "image/jpeg" });
  const upload = await publish({ photo });
  expect(upload).toMatchObject(FAILED);
  expect(upload.xCredits?.spent ?? 0).toBe(0);
  expect(await posted()).toBe(0);
});

test.each<[string, Bytes]>([
  ["half a PNG", half(testPng)],
  ["half a WebP", half(webp)],
  ["half a GIF", half(animatedGif)],
  ["a JPEG's first bytes", testJpeg.slice(0, 20)],
  [
    "a GIF in name only",
    Uint8Array.from(new TextEncoder().encode("GIF89a, but this is no picture.")),
  ],
])("%s is media_invalid", async (_, bytes) => {
  const { publish, posted } = await onStage("bluesky");
  expect(await publish({ photo: new Blob([bytes]) })).toMatchObject(FAILED);
  expect(await posted()).toBe(0);
});

test("a thumbnail of YouTube that cannot be decoded is media_invalid", async () => {
  const { publish, posted } = await onStage("youtube");
  const video = new Blob([verticalMp4], { type: "video/mp4" });
  expect(await publish({ video, thumbnail: new Blob([half(testJpeg)]) })).toMatchObject(FAILED);
  expect(await posted()).toBe(0);
});

test("one damaged image among good ones ends the post, and the good ones are remembered as such", async () => {
  const { publish, mediaRows } = await onStage("bluesky");
  const photo = [new Blob([testJpeg]), new Blob([half(testPng)])];
  expect(await publish({ photo })).toMatchObject(FAILED);
  const { results } = await mediaRows();
  expect(results.map(({ is_damaged }) => is_damaged).sort()).toEqual([0, 1]);
});

test("nobody is asked for anything, and nothing is read from storage", async () => {
  const harness = new Harness();
  const member = await createMember();
  const accountId = await connectLive(harness, member);
  await harness.call("POST", "/upload", {
    token: member.token,
    body: form({ accountId, photo: new Blob([half(testJpeg)]) }),
  });
  const { costs } = await measure(harness, () => harness.deliver());
  // Claim, and the outcome.
  expect(costs).toMatchObject({ fetches: [], storageCalls: [] });
  expect(costs.roundTrips).toHaveLength(2);
});

test.each<[string, Fields, object]>([
  ["of a photo ends the post", { photo: "https://files.example.com/a.jpg" }, FAILED],
  [
    "of a thumbnail is left out",
    {
      video: new Blob([verticalMp4], { type: "video/mp4" }),
      thumbnail_url: "https://files.example.com/a.jpg",
    },
    {
      status: "completed",
      metadata: { warnings: ["The thumbnail at https://files.example.com/a.jpg was left out."] },
    },
  ],
])("half a JPEG behind the URL %s, and is not kept", async (name, fields, expected) => {
  const { harness, publish, mediaRows } = await onStage(
    name.startsWith("of a photo") ? "bluesky" : "youtube",
  );
  harness.network = async () => new Response(half(testJpeg));
  expect(await publish(fields)).toMatchObject(expected);
  const { results } = await mediaRows();
  expect(results.filter(({ is_damaged }) => is_damaged === 1)).toEqual([]);
});
