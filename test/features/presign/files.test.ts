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
    "content-security-policy": "default-src 'none'; media-src 'self'; sandbox",
    "x-content-type-options": "nosniff",
  });
});

test.each([{}, { range: "bytes=0-9" }, { range: `bytes=${SIZE}-` }] as HeadersInit[])(
  "HEAD tells the same without the bytes, and knows no range: %j",
  async (headers) => {
    const response = await new Harness().request(accessPath, { method: "HEAD", headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(SIZE));
    expect(response.headers.get("content-range")).toBeNull();
    expect((await bytesOf(response)).length).toBe(0);
  },
);

test("pages of any origin may read an accessUrl, and a refusal of it", async () => {
  const preflight = await new Harness().request(accessPath, {
    method: "OPTIONS",
    headers: {
      origin: "https://page.test",
      "access-control-request-method": "GET",
      "access-control-request-headers": "range",
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-headers")).toBe("range");
  for (const headers of [
    {},
    { range: "bytes=0-9" },
    { range: `bytes=${SIZE}-` },
  ] as HeadersInit[]) {
    const response = await new Harness().request(accessPath, { headers });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toContain("content-range");
  }
});

test.each([
  ["bytes=0-9", 206, 0, 10],
  ["bytes=10-", 206, 10, SIZE - 10],
  ["bytes=-5", 206, SIZE - 5, 5],
  ["bytes=3-999999", 206, 3, SIZE - 3],
  ["bytes=0-0", 206, 0, 1],
  ["bytes=-999999", 206, 0, SIZE],
  ["bytes=5-3", 200, 0, SIZE],
  ["bytes=0-1,3-4", 200, 0, SIZE],
  ["bytes=", 200, 0, SIZE],
  ["bytes=a-b", 200, 0, SIZE],
  [`bytes=${"9".repeat(400)}-`, 200, 0, SIZE],
  ["lines=1-2", 200, 0, SIZE],
])("a range %s", async (range, status, from, length) => {
  const response = await new Harness().request(accessPath, { headers: { range } });
  expect(response.status).toBe(status);
  expect(await bytesOf(response)).toEqual(pixelPng.slice(from, from + length));
  const expected = status === 206 ? `bytes ${from}-${from + length - 1}/${SIZE}` : null;
  expect(response.headers.get("content-range")).toBe(expected);
});

test.each([`bytes=${SIZE}-`, "bytes=-0"])(
  "a range of nothing is refused: %s (416)",
  async (range) => {
    const headers = { range };
    const response = await new Harness().request(accessPath, { headers });
    expect(response.status).toBe(416);
    expect(response.headers.get("content-range")).toBe(`bytes */${SIZE}`);
  },
);

test("a bucketUrl gives nothing to anybody (401)", async () => {
  for (const method of ["GET", "HEAD", "PUT", "POST", "DELETE"]) {
    const response = await new Harness().request(bucketPath, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toBe("application/xml");
    const text = await response.text();
    if (method !== "HEAD") expect(text).toContain("<Code>AccessDenied</Code>");
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
