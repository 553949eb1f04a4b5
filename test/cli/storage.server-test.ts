import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { LOCAL_STORAGE } from "../../src/cli/local-storage.ts";
import { inProject } from "../../src/cli/paths.ts";
import { partList, put, putParts, sampleVideo, startService } from "./served-storage.ts";

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service.stop());

test("the key and the bucket are those of wrangler.toml", async () => {
  const toml = await readFile(inProject("wrangler.toml"), "utf8");
  for (const value of Object.values(LOCAL_STORAGE)) assert.ok(toml.includes(`"${value}"`), value);
});

test("a video in parts, put at the same time, is there as it was sent, and is published", async () => {
  const bytes = Uint8Array.from(Buffer.concat([sampleVideo, randomBytes(40_000_000)]));
  const file = await service.presign("youtube_videos", "video/mp4", bytes.length);
  const { multipart, accessUrl, bucketUrl } = file;
  assert.equal(multipart.parts.length, 3);
  const body = partList(await putParts(file, bytes));
  const headers = { "content-type": "application/xml" };
  const completed = await fetch(multipart.completeUrl, { method: "POST", headers, body });
  assert.equal(completed.status, 200, await completed.text());
  assert.equal((await fetch(multipart.abortUrl, { method: "DELETE" })).status, 409);

  assert.equal((await fetch(bucketUrl)).status, 401);
  const fetched = Buffer.from(await (await fetch(accessUrl)).arrayBuffer());
  const digest = (data: Uint8Array) => createHash("sha256").update(data).digest("hex");
  assert.equal(digest(fetched), digest(bytes));
  const range = await fetch(accessUrl, { headers: { range: "bytes=4-7" } });
  assert.equal(range.status, 206);
  assert.equal(await range.text(), "ftyp");

  const accountId = await service.connect("youtube");
  const { body: answer } = await service.post({ accountId, title: "A film", video: bucketUrl });
  assert.equal(answer.data.status, "completed", JSON.stringify(answer));
});

test("storage itself refuses what was not declared", async () => {
  const { multipart } = await service.presign("linkedin_videos", "video/mp4", 1_000);
  const [part] = multipart.parts;
  assert.equal((await put(part.uploadUrl, new Uint8Array(1_001))).status, 403);
  assert.equal((await put(part.uploadUrl, new Uint8Array(999))).status, 403);
  const numbered = part.uploadUrl.replace("partNumber=1", "partNumber=2");
  assert.equal((await put(numbered, new Uint8Array(1_000))).status, 403);
  const edited = part.uploadUrl.replace("X-Amz-Expires=21600", "X-Amz-Expires=43200");
  assert.equal((await put(edited, new Uint8Array(1_000))).status, 403);
  assert.equal((await fetch(multipart.abortUrl, { method: "DELETE" })).status, 204);
  assert.notEqual((await put(part.uploadUrl, new Uint8Array(1_000))).status, 200);

  const photo = await service.presign("photos", "image/png", 5);
  const other = await service.presign("photos", "image/png", 5);
  const bytes = new Uint8Array(5);
  const { uploadUrl, uploadHeaders } = photo;
  assert.equal((await put(uploadUrl, new Uint8Array(6), uploadHeaders)).status, 403);
  const asHtml = { ...uploadHeaders, "content-type": "text/html" };
  assert.equal((await put(uploadUrl, bytes, asHtml)).status, 403);
  const elsewhere = uploadUrl.replace(/[^?]+/, other.uploadUrl.split("?")[0]);
  assert.equal((await put(elsewhere, bytes, uploadHeaders)).status, 403);
  assert.equal((await put(uploadUrl, bytes, uploadHeaders)).status, 200);
  assert.equal((await put(uploadUrl, bytes, uploadHeaders)).status, 412);
});
