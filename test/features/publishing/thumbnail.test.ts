import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { connectSandbox, createMember, type Fields, Harness } from "../../support/harness.ts";
import { follow, mp4, openAccount, stageOf, videoOf } from "../../support/stage.ts";
import { testJpeg, testPng } from "../../support/videos.ts";

const PICTURE = "https://pictures.example.com/cover.jpg";

async function onStage(platform = "youtube") {
  const stage = await openAccount(platform, () => ({}));
  return { ...stage, publish: async (fields: Fields) => follow(stage, await stage.post(fields)) };
}

test("a thumbnail is set on the video, and is no second file of the post", async () => {
  const stage = await onStage();
  const thumbnail = new Blob([testPng], { type: "image/png" });
  const upload = await stage.publish({ title: "Film", video: mp4(), thumbnail });
  expect(upload).toMatchObject({ status: "completed" });
  expect(upload.metadata.warnings).toBeUndefined();
  expect(upload.thumbnailUrl).toContain(await sha256Hex(testPng));
  const [post] = await stage.feed();
  expect(post.media).toHaveLength(1);
  expect(post.fields.thumbnail).toMatchObject({ sha256: await sha256Hex(testPng) });
});

test("a video that YouTube makes more private than asked is published with a warning", async () => {
  const [harness, member] = [new Harness(), await createMember()];
  const accountId = await connectSandbox(harness, member, "Private uploads", "youtube");
  const stage = stageOf(harness, member, accountId, () => ({}));
  const upload = await follow(stage, await stage.post({ title: "Film", video: mp4() }));
  expect(upload).toMatchObject({ status: "completed" });
  expect(upload.metadata.warnings).toEqual([
    expect.stringMatching(/private in place of public\. .*YouTube Studio/),
  ]);
  const calm = await follow(
    stage,
    await stage.post({ title: "Other", video: videoOf(70_000), privacyStatus: "private" }),
  );
  expect(calm.metadata.warnings).toBeUndefined();
});

test("a thumbnail by its URL is downloaded with the post", async () => {
  const stage = await onStage();
  stage.harness.network = async () =>
    new Response(testJpeg, { headers: { "content-type": "image/jpeg" } });
  const upload = await stage.publish({ title: "Film", video: mp4(), thumbnail_url: PICTURE });
  expect(upload).toMatchObject({ status: "completed" });
  const [post] = await stage.feed();
  expect(post.fields.thumbnail).toMatchObject({ sha256: await sha256Hex(testJpeg) });
});

test.each<[string, () => Response]>([
  ["is not there", () => new Response("", { status: 404 })],
  ["answers with an error", () => new Response("", { status: 500 })],
  ["is no picture", () => new Response("<html>")],
])("a thumbnail that %s costs the post nothing but itself", async (_, reply) => {
  const stage = await onStage();
  stage.harness.network = async () => reply();
  const upload = await stage.publish({ title: "Film", video: mp4(), thumbnail_url: PICTURE });
  expect(upload).toMatchObject({ status: "completed" });
  expect(upload.metadata.warnings).toEqual([expect.stringContaining(PICTURE)]);
});

test("a thumbnail that is a video, or at an address of nobody's, is refused at once", async () => {
  const stage = await onStage();
  const bad: Fields[] = [{ thumbnail: mp4() }, { thumbnail_url: "ftp://example.com/a.jpg" }];
  for (const fields of bad) {
    const answer = await stage.send({ title: "Film", video: mp4(), ...fields });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ field: Object.keys(fields)[0] }] },
    });
  }
});

test("an unknown field of X is refused by name, whatever the platform", async () => {
  for (const platform of ["x", "threads"]) {
    const stage = await onStage(platform);
    const answer = await stage.send({ title: "Text", x_reply_setting: "everyone" });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.body.errors).toEqual([
      { field: "x_reply_setting", message: expect.stringMatching(/^x_reply_setting: /) },
    ]);
  }
});
