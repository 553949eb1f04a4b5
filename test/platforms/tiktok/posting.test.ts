import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { publishUpload } from "../../../src/features/publishing/run.ts";
import { type Fields, form } from "../../support/harness.ts";
import { isFull } from "../../support/load.ts";
import { count, dieBefore, jpeg, mp4, openStage, videoOf } from "../../support/stage.ts";
import { testJpeg } from "../../support/videos.ts";
import { tiktok } from "./row.ts";

const onStage = (person?: string) => openStage("tiktok", { ...tiktok, person });

test("photos are made anew, in the size that TikTok shows", async () => {
  const { feed } = await (await onStage()).publish({ photo: jpeg() });
  expect(feed[0].media[0].sha256).not.toBe(await sha256Hex(testJpeg));
});

const MEDIA: [string, () => Fields][] = [
  ["video", () => ({ video: mp4() })],
  ["photos", () => ({ photo: jpeg() })],
];

test.each(MEDIA)(
  "%s: the address is that of the post, once it is looked through",
  async (_, media) => {
    const stage = await onStage();
    const { upload } = await stage.publish(media());
    expect(upload.status).toBe("completed");
    const { shareUrl, videoId } = upload.metadata;
    expect(shareUrl).toBe(`https://www.tiktok.com/@ada_${stage.member.teamId}/video/${videoId}`);
    expect(videoId).toMatch(/^75\d{17}$/);
  },
);

test.each(MEDIA)(
  "%s: an address that is not told within minutes is none, and no profile",
  async (_, media) => {
    const stage = await onStage("Moderated Ada");
    const id = await stage.post(media());
    const startedAt = Date.now();
    const { calls } = await stage.watch(() => stage.harness.drain());
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
      photo: [jpeg()],
    }),
  });
  expect(answer.body).toMatchObject({ success: true });
  await stage.harness.drain();
  expect(await stage.feed()).toMatchObject([
    { fields: { post_info: { title: caption.slice(0, 90), description: caption } } },
  ]);
});

test.each([
  ["the opening", '\\"next\\":0', { inits: 2, puts: 1 }],
  ["the last chunk", '\\"stage\\":\\"processing\\"', { inits: 1, puts: 1 }],
])("a run killed before it could store %s makes no second post", async (_, written, expected) => {
  const stage = await onStage();
  const deaths = dieBefore(stage, written);
  const { upload, calls, feed } = await stage.publish({ video: mp4() });
  expect(deaths()).toBe(1);
  expect({ inits: count(calls, "video/init/"), puts: count(calls, "/video/") }).toEqual(expected);
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toMatchObject([{ received: 1 }]);
});

/** A little more than one chunk. */
const LONG_BYTES = 60_500_000;

test.runIf(isFull)(
  "a video of more than 60 MB goes out in chunks; the next run goes on where the budget ended",
  async () => {
    const stage = await onStage();
    const video = videoOf(LONG_BYTES);
    const id = await stage.post({ video });
    const ranges: string[] = [];
    // Claim, opened upload and three chunks.
    let steps = 5;
    await stage.watch(
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
    const sha256 = await sha256Hex(new Uint8Array(await video.arrayBuffer()));
    expect(await stage.feed()).toMatchObject([{ media: [{ sizeBytes: LONG_BYTES, sha256 }] }]);
  },
  60_000,
);
