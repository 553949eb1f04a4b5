import { describe, expect, test } from "vitest";
import { uploadPresigned } from "../../support/presigned.ts";
import {
  type AccountStage,
  dieAt,
  follow,
  openAccount,
  openStage,
  videoOf,
} from "../../support/stage.ts";
import { pixelPng, verticalMp4 } from "../../support/videos.ts";

/** More than the bytes that creating a post reads of a presigned file. */
const SIZE = 100_000;
const WORDS = { description: "The same words" };

type Bytes = Uint8Array<ArrayBuffer>;

const bytesOf = (head: Bytes, tail = 0): Bytes => {
  const whole = new Uint8Array(SIZE);
  whole.set(head);
  whole[SIZE - 1] = tail;
  return whole;
};
const film = bytesOf(verticalMp4);
const picture = new Uint8Array([...pixelPng, ...new Uint8Array(SIZE), 7]);

const presignedFilm = async ({ harness, member }: AccountStage, bytes = film): Promise<string> => {
  const file = { route: "video", type: "video/mp4", bytes };
  return (await uploadPresigned(harness, member.token, file)).bucketUrl;
};
const sentFilm = async () => videoOf(SIZE);
const presignedPicture = async ({ harness, member }: AccountStage): Promise<string> => {
  const file = { route: "photos", type: "image/png", bytes: picture };
  return (await uploadPresigned(harness, member.token, file)).accessUrl;
};
const sentPicture = async () => new Blob([picture], { type: "image/png" });

const refused = { status: 400, body: { violations: [{ type: "duplicate_content" }] } };

describe("a video of the same bytes", () => {
  test.each([
    ["tiktok", { title: "The same words", privacy_level: "SELF_ONLY" }],
    ["bluesky", WORDS],
    ["youtube", { title: "The same words" }],
    ["linkedin", WORDS],
  ] as const)("sent, then presigned, goes out once on %s", async (platform, words) => {
    const stage = await openStage(platform);
    const first = await stage.publish({ ...words, video: await sentFilm() });
    expect(first.upload.status).toBe("completed");
    const { upload, calls } = await stage.publish({ ...words, video: await presignedFilm(stage) });
    expect(upload).toMatchObject({
      status: "failed",
      failure: { code: "content_flagged", nextAction: "edit_post" },
      errorMessage: expect.stringContaining(`Post ${first.upload.id} `),
    });
    expect(calls).toEqual([]);
    expect(await stage.feed()).toHaveLength(1);
    const { used } = await limitOf(stage);
    expect(used).toBe(1);
  });

  test("presigned, then sent, is refused at once", async () => {
    const stage = await openAccount();
    const id = await stage.post({ ...WORDS, video: await presignedFilm(stage) });
    expect(await follow(stage, id)).toMatchObject({ status: "completed" });
    expect(await stage.send({ ...WORDS, video: await sentFilm() })).toMatchObject(refused);
  });

  test("presigned and sent before either is read goes out once", async () => {
    const stage = await openAccount();
    const ids = [
      await stage.post({ ...WORDS, video: await presignedFilm(stage) }),
      await stage.post({ ...WORDS, video: await sentFilm() }),
    ];
    await follow(stage, ...ids);
    expect((await statuses(stage, ids)).toSorted()).toEqual(["completed", "failed"]);
    expect(await stage.feed()).toHaveLength(1);
  });

  test("presigned five times and published at the same moment goes out once", async () => {
    const stage = await openAccount();
    const { harness } = stage;
    const ids: number[] = [];
    for (let i = 0; i < 5; i++) {
      ids.push(await stage.post({ ...WORDS, video: await presignedFilm(stage) }));
    }
    const messages = harness.sent.splice(0).map(({ message }) => message);
    await Promise.all(messages.map((message) => harness.consume([message])));
    await follow(stage, ...ids);
    expect(await statuses(stage, ids)).toEqual(["completed", ...Array(4).fill("failed")]);
    expect(await stage.feed()).toHaveLength(1);
  });

  test("presigned once and posted in two texts is two posts, and so are other bytes", async () => {
    const stage = await openAccount();
    const video = await presignedFilm(stage);
    const ids = [
      await stage.post({ ...WORDS, video }),
      await stage.post({ description: "Something quite different", video }),
      await stage.post({ ...WORDS, video: await presignedFilm(stage, bytesOf(verticalMp4, 9)) }),
    ];
    await follow(stage, ...ids);
    expect(await statuses(stage, ids)).toEqual(Array(3).fill("completed"));
  });

  test("is found although the run was killed once it had read them", async () => {
    const stage = await openAccount();
    await follow(stage, await stage.post({ ...WORDS, video: await sentFilm() }));
    const id = await stage.post({ ...WORDS, video: await presignedFilm(stage) });
    const deaths = dieAt(stage, "before", ["content_sha256 ="]);
    const upload = await follow(stage, id);
    expect(deaths()).toBe(1);
    expect(upload).toMatchObject({ status: "failed", failure: { code: "content_flagged" } });
  });

  test("that a form sends and that a URL leads to goes out once", async () => {
    const stage = await openAccount();
    stage.harness.network = async () =>
      new Response(film, { headers: { "content-type": "video/mp4" } });
    const ids = [
      await stage.post({ ...WORDS, video: "https://files.example.com/film.mp4" }),
      await stage.post({ ...WORDS, video: await sentFilm() }),
    ];
    await follow(stage, ...ids);
    expect((await statuses(stage, ids)).toSorted()).toEqual(["completed", "failed"]);
    expect(await stage.feed()).toHaveLength(1);
  });
});

describe("a picture of the same bytes is refused at once", () => {
  test.each([
    ["sent, then presigned", sentPicture, presignedPicture],
    ["presigned, then sent", presignedPicture, sentPicture],
    ["presigned twice", presignedPicture, presignedPicture],
  ])("%s", async (_, first, second) => {
    const stage = await openAccount();
    expect((await stage.send({ ...WORDS, photo: await first(stage) })).status).toBe(200);
    expect(await stage.send({ ...WORDS, photo: await second(stage) })).toMatchObject(refused);
  });

  test("five times at the same moment: one post", async () => {
    const stage = await openAccount();
    const urls = await Promise.all(Array.from({ length: 5 }, () => presignedPicture(stage)));
    const answers = await Promise.all(urls.map((photo) => stage.send({ ...WORDS, photo })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
  });
});

test("a cover of its own makes no other post of a video", async () => {
  const stage = await openAccount("youtube", () => ({ title: "The same words" }));
  const cover = new Blob([picture], { type: "image/png" });
  const video = await sentFilm();
  expect((await stage.send({ video })).status).toBe(200);
  expect(await stage.send({ video, thumbnail: cover })).toMatchObject(refused);
});

const statuses = async (stage: AccountStage, ids: number[]): Promise<string[]> =>
  (await Promise.all(ids.map(stage.read))).map(({ status }) => status);

async function limitOf({ harness, member, accountId }: AccountStage) {
  const { token } = member;
  const { body } = await harness.call("GET", `/limits/${accountId}`, { token });
  return { used: body.data.limit - body.data.remaining };
}
