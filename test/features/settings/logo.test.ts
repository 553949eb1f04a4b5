import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { detectLogoType } from "../../../src/features/settings/logo-rules.ts";
import {
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { testJpeg, testPng, webp } from "../../support/videos.ts";

const utf8 = (text: string) => Uint8Array.from(new TextEncoder().encode(text));
const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const [PNG, JPEG, WEBP] = [testPng, testJpeg, webp].map((image) => Uint8Array.from(image)) as [
  Uint8Array<ArrayBuffer>,
  Uint8Array<ArrayBuffer>,
  Uint8Array<ArrayBuffer>,
];
const SVG = utf8('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

const put = (body: Uint8Array<ArrayBuffer>, token = owner.token, type = "image/png") =>
  harness.call("PUT", "/settings/logo", { token, body, headers: { "content-type": type } });

const objects = async () =>
  (await env.MEDIA.list({ prefix: `branding/${owner.teamId}/` })).objects.map(({ key }) => key);

const logoUrl = async (): Promise<string | null> =>
  (await harness.call("GET", "/settings", { token: owner.token })).body.data.branding.logoUrl;

const open = (url: string, method = "GET") => harness.request(new URL(url).pathname, { method });

test.each([
  ["image/png", PNG],
  ["image/jpeg", JPEG],
  ["image/webp", WEBP],
  ["image/svg+xml", SVG],
])(
  "a logo is served as %s, whatever its sender called it, and can do nothing",
  async (type, file) => {
    const stored = await put(file, owner.token, "text/html");
    expect(stored).toMatchObject({ status: 200, body: { success: true } });
    const url = await logoUrl();
    expect(stored.body.data).toEqual({ logoUrl: url });
    const served = await open(url ?? "");
    expect(served.status).toBe(200);
    expect(served.headers.get("content-type")).toBe(type);
    expect(served.headers.get("content-security-policy")).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    );
    expect(served.headers.get("x-content-type-options")).toBe("nosniff");
    expect(served.headers.get("cache-control")).toBe("public, max-age=86400");
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(new Uint8Array(file));
    const head = await open(url ?? "", "HEAD");
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(String(file.length));
    expect(await head.text()).toBe("");
  },
);

test("a new logo takes the place of the old, whose object goes", async () => {
  await put(PNG);
  const before = (await logoUrl()) ?? "";
  await harness.call("PATCH", "/settings", {
    token: owner.token,
    json: { branding: { name: "Ada" } },
  });
  await put(JPEG);
  await harness.settle();
  expect(await logoUrl()).not.toBe(before);
  expect(await objects()).toHaveLength(1);
  expect((await open(before)).status).toBe(404);
  const removed = await harness.call("DELETE", "/settings/logo", { token: owner.token });
  expect(removed).toMatchObject({ status: 200, body: { success: true } });
  await harness.settle();
  expect(await objects()).toEqual([]);
  const { body } = await harness.call("GET", "/settings", { token: owner.token });
  expect(body.data.branding).toEqual({ name: "Ada", link: null, color: null, logoUrl: null });
});

test("150 KB are taken, one byte more is not", async () => {
  const file = new Uint8Array(150_000);
  file.set(PNG);
  expect((await put(file)).status).toBe(200);
  const larger = new Uint8Array(150_001);
  larger.set(PNG);
  expect(await put(larger)).toMatchObject({ status: 413, body: { success: false } });
  await harness.settle();
  expect(await objects()).toHaveLength(1);
});

test.each([
  ["nothing", utf8("")],
  ["text", utf8("hello")],
  ["HTML", utf8("<!doctype html><svg></svg>")],
  ["HTML with an SVG in it", utf8("<html><svg/></html>")],
  ["a GIF", utf8("GIF89a")],
  ["an endless comment", utf8(`<!--${"<!--".repeat(30_000)}`)],
])("refuses %s as a logo", async (_, file) => {
  expect(await put(file)).toMatchObject({
    status: 415,
    body: { code: "UNSUPPORTED_MEDIA_TYPE" },
  });
  expect(await objects()).toEqual([]);
});

test.each([
  ["a PNG", "its first bytes", latin1("\x89PNG\r\n\x1a\n")],
  ["a PNG", "no size", latin1(`\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR${"\x00".repeat(17)}`)],
  ["a PNG", "half of it", PNG.slice(0, PNG.length / 2)],
  ["a JPEG", "its first bytes", latin1("\xff\xd8\xff\xe0")],
  ["a JPEG", "no picture", latin1("\xff\xd8\xff\xfe\x00\x04hi\xff\xd9")],
  ["a WebP", "its first bytes", latin1("RIFF\x04\x00\x00\x00WEBP")],
  ["a WebP", "no size", latin1("RIFF\x16\0\0\0WEBPVP8 \x0a\0\0\0\x10\0\0\x9d\x01\x2a\0\0\x01\0")],
])("refuses %s that is no picture, and says so: %s", async (name, _, file) => {
  const refused = await put(file);
  expect([refused.status, refused.body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
  expect(refused.body.error).toContain(`begins as ${name} but is not a whole image`);
  expect(await objects()).toEqual([]);
});

test("an SVG is known behind a declaration, comments and a doctype", () => {
  const text = `\uFEFF<?xml version="1.0"?>\n<!-- a --><!-- b -->\n<!DOCTYPE svg PUBLIC "x" "y">\n<svg>`;
  expect(detectLogoType(utf8(text))).toBe("image/svg+xml");
  expect(detectLogoType(utf8(`${"<!---->".repeat(20_000)}<p>`))).toBeNull();
  expect(detectLogoType(latin1("<\xff"))).toBeNull();
});

test("a member does not change the logo, and an unknown address is not found", async () => {
  const { userId } = await createMember();
  await joinTeam(owner.teamId, userId, "MEMBER");
  const token = await createToken(userId, { teamId: owner.teamId });
  expect(await put(PNG, token)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  const remove = await harness.call("DELETE", "/settings/logo", { token });
  expect(remove.status).toBe(403);
  expect((await harness.request(`/branding/${owner.teamId}/${"0".repeat(32)}`)).status).toBe(404);
  expect((await harness.request("/branding/1/..%2f..%2fmedia")).status).toBe(404);
});
