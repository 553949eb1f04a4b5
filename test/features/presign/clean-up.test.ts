import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { clearPresigned } from "../../../src/features/presign/clean-up.ts";
import { expireFiles } from "../../../src/features/publishing/media-expiry.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { completeAt, partList, putParts, uploadPresigned } from "../../support/presigned.ts";
import { openAccount } from "../../support/stage.ts";
import { testPng } from "../../support/videos.ts";

const DAY = 86_400;
const png = { route: "photos", type: "image/png", bytes: testPng };

async function clear({ deps }: Harness): Promise<void> {
  let cursor: string | null = null;
  do cursor = await clearPresigned(deps, cursor);
  while (cursor !== null);
}

async function expire({ deps }: Harness): Promise<void> {
  let cursor: string | null = null;
  do cursor = await expireFiles(deps, cursor);
  while (cursor !== null);
}

const isThere = async (key: string) => (await env.MEDIA.head(key)) !== null;
const rowOf = (key: string) =>
  env.DB.prepare("SELECT * FROM presigns WHERE object_key = ?").bind(key).first();

const open = async (harness: Harness, { token }: Member) => {
  const json = { route: "linkedin_videos", files: [{ name: "a", size: 9, type: "video/mp4" }] };
  return (await harness.call("POST", "/upload/presign", { token, json })).body.files[0];
};

test("an upload that nobody ended is aborted an hour after its addresses expired", async () => {
  const harness = new Harness();
  const file = await open(harness, await createMember());
  const parts = await putParts(file, new Uint8Array(9));
  const key = new URL(file.bucketUrl).pathname.slice("/storage/".length);
  harness.advance(7 * 3_600 - 1);
  await clear(harness);
  expect(await rowOf(key)).toMatchObject({ aborted_at: null });
  harness.advance(1);
  await clear(harness);
  expect(await rowOf(key)).toMatchObject({ aborted_at: Date.now() });
  const { upload_id: uploadId } = (await rowOf(key)) as { upload_id: string };
  const upload = env.MEDIA.resumeMultipartUpload(key, uploadId);
  await expect(upload.complete(parts)).rejects.toThrow();
  const late = await completeAt(harness, file.multipart.completeUrl, partList(parts));
  expect(late.status).toBe(403);
});

test("an object that no post took goes after 7 days, its row once its bytes count no more", async () => {
  const harness = new Harness();
  const { token } = await createMember();
  const { key } = await uploadPresigned(harness, token, png);
  harness.advance(7 * DAY - 1);
  await clear(harness);
  expect(await isThere(key)).toBe(true);
  harness.advance(1);
  await clear(harness);
  expect(await isThere(key)).toBe(false);
  expect(await rowOf(key)).not.toBeNull();
  harness.advance(23 * DAY);
  await clear(harness);
  expect(await rowOf(key)).toBeNull();
});

test("an object that a post needs stays as long as the post needs it", async () => {
  const { harness, member, post, read } = await openAccount();
  const { key, bucketUrl } = await uploadPresigned(harness, member.token, png);
  const at = new Date(Date.now() + 20 * DAY * 1_000);
  const id = await post({ photo: bucketUrl, schedule_date: at.toISOString() });
  harness.advance(19 * DAY);
  await clear(harness);
  await expire(harness);
  expect(await isThere(key)).toBe(true);
  harness.advance(DAY);
  await harness.tick();
  await harness.drain();
  expect((await read(id)).status).toBe("completed");
  await expire(harness);
  expect(await isThere(key)).toBe(true);
  harness.advance(DAY);
  await expire(harness);
  expect(await isThere(key)).toBe(false);
  expect(await rowOf(key)).toMatchObject({ removed_at: Date.now() });
});

test("an object that stands for two files goes with the last of them", async () => {
  const { harness, member, post } = await openAccount();
  const { key, bucketUrl } = await uploadPresigned(harness, member.token, png);
  await post({ photo: bucketUrl, status: "draft" });
  await env.MEDIA.put(key, new Uint8Array([...testPng, 1]));
  const later = await post({ photo: bucketUrl, status: "draft" });
  await env.DB.prepare("UPDATE uploads SET deleted_at = 1 WHERE team_id = ? AND id <> ?")
    .bind(member.teamId, later)
    .run();
  await expire(harness);
  expect(await isThere(key)).toBe(true);
  harness.advance(8 * DAY);
  await clear(harness);
  expect(await isThere(key)).toBe(true);
});

test("a post is refused once its object has been given up, though it is still there", async () => {
  const { harness, member, send } = await openAccount();
  const { key, bucketUrl } = await uploadPresigned(harness, member.token, png);
  await env.DB.prepare("UPDATE presigns SET removed_at = 1 WHERE object_key = ?").bind(key).run();
  const answer = await send({ photo: bucketUrl });
  expect(answer.status).toBe(409);
  harness.advance(7 * DAY);
  await clear(harness);
  expect(await isThere(key)).toBe(false);
});

test("50 posts against the removal at the same moment: each has its file, or is refused", async () => {
  const harness = new Harness();
  for (let round = 0; round < 10; round++) {
    const { member, send } = await openAccount("bluesky", undefined, harness);
    const { key, bucketUrl } = await uploadPresigned(harness, member.token, png);
    await env.DB.prepare("UPDATE presigns SET created_at = 0 WHERE object_key = ?").bind(key).run();
    const [answers] = await Promise.all([
      Promise.all(
        Array.from({ length: 5 }, (_, i) =>
          send({ photo: bucketUrl, description: `Words ${i}`, status: "draft" }),
        ),
      ),
      clear(harness),
    ]);
    const isTaken = answers.some(({ status }) => status === 200);
    expect(await isThere(key)).toBe(isTaken);
  }
});

test("the chore of the night does it", async () => {
  const harness = new Harness();
  const { token } = await createMember();
  const { key } = await uploadPresigned(harness, token, png);
  harness.advance(8 * DAY);
  for (let minute = 0; minute < 30; minute++) {
    harness.advance(60);
    await harness.tick();
  }
  expect(await isThere(key)).toBe(false);
});
