import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { inspectVideo } from "../../../src/features/media/inspect.ts";
import { verticalMp4 } from "../../support/videos.ts";

const INSPECTED = { objectKey: "inspected", etag: null };

/** Reads of the bucket, counted. */
async function inspect(bytes: Uint8Array, mime = "video/mp4") {
  await env.MEDIA.put("inspected", bytes);
  let reads = 0;
  const media = {
    get: (key: string, options?: R2GetOptions) => {
      reads++;
      return env.MEDIA.get(key, options);
    },
  } as R2Bucket;
  const facts = await inspectVideo({ media }, INSPECTED, { mime, sizeBytes: bytes.length });
  return { facts, reads };
}

test("reads what a video is from its header, in a few ranged reads", async () => {
  const { facts, reads } = await inspect(verticalMp4);
  expect(facts).toMatchObject({
    container: "mp4",
    videoCodec: "avc",
    audioCodec: "aac",
    width: 720,
    height: 1_280,
  });
  expect(facts?.durationSeconds).toBeCloseTo(4, 0);
  expect(facts?.framesPerSecond).toBeCloseTo(30, 0);
  expect(reads).toBeLessThanOrEqual(8);
});

test("storage that does not answer says nothing of the video", async () => {
  const media = {
    get: () => Promise.reject(new Error("Storage is away.")),
  } as unknown as R2Bucket;
  const file = { mime: "video/mp4", sizeBytes: verticalMp4.length };
  await expect(inspectVideo({ media }, INSPECTED, file)).rejects.toThrow("Storage is away.");
});

test.each([
  ["cut off after its first bytes", verticalMp4.slice(0, 40)],
  ["text under the name of a video", new TextEncoder().encode("This is no video at all.")],
  ["a header that promises more than there is", verticalMp4.slice(0, verticalMp4.length / 4)],
])("a file that is %s is no readable video", async (_, bytes) => {
  expect((await inspect(bytes)).facts).toBeNull();
});
