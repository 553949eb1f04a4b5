import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { connectSandbox, createMember, type Fields, form } from "../../support/harness.ts";
import { CONTENT_TYPE, END, field, file, join } from "../../support/multipart.ts";
import { type AccountStage, mp4, openAccount, photo } from "../../support/stage.ts";

let stage: AccountStage;
beforeEach(async () => {
  stage = await openAccount();
});

async function stored(blob: Blob = photo(), { harness, member } = stage): Promise<string> {
  const body = form({ file: blob });
  const { token } = member;
  return (await harness.call("POST", "/media", { token, body })).body.data.mediaId;
}

const filesOf = async (id: number): Promise<{ sha256: string; role?: string }[]> => {
  const row = await env.DB.prepare("SELECT media FROM uploads WHERE id = ?")
    .bind(id)
    .first("media");
  return JSON.parse(row as string);
};
const hashesOf = async (id: number) => (await filesOf(id)).map(({ sha256 }) => sha256);

const usesOf = async (mediaId: string) =>
  (
    await env.DB.prepare("SELECT upload_id, posts FROM media_uses WHERE sha256 = ?")
      .bind(mediaId)
      .all()
  ).results;

const errorsOf = async (fields: Fields) => (await stage.send(fields)).body.errors;

describe("a post takes files by mediaId", () => {
  test("in the order of the form, between files that are sent", async () => {
    const [one, three] = [await stored(), await stored()];
    const sent = new Uint8Array(await photo().arrayBuffer());
    const body = join(
      field("accountId", stage.accountId),
      field("status", "draft"),
      field("mediaId", one),
      file("photo", sent),
      field("mediaId", three),
      file("photo", new Uint8Array(await photo().arrayBuffer())),
      field("description", "Four"),
      END,
    );
    const answer = await stage.harness.call("POST", "/upload", {
      token: stage.member.token,
      headers: { "content-type": CONTENT_TYPE },
      body,
    });
    const hashes = await hashesOf(answer.body.data.uploadId);
    expect(hashes).toHaveLength(4);
    expect([hashes[0], hashes[2]]).toEqual([one, three]);
  });

  test("in a call without a file, and publishes them", async () => {
    const mediaId = [await stored(), await stored()];
    const id = await stage.post({ mediaId });
    await stage.harness.drain();
    expect(await stage.read(id)).toMatchObject({ status: "completed" });
    expect(await hashesOf(id)).toEqual(mediaId);
    expect((await stage.feed())[0].media).toHaveLength(2);
  });

  test("a video, for every account of a batch", async () => {
    const { harness, member, accountId } = stage;
    const mediaId = await stored(mp4());
    const other = await connectSandbox(harness, member, "Tom", "tiktok");
    const fields = {
      accounts: JSON.stringify([accountId, other]),
      title: "A film",
      description: "A film",
      mediaId,
      privacy_level: "SELF_ONLY",
    };
    const { token } = member;
    const validated = await harness.call("POST", "/upload/validate", { token, body: form(fields) });
    expect(validated.body).toMatchObject({ valid: true, errors: [] });
    const made = await harness.call("POST", "/upload/bulk", { token, body: form(fields) });
    const [first, second] = made.body.results;
    expect([first, second]).toMatchObject([{ success: true }, { success: true }]);
    expect(await hashesOf(second.uploadId)).toEqual([mediaId]);
    expect(await usesOf(mediaId)).toEqual([{ upload_id: first.uploadId, posts: 2 }]);
    await harness.drain();
    expect(await stage.read(first.uploadId)).toMatchObject({ status: "completed" });
    expect(await stage.read(second.uploadId)).toMatchObject({ status: "completed" });
  });

  test("as a thumbnail", async () => {
    const { harness, member } = stage;
    const youtube = await connectSandbox(harness, member, "Yu", "youtube");
    const [mediaId, thumbnailMediaId] = [await stored(mp4()), await stored()];
    const fields = { accountId: youtube, title: "T", mediaId, thumbnailMediaId };
    const answer = await harness.call("POST", "/upload", {
      token: member.token,
      body: form({ ...fields, privacy_status: "private" }),
    });
    expect(answer.body).toMatchObject({ success: true });
    expect(await filesOf(answer.body.data.uploadId)).toEqual([
      { sha256: mediaId, kind: "video" },
      { sha256: thumbnailMediaId, kind: "image", role: "thumbnail" },
    ]);
    expect(await errorsOf({ mediaId, thumbnailMediaId: mediaId })).toMatchObject([
      { field: "thumbnailMediaId", message: expect.stringContaining("a video, not an image") },
    ]);
  });

  test("once for an Idempotency-Key, and another file is another call", async () => {
    const { harness, member, accountId } = stage;
    const [one, other] = [await stored(), await stored()];
    const send = (mediaId: string) =>
      harness.call("POST", "/upload", {
        token: member.token,
        headers: { "idempotency-key": "k" },
        body: form({ accountId, description: "Once", mediaId }),
      });
    const [first, again, changed] = [await send(one), await send(one), await send(other)];
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(changed.body.code).toBe("IDEMPOTENCY_MISMATCH");
  });

  test("twice the same file is two places in the post, and one use", async () => {
    const mediaId = await stored();
    const id = await stage.post({ mediaId: [mediaId, mediaId], status: "draft" });
    expect(await hashesOf(id)).toEqual([mediaId, mediaId]);
    expect(await usesOf(mediaId)).toEqual([{ upload_id: id, posts: 1 }]);
  });
});

describe("bad input", () => {
  test("ids that name no file of the team are refused, whatever the account", async () => {
    const foreign = await stored(photo(), { ...stage, member: await createMember() });
    for (const mediaId of [foreign, "f".repeat(64)]) {
      expect(await errorsOf({ mediaId })).toEqual([
        { field: "mediaId", message: expect.stringContaining("no longer stored, or is not of") },
      ]);
    }
    expect(await errorsOf({ mediaId: "../etc/passwd" })).toEqual([
      { field: "mediaId", message: expect.stringContaining("64 letters and digits") },
    ]);
    const { harness, member } = stage;
    const body = form({ description: "Words", mediaId: await stored() });
    const answer = await harness.call("POST", "/upload", { token: member.token, body });
    expect(answer.body.errors).toMatchObject([{ field: "accountId" }]);
  });

  test("a file that was removed meanwhile is refused in words", async () => {
    const mediaId = await stored();
    const { harness, member } = stage;
    await harness.call("DELETE", `/media/${mediaId}`, { token: member.token });
    expect(await errorsOf({ mediaId })).toMatchObject([{ field: "mediaId" }]);
  });

  test("26 files are refused by the platform's own limit", async () => {
    const mediaId = Array.from(
      { length: 26 },
      await (async () => {
        const id = await stored();
        return () => id;
      })(),
    );
    const { status, body } = await stage.send({ mediaId });
    expect(status).toBe(400);
    expect(body.error).toMatch(/4/);
  });

  test("an id that stands after the file is looked up too", async () => {
    const mediaId = await stored();
    const { harness, member, accountId } = stage;
    const body = form({ accountId, description: "Two", status: "draft", photo: photo(), mediaId });
    const answer = await harness.call("POST", "/upload", { token: member.token, body });
    expect((await hashesOf(answer.body.data.uploadId))[1]).toBe(mediaId);
  });
});
