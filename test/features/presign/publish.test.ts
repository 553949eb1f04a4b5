import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { createMember, form, Harness } from "../../support/harness.ts";
import { uploadPresigned } from "../../support/presigned.ts";
import { openAccount, openStage } from "../../support/stage.ts";
import { pixelPng, testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

const png = { route: "photos", type: "image/png", bytes: testPng };
const film = { route: "tiktok_videos", type: "video/mp4", bytes: verticalMp4 };

const mediaRows = async (teamId: number) =>
  (await env.DB.prepare("SELECT * FROM media WHERE team_id = ?").bind(teamId).all()).results;

describe("a presigned file", () => {
  test.each(["bucketUrl", "accessUrl"] as const)("is published by its %s", async (which) => {
    const stage = await openStage("bluesky");
    const { harness, member } = stage;
    const file = await uploadPresigned(harness, member.token, png);
    const { upload, feed } = await stage.publish({ description: "Hello", photo: file[which] });
    expect(upload).toMatchObject({ status: "completed", fileSize: String(testPng.length) });
    expect(feed[0].media).toEqual([
      expect.objectContaining({ sizeBytes: testPng.length, sha256: await sha256Hex(testPng) }),
    ]);
    const { etag, size } = (await env.MEDIA.head(file.key)) as R2Object;
    expect(await mediaRows(member.teamId)).toEqual([
      expect.objectContaining({
        object_key: file.key,
        etag,
        sha256: await sha256Hex(`presigned|${file.key}|${etag}|${size}`),
        content_sha256: await sha256Hex(testPng),
        kind: "image",
        mime: "image/png",
        is_damaged: 0,
      }),
    ]);
  });

  test("is a video in parts, for YouTube, and its thumbnail another", async () => {
    const stage = await openStage("youtube");
    const { harness, member } = stage;
    const video = await uploadPresigned(harness, member.token, film);
    const thumbnail = await uploadPresigned(harness, member.token, {
      route: "thumbnails",
      type: "image/jpeg",
      bytes: testJpeg,
    });
    const { upload, feed } = await stage.publish({
      title: "A film",
      video: video.bucketUrl,
      thumbnail_url: thumbnail.accessUrl,
    });
    expect(upload.status).toBe("completed");
    expect(feed[0].media[0].sha256).toBe(await sha256Hex(verticalMp4));
  });

  test("goes to many accounts, as a photo and as an override's thumbnail", async () => {
    const { harness, member, accountId } = await openAccount();
    const file = await uploadPresigned(harness, member.token, png);
    const answer = await harness.call("POST", "/upload/bulk", {
      token: member.token,
      body: form({
        accounts: JSON.stringify([accountId]),
        description: "Words",
        photo: file.accessUrl,
        overrides: JSON.stringify({ bluesky: { thumbnail_url: file.bucketUrl } }),
      }),
    });
    expect(answer.body.results[0]).toMatchObject({ success: true });
    const checked = await harness.call("POST", "/upload/validate", {
      token: member.token,
      body: form({
        accounts: JSON.stringify([accountId]),
        description: "Other words",
        photo: file.accessUrl,
      }),
    });
    expect(checked.body).toMatchObject({ valid: true });
    await harness.drain();
    expect(await mediaRows(member.teamId)).toHaveLength(1);
  });

  test("is of the type that its bytes say, whatever was declared", async () => {
    const { harness, member, send } = await openAccount("tiktok", () => ({ title: "Words" }));
    const file = await uploadPresigned(harness, member.token, {
      route: "video",
      type: "video/mp4",
      bytes: pixelPng,
    });
    const answer = await send({ video: file.bucketUrl });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatch(/video: this is an image, not a video/);
    const text = await uploadPresigned(harness, member.token, {
      route: "video",
      type: "video/mp4",
      bytes: Uint8Array.from(new TextEncoder().encode("<script>alert(1)</script>")),
    });
    expect((await send({ video: text.bucketUrl })).body.error).toMatch(/of a known type/);
  });

  test("that is a damaged image ends as media_invalid", async () => {
    const stage = await openStage("bluesky");
    const { harness, member } = stage;
    const bytes = testPng.slice(0, testPng.length - 20);
    const file = await uploadPresigned(harness, member.token, { ...png, bytes });
    const { upload } = await stage.publish({ description: "Words", photo: file.accessUrl });
    expect(upload).toMatchObject({ status: "failed", failure: { code: "media_invalid" } });
  });

  test("that is a large image is looked at to its end", async () => {
    const { harness, member, post, read } = await openAccount();
    const whole = new Uint8Array(200_000);
    whole.set(testPng);
    const file = await uploadPresigned(harness, member.token, { ...png, bytes: whole });
    const id = await post({ photo: file.accessUrl });
    expect((await mediaRows(member.teamId))[0]).toMatchObject({
      is_damaged: 0,
      size_bytes: 200_000,
    });
    await harness.drain();
    expect((await read(id)).status).toBe("completed");
  });

  test("tells its Office type by its bytes, and the program by its declared type", async () => {
    const { harness, member, send } = await openAccount("linkedin");
    const bytes = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0, 0, 0]);
    const type = "application/vnd.ms-powerpoint";
    const file = await uploadPresigned(harness, member.token, { route: "documents", type, bytes });
    expect((await send({ photo: file.bucketUrl })).status).toBe(200);
    expect((await mediaRows(member.teamId))[0]).toMatchObject({ kind: "document", mime: type });
  });
});

describe("an address under another host", () => {
  const elsewhere = (url: string) =>
    url.replace("https://akimbo.test", "https://akimbo.workers.dev");

  test("is ours when it names a file of the team", async () => {
    const { harness, member, send } = await openAccount();
    const file = await uploadPresigned(harness, member.token, png);
    expect((await send({ photo: elsewhere(file.bucketUrl) })).status).toBe(200);
    expect(await mediaRows(member.teamId)).toHaveLength(1);
  });

  test("is somebody else's when it names another team's file, or none", async () => {
    const { harness, member, send } = await openAccount();
    const other = await uploadPresigned(harness, (await createMember()).token, png);
    const own = await uploadPresigned(harness, member.token, { ...png });
    for (const url of [other.accessUrl, own.accessUrl.replace(/.{4}$/, "0000")]) {
      // The address is handled like any public one: the job downloads the file.
      expect((await send({ photo: elsewhere(url) })).status).toBe(200);
    }
    expect(await mediaRows(member.teamId)).toEqual([]);
  });
});

describe("an address of ours is refused", () => {
  const NOT_THERE = /no uploaded file of your team is at this address/;
  const CHANGED = /Pass bucketUrl or accessUrl unchanged/;

  test.each<[string, (url: string) => string, RegExp]>([
    ["with a query", (url) => `${url}?a=b`, CHANGED],
    ["with a fragment", (url) => `${url}#a`, CHANGED],
    ["with another path", (url) => url.replace("/storage/", "/storage/complete/"), CHANGED],
    ["with letters in capitals", (url) => url.replace("https", "HTTPS"), CHANGED],
    ["that leads to no file", (url) => url.replace(/.{4}$/, "0000"), NOT_THERE],
    ["that is a received file's", () => "https://akimbo.test/media/1/00/original", CHANGED],
    ["that leaves its folder", (url) => url.replace("presigned/", "presigned/../media/"), CHANGED],
  ])("%s", async (_, change, says) => {
    const { harness, member, send } = await openAccount();
    const file = await uploadPresigned(harness, member.token, png);
    const answer = await send({ photo: change(file.bucketUrl) });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatch(says);
    expect(await mediaRows(member.teamId)).toEqual([]);
  });

  test("when it is another team's, as if it were not there", async () => {
    const { harness, send } = await openAccount();
    const other = await createMember();
    const file = await uploadPresigned(harness, other.token, png);
    for (const url of [file.bucketUrl, file.accessUrl]) {
      const answer = await send({ photo: url });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatch(NOT_THERE);
    }
  });

  test("before its bytes are there", async () => {
    const { harness, member, send } = await openAccount();
    const answer = await harness.call("POST", "/upload/presign", {
      token: member.token,
      json: { route: "photos", files: [{ name: "a", size: 5, type: "image/png" }] },
    });
    expect((await send({ photo: answer.body.files[0].bucketUrl })).body.error).toMatch(NOT_THERE);
  });

  test("and the object stays, whatever else is wrong with the post", async () => {
    const { harness, member, send } = await openAccount();
    const file = await uploadPresigned(harness, member.token, png);
    expect((await send({ photo: file.bucketUrl, description: "a".repeat(400) })).status).toBe(400);
    await harness.settle();
    expect(await env.MEDIA.head(file.key)).not.toBeNull();
    expect((await send({ photo: file.bucketUrl })).status).toBe(200);
  });
});

describe("an object that was replaced after the post was created", () => {
  const replace = (key: string) =>
    env.MEDIA.put(key, testJpeg, {
      httpMetadata: { contentType: "image/jpeg" },
    });

  test.each([
    ["bluesky", { description: "Words" }],
    ["instagram", { title: "Words" }],
    ["tiktok", { title: "Words" }],
    ["x", { title: "Words" }],
  ] as const)("is not published on %s (media_invalid)", async (platform, words) => {
    const stage = await openStage(platform);
    const { harness, member } = stage;
    const file = await uploadPresigned(harness, member.token, {
      route: "photos",
      type: "image/jpeg",
      bytes: new Uint8Array([...testJpeg, 0]),
    });
    const id = await stage.post({ ...words, photo: file.accessUrl });
    await replace(file.key);
    const upload = await stage.end(id);
    expect(upload).toMatchObject({ status: "failed", failure: { code: "media_invalid" } });
    expect(upload.errorMessage).toMatch(/replaced in storage after the post was created/);
    expect(await stage.feed()).toEqual([]);
    const { results } = await env.DB.prepare("SELECT sha256 FROM media WHERE team_id = ?")
      .bind(member.teamId)
      .all<{ sha256: string }>();
    const { mediaPath } = await import("../../../src/features/media/files.ts");
    const path = await mediaPath(harness.deps, member.teamId, results[0]?.sha256 ?? "");
    expect((await harness.request(path)).status).toBe(404);
  });

  test("is another file for the next post", async () => {
    const { harness, member, post, read } = await openAccount();
    const file = await uploadPresigned(harness, member.token, png);
    const first = await post({ photo: file.accessUrl });
    await replace(file.key);
    const second = await post({ photo: file.accessUrl });
    await harness.drain();
    expect((await read(first)).status).toBe("failed");
    expect((await read(second)).status).toBe("completed");
    expect(await mediaRows(member.teamId)).toHaveLength(2);
  });
});

describe("on x, an identical file is one by its bytes", () => {
  const words = (text: string) => ({ title: text });
  const flagged = {
    status: "failed",
    failure: { code: "content_flagged" },
    errorMessage: expect.stringMatching(/a file of this post was already in a post/),
  };

  test.each([
    ["sent, then presigned", false, true],
    ["presigned, then sent", true, false],
    ["presigned twice", true, true],
  ])("%s", async (_, first, second) => {
    const stage = await openStage("x");
    const { harness, member } = stage;
    const photo = async (isPresigned: boolean) =>
      isPresigned
        ? (await uploadPresigned(harness, member.token, png)).bucketUrl
        : new Blob([testPng]);
    const one = await stage.publish({ ...words("One"), photo: await photo(first) });
    expect(one.upload.status).toBe("completed");
    // The first post's file has expired by then.
    harness.advance(5 * 86_400);
    const two = await stage.publish({ ...words("Two"), photo: await photo(second) });
    expect(two.upload).toMatchObject(flagged);
  });

  test("other bytes are another file; the content is read once for all posts", async () => {
    const stage = await openStage("x");
    const { harness, member } = stage;
    await stage.publish({ ...words("One"), photo: new Blob([testPng]) });
    const file = await uploadPresigned(harness, member.token, {
      ...png,
      bytes: new Uint8Array([...testPng, 1]),
    });
    const { upload } = await stage.publish({ ...words("Two"), photo: file.bucketUrl });
    expect(upload.status).toBe("completed");
    const content = await sha256Hex(new Uint8Array([...testPng, 1]));
    const row = (await mediaRows(member.teamId)).find(({ etag }) => etag !== null);
    expect(row).toMatchObject({ content_sha256: content });
  });
});

test("the approval is bound to a presigned file too", async () => {
  const harness = new Harness();
  const { member, accountId } = await openAccount("bluesky", undefined, harness);
  const file = await uploadPresigned(harness, member.token, png);
  const answer = await harness.call("POST", "/upload", {
    token: member.token,
    body: form({
      accountId,
      description: "Held",
      photo: file.bucketUrl,
      status: "pending_approval",
    }),
  });
  expect(answer.status).toBe(200);
  const row = await env.DB.prepare("SELECT media FROM uploads WHERE id = ?")
    .bind(answer.body.data.uploadId)
    .first<{ media: string }>();
  const { etag, size } = (await env.MEDIA.head(file.key)) as R2Object;
  const sha256 = await sha256Hex(`presigned|${file.key}|${etag}|${size}`);
  const content = await sha256Hex(testPng);
  expect(JSON.parse(row?.media ?? "")).toEqual([{ sha256, kind: "image", content }]);
});

test("a call with an Idempotency-Key is the same call with the same address", async () => {
  const { harness, member, accountId } = await openAccount();
  const file = await uploadPresigned(harness, member.token, png);
  const call = () =>
    harness.call("POST", "/upload", {
      token: member.token,
      headers: { "idempotency-key": "k" },
      body: form({ accountId, description: "Once", photo: file.bucketUrl }),
    });
  const first = await call();
  await env.MEDIA.delete(file.key);
  const second = await call();
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect(second.body.data).toEqual(first.body.data);
});
