import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { createMember, Harness } from "../../support/harness.ts";
import { uploadPresigned } from "../../support/presigned.ts";
import { pixelPng } from "../../support/videos.ts";

let [bucketPath, accessPath] = ["", ""];
const SIZE = pixelPng.length;

beforeAll(async () => {
  const { token } = await createMember();
  const file = { route: "photos", type: "image/png", bytes: pixelPng };
  const { bucketUrl, accessUrl } = await uploadPresigned(new Harness(), token, file);
  [bucketPath, accessPath] = [new URL(bucketUrl).pathname, new URL(accessUrl).pathname];
});

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

test("an accessUrl gives the file to everybody, inert in a browser", async () => {
  const response = await new Harness().request(accessPath);
  expect(response.status).toBe(200);
  expect(await bytesOf(response)).toEqual(pixelPng);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/png",
    "content-length": String(SIZE),
    "accept-ranges": "bytes",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
});

test("HEAD tells the same without the bytes", async () => {
  const response = await new Harness().request(accessPath, { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-length")).toBe(String(SIZE));
  expect((await bytesOf(response)).length).toBe(0);
});

test.each([
  ["bytes=0-9", 206, 0, 10],
  ["bytes=10-", 206, 10, SIZE - 10],
  ["bytes=-5", 206, SIZE - 5, 5],
  ["bytes=3-999999", 206, 3, SIZE - 3],
  ["bytes=5-3", 200, 0, SIZE],
  ["lines=1-2", 200, 0, SIZE],
])("a range %s", async (range, status, from, length) => {
  const response = await new Harness().request(accessPath, { headers: { range } });
  expect(response.status).toBe(status);
  expect(await bytesOf(response)).toEqual(pixelPng.slice(from, from + length));
  const expected = status === 206 ? `bytes ${from}-${from + length - 1}/${SIZE}` : null;
  expect(response.headers.get("content-range")).toBe(expected);
});

test("a range past the end (416)", async () => {
  const headers = { range: `bytes=${SIZE}-` };
  const response = await new Harness().request(accessPath, { headers });
  expect(response.status).toBe(416);
  expect(response.headers.get("content-range")).toBe(`bytes */${SIZE}`);
});

test("a bucketUrl gives nothing to anybody (401)", async () => {
  for (const method of ["GET", "HEAD"]) {
    const response = await new Harness().request(bucketPath, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toBe("application/xml");
    const text = await response.text();
    if (method === "GET") expect(text).toContain("<Code>AccessDenied</Code>");
  }
});

test.each(["GET", "HEAD"])("what is not there is not found: %s (404)", async (method) => {
  const path = accessPath.replace(/[0-9a-f]$/, (last) => (last === "0" ? "1" : "0"));
  for (const headers of [{}, { range: "bytes=0-1" }] as HeadersInit[]) {
    expect((await new Harness().request(path, { method, headers })).status).toBe(404);
  }
});

test("no other object of the bucket is reached", async () => {
  await env.MEDIA.put("media/1/00000000000000000000000000000000", "secret");
  for (const path of [
    "/files/media/1/00000000000000000000000000000000",
    "/files/presigned/1/../../media/1/00000000000000000000000000000000",
    "/files/presigned/1%2F..%2F..%2Fmedia/00000000000000000000000000000000",
  ]) {
    expect((await new Harness().request(path)).status).toBe(404);
  }
});
