import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { sign } from "../../../src/core/signature.ts";
import { mediaPath } from "../../../src/features/media/files.ts";
import { connectSandbox, createMember, form, Harness, type Member } from "../../support/harness.ts";
import { pixelPng } from "../../support/videos.ts";

const SIZE = pixelPng.length;

let member: Member;
let sha256: string;
let objectKey: string;

async function store(
  harness: Harness,
  owner: Member,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const accountId = await connectSandbox(harness, owner);
  const created = await harness.call("POST", "/upload", {
    token: owner.token,
    body: form({ accountId, description: "Hello", photo: new Blob([bytes]) }),
  });
  expect(created.status).toBe(200);
  const row = await env.DB.prepare("SELECT sha256, object_key FROM media WHERE team_id = ?")
    .bind(owner.teamId)
    .first<{ sha256: string; object_key: string }>();
  objectKey = row?.object_key ?? "";
  return row?.sha256 ?? "";
}

beforeAll(async () => {
  member = await createMember();
  sha256 = await store(new Harness(), member, pixelPng);
});

const pathOf = (harness: Harness, variant: "original" | "thumbnail" = "original") =>
  mediaPath(harness.deps, member.teamId, sha256, variant);

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

test("a signed address gives the file, inert in a browser, under its own type", async () => {
  const harness = new Harness();
  const response = await harness.request(await pathOf(harness));
  expect(response.status).toBe(200);
  expect(await bytesOf(response)).toEqual(pixelPng);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/png",
    "content-length": String(SIZE),
    "accept-ranges": "bytes",
    "content-security-policy": "default-src 'none'; media-src 'self'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "private, max-age=3600",
    "referrer-policy": "no-referrer",
  });
  expect(response.headers.get("etag")).toMatch(/^".+"$/);
  expect(JSON.stringify([...response.headers])).not.toContain(objectKey);
});

test("HEAD tells what GET would, without the file", async () => {
  const harness = new Harness();
  const response = await harness.request(await pathOf(harness), { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-length")).toBe(String(SIZE));
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(await bytesOf(response)).toHaveLength(0);
});

describe("a range", () => {
  test.each<[string, number, number]>([
    ["bytes=0-0", 0, 1],
    ["bytes=0-9", 0, 10],
    ["bytes=10-19", 10, 10],
    ["bytes=10-", 10, SIZE - 10],
    [`bytes=${SIZE - 1}-`, SIZE - 1, 1],
    ["bytes=-5", SIZE - 5, 5],
    ["bytes=-1000000", 0, SIZE],
    ["bytes=60-1000000", 60, SIZE - 60],
    [`bytes=0-${SIZE - 1}`, 0, SIZE],
  ])("%s is answered in part", async (range, offset, length) => {
    const harness = new Harness();
    const response = await harness.request(await pathOf(harness), { headers: { range } });
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(
      `bytes ${offset}-${offset + length - 1}/${SIZE}`,
    );
    expect(response.headers.get("content-length")).toBe(String(length));
    expect(await bytesOf(response)).toEqual(pixelPng.subarray(offset, offset + length));
  });

  test.each([`bytes=${SIZE}-`, "bytes=1000000-", `bytes=${SIZE}-${SIZE}`, "bytes=-0"])(
    "%s is beyond the file (416)",
    async (range) => {
      const harness = new Harness();
      const response = await harness.request(await pathOf(harness), { headers: { range } });
      expect(response.status).toBe(416);
      expect(response.headers.get("content-range")).toBe(`bytes */${SIZE}`);
      expect(await bytesOf(response)).toHaveLength(0);
    },
  );

  test.each([
    "bytes=",
    "bytes=-",
    "bytes=5-2",
    "bytes=a-b",
    "items=0-1",
    "bytes=0-1,5-6",
    "0-1",
    "bytes=0-1;",
    "bytes=99999999999999999999-",
  ])("%s is none that we know: the whole file", async (range) => {
    const harness = new Harness();
    const response = await harness.request(await pathOf(harness), { headers: { range } });
    expect(response.status).toBe(200);
    expect(await bytesOf(response)).toEqual(pixelPng);
  });
});

describe("an address that is not as we gave it", () => {
  const flip = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === "0" ? "1" : "0") + text.slice(at + 1);

  test.each<[string, (path: string) => string]>([
    ["another signature", (path) => flip(path, path.length - 1)],
    ["another first character of it", (path) => flip(path, path.indexOf("signature=") + 10)],
    [
      "a signature in upper case",
      (path) => path.replace(/signature=.+/, (s) => `signature=${s.slice(10).toUpperCase()}A`),
    ],
    ["a cut signature", (path) => path.slice(0, -1)],
    ["a longer signature", (path) => `${path}0`],
    ["no signature", (path) => path.replace(/&signature=.+/, "")],
    ["an empty signature", (path) => path.replace(/signature=.+/, "signature=")],
    [
      "a signature that is no ASCII",
      (path) => path.replace(/signature=.+/, "signature=%F0%9F%98%80"),
    ],
    ["a later end", (path) => path.replace(/expires=\d+/, "expires=9999999999")],
    ["no end", (path) => path.replace(/expires=\d+&/, "")],
    ["an endless end", (path) => path.replace(/expires=\d+/, "expires=Infinity")],
    ["an end that is no number", (path) => path.replace(/expires=\d+/, "expires=abc")],
    ["another file", (path) => path.replace(sha256, flip(sha256, 0))],
    ["another team", (path) => path.replace(/^\/media\/\d+/, "/media/999")],
    ["another variant", (path) => path.replace("/original", "/thumbnail")],
    ["an unknown variant", (path) => path.replace("/original", "/raw")],
    ["a path out of it", (path) => path.replace("/original", "/../../x/original")],
    ["a storage key", () => `/${objectKey}`],
  ])("because of %s is 404", async (_, change) => {
    const harness = new Harness();
    const response = await harness.request(change(await pathOf(harness)));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ success: false, code: "NOT_FOUND" });
  });

  test("works for at least 6 hours, and not a second longer than it says", async () => {
    const harness = new Harness();
    harness.advance(1_234);
    const path = await pathOf(harness);
    const expires = Number(/expires=(\d+)/.exec(path)?.[1]);
    expect(expires * 1_000 - Date.now()).toBeGreaterThanOrEqual(6 * 3_600_000);
    expect(expires * 1_000 - Date.now()).toBeLessThanOrEqual(7 * 3_600_000);
    harness.advance(expires - Date.now() / 1_000 - 1);
    expect((await harness.request(path)).status).toBe(200);
    harness.advance(1);
    expect((await harness.request(path)).status).toBe(404);
  });

  test("signed by another instance is 404", async () => {
    const harness = new Harness();
    const expires = Math.floor(Date.now() / 1_000) + 3_600;
    const text = `media|${member.teamId}|${sha256}|original|${expires}`;
    const forged = await sign("another key of another instance, long enough", text);
    const path = `/media/${member.teamId}/${sha256}/original?expires=${expires}&signature=${forged}`;
    expect((await harness.request(path)).status).toBe(404);
  });

  test.each(["POST", "PUT", "DELETE", "PATCH"])(
    "is not to be written to by %s (405)",
    async (method) => {
      const harness = new Harness();
      const response = await harness.request(await pathOf(harness), { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("GET");
    },
  );
});

test("a file whose object is gone is 404, in whole, in part, and small", async () => {
  const harness = new Harness();
  const owner = await createMember();
  const own = await store(harness, owner, Uint8Array.from([...pixelPng, 1]));
  await env.MEDIA.delete(objectKey);
  for (const variant of ["original", "thumbnail"] as const) {
    const path = await mediaPath(harness.deps, owner.teamId, own, variant);
    expect((await harness.request(path)).status).toBe(404);
    expect((await harness.request(path, { headers: { range: "bytes=0-1" } })).status).toBe(404);
  }
});

describe("a thumbnail", () => {
  test("is a JPEG, whatever the image was", async () => {
    const harness = new Harness();
    const response = await harness.request(await pathOf(harness, "thumbnail"));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/jpeg");
    expect(response.headers.get("content-security-policy")).toBe(
      "default-src 'none'; media-src 'self'; sandbox",
    );
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect([...(await bytesOf(response)).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  test.each<[string, number[]]>([
    ["ends after its first bytes", [...pixelPng.subarray(0, 8)]],
    ["is cut in the middle", [...pixelPng.subarray(0, 40)]],
    [
      "claims to be 2,147,483,647 pixels wide",
      [...pixelPng.subarray(0, 16), 0x7f, 0xff, 0xff, 0xff, ...pixelPng.subarray(20)],
    ],
    ["is a JPEG in name only", [0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0]],
    ["is a GIF in name only", [...new TextEncoder().encode("GIF89a")]],
    ["is a WebP in name only", [...new TextEncoder().encode("RIFF\0\0\0\0WEBPVP8 ")]],
  ])("of an image that %s is 404, and is no 500", async (_, bytes) => {
    const harness = new Harness();
    const owner = await createMember();
    const own = await store(harness, owner, Uint8Array.from(bytes));
    const path = await mediaPath(harness.deps, owner.teamId, own, "thumbnail");
    const response = await harness.request(path);
    expect(response.status).toBe(404);
    expect(harness.logs).not.toContainEqual(expect.objectContaining({ event: "crash" }));
  });

  test("of a video there is none", async () => {
    const harness = new Harness();
    const owner = await createMember();
    await env.MEDIA.put("media/test-video", "not an image");
    await env.DB.prepare(
      `INSERT INTO media (team_id, sha256, object_key, kind, mime, size_bytes, created_at)
       VALUES (?, ?, 'media/test-video', 'video', 'video/mp4', 12, 0)`,
    )
      .bind(owner.teamId, "b".repeat(64))
      .run();
    const path = await mediaPath(harness.deps, owner.teamId, "b".repeat(64), "thumbnail");
    expect((await harness.request(path)).status).toBe(404);
  });
});
