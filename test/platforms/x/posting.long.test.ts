import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { loadOf } from "../../support/load.ts";
import { count, jpeg, mp4, openStage, png, videoOf } from "../../support/stage.ts";
import { lasting } from "../../support/videos.ts";
import { LOOK, POST, x } from "./row.ts";

const onStage = (person?: string) => openStage("x", { ...x, person });

test("images with alternative text and tags; who is not there is left out and told", async () => {
  const { upload, feed } = await (await onStage()).publish({
    photo: [jpeg(), png()],
    x_alt_text: "A square",
    x_tagged_users: '["grace","nobody1"]',
  });
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(upload.metadata.warnings).toHaveLength(1);
  expect(feed).toMatchObject([
    {
      received: 1,
      media: [{ mime: "image/jpeg" }, { mime: "image/png" }],
      fields: {
        media: {
          media_ids: [expect.any(String), expect.any(String)],
          tagged_user_ids: [expect.any(String)],
        },
        alt_texts: ["A square", "A square"],
      },
    },
  ]);
});

test("a video that X takes from subscribers alone is refused with what to do", async () => {
  const stage = await onStage("Free Ada");
  const { upload, calls } = await stage.publish({
    video: mp4(lasting(1_500)),
    x_premium: "true",
  });
  expect(calls).toEqual(["GET /2/users/me"]);
  expect(upload).toMatchObject({
    status: "failed",
    errorMessage: expect.stringContaining("X Premium"),
  });
});

test("a long text goes out for a subscriber, and for nobody else", async () => {
  for (const [name, status] of [
    ["Ada", "completed"],
    ["Free Ada", "failed"],
  ] as const) {
    const stage = await onStage(name);
    const fields = { title: "x ".repeat(400), photo: jpeg(), x_premium: "true" };
    const { upload, calls } = await stage.publish(fields);
    expect(upload).toMatchObject({ status });
    expect(count(calls, "POST /2/media/upload")).toBe(status === "completed" ? 1 : 0);
  }
});

/** Twenty segments: more than one run sends. */
const LONG_BYTES = 19_500_000;

test("a long video goes up in segments over several runs, each sent once", async () => {
  const stage = await onStage();
  const video = videoOf(LONG_BYTES);
  const id = await stage.post({ video });
  const { calls } = await stage.watch(async () => {
    await stage.harness.deliver();
    expect(await stage.read(id)).toMatchObject({ status: "processing" });
    await stage.end(id);
  });
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(count(calls, "POST /2/media/upload/ID/append")).toBe(19);
  expect(count(calls, "POST /2/media/upload/ID/finalize")).toBe(1);
  const sha256 = await sha256Hex(new Uint8Array(await video.arrayBuffer()));
  expect(await stage.feed()).toMatchObject([
    { received: 1, media: [{ sizeBytes: LONG_BYTES, sha256 }] },
  ]);
}, 60_000);

const PLANS: [segments: number, limit: number, plan: string][] = [
  [16, 50, "the free plan"],
  [19, 10_000, "the paid plan"],
];

test.each(PLANS.slice(0, loadOf(1, 2)))(
  "one run sends %i of 19 segments with the %i subrequests of %s",
  async (expected, limit) => {
    const stage = await onStage();
    const { deps } = stage.harness;
    deps.config = { ...deps.config, subrequestsPerInvocation: limit };
    const id = await stage.post({ video: videoOf(LONG_BYTES) });
    const { calls } = await stage.watch(async () => {
      await stage.harness.deliver();
    });
    expect(count(calls, "POST /2/media/upload/ID/append")).toBe(expected);
    await stage.end(id);
    expect(await stage.read(id)).toMatchObject({ status: "completed" });
  },
  60_000,
);

const LOST = loadOf(8, 30);

test(`${LOST} posts whose answers are all lost are each looked up, never repeated`, async () => {
  const stage = await onStage();
  const ids: number[] = [];
  for (let number = 1; number <= LOST; number++) {
    ids.push(await stage.post({ title: `Number ${number} of many [sandbox:lost_reply]` }));
  }
  const { calls } = await stage.watch(() => stage.end(...ids));
  const records = await Promise.all(ids.map((id) => stage.read(id)));
  expect(records.map(({ status }) => status)).toEqual(ids.map(() => "completed"));
  expect(count(calls, POST)).toBe(LOST);
  expect((await stage.feed()).map(({ received }) => received)).toEqual(ids.map(() => 1));
}, 60_000);

test("a server that falls over is asked what became of the post before it is sent again", async () => {
  const stage = await onStage();
  const { calls } = await stage.publish({ title: "Rough [sandbox:5xx=2]" });
  // The second wait exceeds X's lag, so X is asked once more before the next call.
  expect(calls).toEqual([POST, LOOK, POST, LOOK, LOOK, POST]);
});

test("the same text twice is refused in X's own words", async () => {
  const stage = await onStage();
  await stage.publish({ title: "Twice", photo: jpeg() });
  stage.harness.advance(300);
  const { upload, feed } = await stage.publish({ title: "Twice", photo: png() });
  expect(upload).toMatchObject({
    status: "failed",
    failure: { code: "content_flagged" },
    errorMessage: "You are not allowed to create a Tweet with duplicate content.",
  });
  expect(feed).toHaveLength(1);
});

test.each([
  ["missing.srt", "media_unreachable"],
  ["large.srt", "media_invalid"],
  ["hello.txt", "media_invalid"],
])("subtitles at %s end the post as %s", async (file, code) => {
  const { upload, calls } = await (await onStage()).publish({
    video: mp4(),
    x_subtitles_url: `https://subtitles.sandbox.test/${file}`,
  });
  expect(upload).toMatchObject({ status: "failed", failure: { code } });
  expect(calls).toEqual([`GET /${file}`]);
});

test("both tokens of an account that is given up are revoked", async () => {
  const stage = await onStage();
  const { calls } = await stage.watch(() => stage.disconnect());
  expect(count(calls, "POST /2/oauth2/revoke")).toBe(2);
});
