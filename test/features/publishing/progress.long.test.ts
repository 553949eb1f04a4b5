import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { progressOf } from "../../../src/features/posts/rules.ts";
import { beginLife } from "../../support/life.ts";
import { isFull } from "../../support/load.ts";
import { dieAt, openStage, videoOf } from "../../support/stage.ts";

const MB = 1_000_000;

type Sent = readonly [platform: Platform, words: object, size: number];

/** Sizes of which each network takes several pieces. */
const IN_SMALL_PIECES: readonly Sent[] = [
  ["x", { title: "Words" }, 10 * MB],
  ["facebook", { description: "Words" }, 12 * MB],
  ["linkedin", { description: "Words" }, 9 * MB],
  ["bluesky", { description: "Words" }, 12 * MB],
];
const IN_LARGE_PIECES: readonly Sent[] = [
  ["youtube", { title: "Words" }, 34 * MB],
  ["tiktok", { title: "Words" }, 35 * MB],
];

test.each([...IN_SMALL_PIECES, ...(isFull ? IN_LARGE_PIECES : [])])(
  "of a video on %s goes up with its bytes, and never down",
  async (platform, words, size) => {
    const stage = await openStage(platform);
    const seen: { phase: string; sentBytes: number; totalBytes: number }[] = [];
    let id = 0;
    const { upload } = await stage.publish(
      { ...words, video: videoOf(size) },
      async (_, answer) => {
        id ||= (await env.DB.prepare("SELECT id FROM uploads WHERE account_id = ?")
          .bind(stage.accountId)
          .first<number>("id")) as number;
        const { progress, status } = await stage.read(id);
        if (status === "processing") seen.push(progress);
        return answer();
      },
    );
    expect(upload).toMatchObject({ status: "completed", progress: null });
    expect(seen.every(({ totalBytes }) => totalBytes === size)).toBe(true);
    const sent = seen.map(({ sentBytes }) => sentBytes);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
    expect(sent[0]).toBe(0);
    const onTheWay = seen.filter(({ phase }) => phase === "sending");
    expect(new Set(onTheWay.map(({ sentBytes }) => sentBytes)).size).toBeGreaterThanOrEqual(2);
    expect(Math.max(...sent)).toBeLessThanOrEqual(size);
    // Tens of megabytes, on a machine that may be busy.
  },
  60_000,
);

test("keeps a post alive whose runs break off, one after each piece", async () => {
  const stage = await openStage("youtube");
  const id = await stage.post({ title: "Long", video: videoOf(34 * MB) });
  await env.DB.prepare(
    "UPDATE uploads SET status = 'processing', fence = 8, crashes = 8, lease_until = ? WHERE id = ?",
  )
    .bind(Date.now() - 1, id)
    .run();
  const pieces = [16_777_216, 33_554_432].map((end) => `\\"offset\\":${end}`);
  const deaths = dieAt(stage, "after", pieces);
  expect(await stage.end(id)).toMatchObject({ status: "completed" });
  expect(deaths()).toBe(2);
}, 60_000);

test("is told while a post is being published, and of no other", async () => {
  const life = await beginLife();
  for (const status of ["draft", "scheduled", "pending", "completed", "failed"]) {
    const scheduled_for = status === "scheduled" ? Date.now() + 60_000 : null;
    const id = await life.insert({ status, scheduled_for });
    expect((await life.call("GET", `/upload/${id}`)).body.data.progress).toBeNull();
  }
  const id = await life.insert({ status: "processing", file_size: 10, sent_bytes: 4 });
  const progress = { phase: "sending", sentBytes: 4, totalBytes: 10 };
  expect((await life.call("GET", `/upload/${id}`)).body.data.progress).toEqual(progress);
  const list = await life.call("GET", "/upload?status=processing");
  expect(list.body.data[0].progress).toEqual(progress);
});

test.each([
  ["preparing", null, "preparing", 0],
  ["preparing", 0, "sending", 0],
  ["preparing", 12, "sending", 10],
  ["submitting", 4, "publishing", 10],
  ["settling", null, "processing", 10],
] as const)("at the stage %s with %s bytes sent is %s", (stage, sentBytes, phase, shown) => {
  const upload = { status: "processing", stage, sentBytes, fileSize: 10 } as const;
  expect(progressOf(upload)).toEqual({ phase, sentBytes: shown, totalBytes: 10 });
});
