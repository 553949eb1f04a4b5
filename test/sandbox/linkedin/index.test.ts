import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { moveClock } from "../../../src/core/clock.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { readCommentary } from "../../../src/sandbox/linkedin/little-text.ts";
import { testJpeg } from "../../support/videos.ts";
import { mp4, sandbox, unique } from "../support.ts";

afterEach(() => moveClock(0));

const REST = "https://api.linkedin.com/rest";
/** Seconds. */
const DAY = 86_400;
const OAUTH = "https://www.linkedin.com/oauth/v2";

interface Told {
  status: number;
  code: string | undefined;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  body: any;
}

/** A member with their first page, and the fetch of one of their uploads. */
async function connect() {
  const teamId = unique();
  const accountId = `acc_${teamId}`;
  const name = `Ada ${teamId}`;
  const { accessToken, refreshToken } = sandboxCredentials("linkedin", name);
  const fetchFor = (origin: { accountId: string | null; uploadId: number | null }) =>
    createSandboxFetch(env.SANDBOX_STATE, { teamId, ...origin });
  const fetch = fetchFor({ accountId, uploadId: unique() });
  const call = async (
    method: string,
    url: string,
    { json, headers = {} }: { json?: unknown; headers?: Record<string, string | null> } = {},
  ): Promise<Told> => {
    const all = new Headers({
      authorization: `Bearer ${accessToken}`,
      "linkedin-version": "202609",
      "x-restli-protocol-version": "2.0.0",
      ...(json === undefined ? {} : { "content-type": "application/json" }),
    });
    for (const [header, value] of Object.entries(headers)) {
      if (value === null) all.delete(header);
      else all.set(header, value);
    }
    const body = json === undefined ? undefined : JSON.stringify(json);
    const reply = await fetch(url.startsWith("https:") ? url : `${REST}/${url}`, {
      method,
      headers: all,
      ...(body === undefined ? {} : { body }),
    });
    const text = await reply.text();
    const told = text ? JSON.parse(text) : null;
    return { status: reply.status, code: told?.code, headers: reply.headers, body: told };
  };
  const me = await call("GET", "https://api.linkedin.com/v2/userinfo");
  const roles = await call(
    "GET",
    "organizationAcls?q=roleAssignee&state=APPROVED&count=100&start=0",
  );
  const author = `urn:li:person:${me.body.sub}`;
  const page: string = roles.body.elements[0].organization;
  return { accountId, author, page, roles, me, name, call, fetch, fetchFor, refreshToken };
}

type Connection = Awaited<ReturnType<typeof connect>>;

const post = (author: string, change: object = {}) => ({
  author,
  commentary: "Hello",
  visibility: "PUBLIC",
  distribution: {
    feedDistribution: "MAIN_FEED",
    targetEntities: [],
    thirdPartyDistributionChannels: [],
  },
  lifecycleState: "PUBLISHED",
  isReshareDisabledByAuthor: false,
  ...change,
});

const send = ({ call, author }: Connection, change: object = {}) =>
  call("POST", "posts", { json: post(author, change) });

const feedOf = ({ accountId }: Connection) => sandbox().listPosts({ teamId: "all", accountId });

const open = ({ call }: Connection, kind: string, owner: string, more: object = {}) =>
  call("POST", `${kind}s?action=initializeUpload`, {
    json: { initializeUploadRequest: { owner, ...more } },
  });

const put = async (
  { fetch }: Connection,
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  type = "application/octet-stream",
) => {
  const reply = await fetch(url, {
    method: "PUT",
    headers: { "content-type": type },
    body: bytes,
  });
  const text = await reply.text();
  return {
    status: reply.status,
    etag: reply.headers.get("etag") ?? "",
    code: text ? JSON.parse(text).code : undefined,
  };
};

async function upload(connection: Connection, kind: string, owner: string, bytes: typeof testJpeg) {
  const { value } = (await open(connection, kind, owner)).body;
  expect(await put(connection, value.uploadUrl, bytes)).toMatchObject({ status: 201 });
  return { urn: value[kind] as string, url: value.uploadUrl as string };
}

describe("a member", () => {
  it("administers two pages, the same ones every time", async () => {
    const { roles, call, page, name } = await connect();
    expect(roles.body.elements).toMatchObject([
      { role: "ADMINISTRATOR", state: "APPROVED", organization: page },
      { role: "ADMINISTRATOR" },
    ]);
    const ids = roles.body.elements.map((one: { organization: string }) =>
      one.organization.replace("urn:li:organization:", ""),
    );
    const { body } = await call("GET", `organizations?ids=List(${ids.join(",")})`);
    expect(body.results[ids[0]]).toMatchObject({ localizedName: `${name} Works` });
    expect(body.results[ids[1]]).toMatchObject({ localizedName: `${name} Foundation` });
    expect((await call("GET", `organizations/${ids[1]}`)).body.id).toBe(Number(ids[1]));
    expect((await call("GET", "organizations/1")).status).toBe(403);
  });

  it("is told from others by the token", async () => {
    const { call } = await connect();
    const ask = (authorization: string | null) =>
      call("GET", "https://api.linkedin.com/v2/userinfo", { headers: { authorization } });
    expect(await ask(null)).toMatchObject({ status: 401, code: "EMPTY_ACCESS_TOKEN" });
    expect(await ask("Bearer x")).toMatchObject({ status: 401, code: "INVALID_ACCESS_TOKEN" });
  });
});

it.each<[string, Record<string, string | null>, number, string]>([
  ["no version", { "linkedin-version": null }, 400, "VERSION_MISSING"],
  ["an ended version", { "linkedin-version": "202510" }, 426, "NONEXISTENT_VERSION"],
  ["a version to come", { "linkedin-version": "209901" }, 426, "NONEXISTENT_VERSION"],
  ["another protocol", { "x-restli-protocol-version": null }, 400, "INVALID_VALUE_FOR_FIELD"],
  ["no JSON", { "content-type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
])("refuses a call with %s", async (_, headers, status, code) => {
  const { call, author } = await connect();
  expect(await call("POST", "posts", { json: post(author), headers })).toMatchObject({
    status,
    code,
  });
});

it.each([
  ["GET", "posts/urn%3Ali%3Ashare%3A1", 404],
  ["PUT", "posts", 404],
  ["GET", "nothing", 404],
  ["GET", "https://api.linkedin.com/v2/me?projection=(email)", 400],
  ["POST", "https://api.linkedin.com/v2/me", 405],
  ["POST", "https://api.linkedin.com/v2/userinfo", 405],
  ["GET", "images/urn:li:image:1", 400],
  ["GET", "images/urn%3Ali%3Aimage%3A1", 404],
  ["GET", "images/urn%3Ali%3Avideo%3A1", 400],
  ["GET", "images/%E0%A4%A", 400],
  ["GET", "organizations?ids=List%281%29", 400],
  ["GET", "organizationAcls?q=other", 400],
])("answers %s %s with %i", async (method, path, status) => {
  expect((await (await connect()).call(method, path)).status).toBe(status);
});

describe("a post", () => {
  it("is made with an empty answer whose header names it", async () => {
    const connection = await connect();
    const told = await send(connection, { commentary: "\\*Hi\\* #all 𝗕" });
    const urn = told.headers.get("x-restli-id");
    expect(told).toMatchObject({ status: 201, body: null });
    expect(urn).toMatch(/^urn:li:share:\d{19}$/);
    expect(await feedOf(connection)).toMatchObject([
      {
        text: "*Hi* #all 𝗕",
        author: connection.name,
        received: 1,
        url: `https://www.linkedin.com/feed/update/${urn}/`,
      },
    ]);
  });

  it.each<[string, object, string]>([
    ["an unknown field", { alt: 1 }, "INVALID_VALUE_FOR_FIELD"],
    ["a missing field", { visibility: undefined }, "MISSING_FIELD"],
    ["another state", { lifecycleState: "DRAFT" }, "INVALID_VALUE_FOR_FIELD"],
    ["a blank text", { commentary: " " }, "INVALID_VALUE_BLANK_FIELD"],
    ["3,001 characters", { commentary: "x".repeat(3_001) }, "FIELD_LENGTH_TOO_LONG"],
    ["1,501 escaped ones", { commentary: "\\(".repeat(1_501) }, "FIELD_LENGTH_TOO_LONG"],
    ["an unknown image", { content: { media: { id: "urn:li:image:1" } } }, "INVALID_IMAGE_ID"],
    ["an unknown video", { content: { media: { id: "urn:li:video:1" } } }, "INVALID_VIDEO_ID"],
    ["a share as content", { content: { media: { id: "urn:li:share:1" } } }, "INVALID_URN_TYPE"],
    [
      "one image of several",
      { content: { multiImage: { images: [{ id: "urn:li:image:1" }] } } },
      "INVALID_VALUE_FOR_FIELD",
    ],
  ])("is refused for %s", async (_, change, code) => {
    const connection = await connect();
    expect(await send(connection, change)).toMatchObject({ status: 400, code });
    expect(await feedOf(connection)).toEqual([]);
  });

  it("takes 3,000 characters, escapes counted", async () => {
    const connection = await connect();
    expect((await send(connection, { commentary: "\\(".repeat(1_500) })).status).toBe(201);
  });

  it("is nobody else's", async () => {
    const connection = await connect();
    for (const author of ["urn:li:person:sb1", "urn:li:organization:1"]) {
      expect(await send(connection, { author })).toMatchObject({
        status: 403,
        code: "ACCESS_DENIED",
      });
    }
  });

  it("of a page is public", async () => {
    const connection = await connect();
    const { page: author } = connection;
    const refused = await send(connection, { author, visibility: "CONNECTIONS" });
    expect(refused).toMatchObject({ status: 400, code: "INVALID_VALUE_FOR_FIELD" });
    expect((await send(connection, { visibility: "CONNECTIONS" })).status).toBe(201);
  });

  it("is refused as a duplicate for ten minutes, and counted", async () => {
    const connection = await connect();
    const urn = (await send(connection)).headers.get("x-restli-id");
    const again = await send(connection);
    expect(again).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(`${urn}`) },
    });
    expect(await feedOf(connection)).toMatchObject([{ received: 2 }]);
    moveClock(601);
    expect((await send(connection)).status).toBe(201);
  });

  it("is listed for pages, newest first, and never for people", async () => {
    const connection = await connect();
    const { call, page, author } = connection;
    const list = (whose: string, headers: Record<string, string> = {}) =>
      call("GET", `posts?q=author&author=${whose}&count=50&start=0&sortBy=CREATED`, { headers });
    const finder = { "x-restli-method": "FINDER" };
    for (const commentary of ["One", "Two"]) {
      await send(connection, { author: page, commentary });
      moveClock(1);
    }
    const { body } = await list(encodeURIComponent(page), finder);
    expect(body.elements).toMatchObject([{ commentary: "Two" }, { commentary: "One" }]);
    expect((await list(encodeURIComponent(page))).status).toBe(400);
    expect((await list(page, finder)).status).toBe(400);
    expect(await list(encodeURIComponent(author), finder)).toMatchObject({ status: 403 });
  });
});

it.each([
  ["a \\* b #tag {hashtag|\\#|x} @[Ada](urn:li:person:1)!", "a * b #tag #x Ada!"],
  ["@[Foo \\(Inc\\)](urn:li:organization:1)", "Foo (Inc)"],
  ["by @[Foo (Inc)](urn:li:organization:1)", "by "],
  ["by @[Foo](urn:li:share:1)", "by "],
  ["cut (here", "cut "],
  ["cut_here", "cut"],
  ["C# is cut", "C"],
])("shows %j as %j", (commentary, text) => {
  expect(readCommentary(commentary).text).toBe(text);
});

describe("an image", () => {
  it("is waited for, then posted byte for byte", async () => {
    const connection = await connect();
    const { call, page } = connection;
    const { urn } = await upload(connection, "image", page, testJpeg);
    const look = async () => (await call("GET", `images/${encodeURIComponent(urn)}`)).body.status;
    expect(await look()).toBe("PROCESSING");
    const content = { media: { id: urn } };
    const early = await send(connection, { author: page, content });
    expect(early).toMatchObject({ status: 400, code: "MEDIA_ASSET_WAITING_UPLOAD" });
    moveClock(1);
    expect(await look()).toBe("AVAILABLE");
    expect((await send(connection, { author: page, content, commentary: "" })).status).toBe(201);
    expect(await feedOf(connection)).toMatchObject([
      { media: [{ mime: "image/jpeg", sha256: await sha256Hex(testJpeg) }] },
    ]);
  });

  it("of a person is not read, but posted", async () => {
    const connection = await connect();
    const { call, author, page } = connection;
    const { urn, url } = await upload(connection, "image", author, testJpeg);
    expect(await call("GET", `images/${encodeURIComponent(urn)}`)).toMatchObject({
      status: 403,
      code: "ACCESS_DENIED",
    });
    moveClock(1);
    const content = { media: { id: urn } };
    const stolen = await send(connection, { author: page, content });
    expect(stolen).toMatchObject({ status: 400, code: "INVALID_IMAGE_ID" });
    expect((await send(connection, { content })).status).toBe(201);
    expect(await put(connection, url, testJpeg)).toMatchObject({ status: 400 });
  });

  it("that is none fails in processing", async () => {
    const connection = await connect();
    const { call, page } = connection;
    const { urn } = await upload(connection, "image", page, mp4(100));
    moveClock(1);
    const { body } = await call("GET", `images/${encodeURIComponent(urn)}`);
    expect(body).toMatchObject({ status: "PROCESSING_FAILED" });
    const sent = await send(connection, { author: page, content: { media: { id: urn } } });
    expect(sent).toMatchObject({ status: 400, code: "MEDIA_ASSET_PROCESSING_FAILED" });
  });

  it("goes to its own address, exactly as written, for a day", async () => {
    const connection = await connect();
    const { uploadUrl } = (await open(connection, "image", connection.author)).body.value;
    expect(uploadUrl).toContain("%253D");
    const decoded = uploadUrl.replaceAll("%253D", "%3D");
    expect(await put(connection, decoded, testJpeg)).toMatchObject({ status: 404 });
    moveClock(86_400);
    expect(await put(connection, uploadUrl, testJpeg)).toMatchObject({
      status: 401,
      code: "EXPIRED_UPLOAD_URL",
    });
  });
});

it("a document has to have a title", async () => {
  const connection = await connect();
  const bytes = Uint8Array.from(new TextEncoder().encode("%PDF-1.4 a document"));
  const { urn } = await upload(connection, "document", connection.author, bytes);
  moveClock(1);
  const untitled = await send(connection, { content: { media: { id: urn } } });
  expect(untitled).toMatchObject({ status: 400, code: "MISSING_FIELD" });
  const titled = await send(connection, { content: { media: { id: urn, title: "T" } } });
  expect(titled.status).toBe(201);
});

describe("a video", () => {
  const SIZE = 4_194_304 + 1_000;
  const FLAGS = { uploadCaptions: false, uploadThumbnail: false };
  const opened = async (connection: Connection, fileSizeBytes = SIZE) =>
    open(connection, "video", connection.author, { fileSizeBytes, ...FLAGS });
  const finalize = ({ call }: Connection, value: object, uploadedPartIds: string[]) => {
    const { video, uploadToken } = value as { video: string; uploadToken: string };
    return call("POST", "videos?action=finalizeUpload", {
      json: { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } },
    });
  };

  it("is put together from its parts, processed, and posted", async () => {
    const connection = await connect();
    const bytes = mp4(SIZE);
    const { value } = (await opened(connection)).body;
    expect(value.uploadInstructions).toMatchObject([
      { firstByte: 0, lastByte: 4_194_303 },
      { firstByte: 4_194_304, lastByte: SIZE - 1 },
    ]);
    const etags: string[] = [];
    for (const { uploadUrl, firstByte, lastByte } of value.uploadInstructions) {
      const reply = await put(connection, uploadUrl, bytes.slice(firstByte, lastByte + 1));
      expect(reply.status).toBe(200);
      etags.push(reply.etag);
    }
    const wrong = await finalize(connection, value, etags.toReversed());
    expect(wrong).toMatchObject({ status: 400, code: "UPDATING_ASSET_FAILED" });
    expect((await finalize(connection, value, etags)).status).toBe(200);
    expect((await finalize(connection, value, etags)).status).toBe(400);
    const path = `videos/${encodeURIComponent(value.video)}`;
    expect(await connection.call("GET", path)).toMatchObject({
      status: 403,
      code: "ACCESS_DENIED",
    });
    moveClock(6);
    expect((await connection.call("GET", path)).body.status).toBe("AVAILABLE");
    const told = await send(connection, { content: { media: { id: value.video, title: "T" } } });
    expect(told.headers.get("x-restli-id")).toMatch(/^urn:li:ugcPost:/);
    expect(await feedOf(connection)).toMatchObject([
      { media: [{ kind: "video", sizeBytes: SIZE, sha256: await sha256Hex(bytes) }] },
    ]);
  });

  it("takes whole parts of the right type alone", async () => {
    const connection = await connect();
    const { value } = (await opened(connection)).body;
    const [{ uploadUrl }] = value.uploadInstructions;
    expect((await put(connection, uploadUrl, mp4(1_000))).status).toBe(400);
    expect((await put(connection, uploadUrl, mp4(4_194_304), "video/mp4")).status).toBe(400);
    expect(await finalize(connection, value, [])).toMatchObject({
      status: 400,
      code: "UPDATING_ASSET_FAILED",
    });
  });

  it.each([74_999, 500_000_001])("of %i bytes is refused", async (size) => {
    expect(await opened(await connect(), size)).toMatchObject({ status: 400 });
  });
});

describe("steering words", () => {
  it.each([
    ["rate_limited", 429, "TOO_MANY_REQUESTS"],
    ["account_disconnected", 403, "ACCESS_DENIED"],
    ["content_flagged", 422, "UNPROCESSABLE_ENTITY"],
    ["media_invalid", 400, "MEDIA_ASSET_PROCESSING_FAILED"],
    ["platform_unavailable", 426, "NONEXISTENT_VERSION"],
    ["unknown", 400, "INVALID_VALUE_FOR_FIELD"],
    ["token_expired", 401, "EXPIRED_ACCESS_TOKEN"],
    ["5xx=1", 500, "INTERNAL_SERVER_ERROR"],
  ])("%s answers HTTP %i %s", async (word, status, code) => {
    const connection = await connect();
    const commentary = `\\[sandbox:${word.replace("_", "\\_")}\\]`;
    expect(await send(connection, { commentary })).toMatchObject({ status, code });
    expect(await feedOf(connection)).toEqual([]);
  });

  it("lost_reply drops the answer to the post that was made", async () => {
    const connection = await connect();
    const sending = send(connection, { commentary: "\\[sandbox:lost\\_reply\\]" });
    await expect(sending).rejects.toThrow("Network connection lost");
    expect(await feedOf(connection)).toMatchObject([{ received: 1 }]);
  });
});

describe("logins", () => {
  const oauth = async ({ fetch }: Connection, path: string, fields: Record<string, string>) => {
    const reply = await fetch(`${OAUTH}/${path}`, {
      method: "POST",
      body: new URLSearchParams({ client_id: "", client_secret: "", ...fields }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
    return { status: reply.status, body: await reply.json<any>() };
  };

  it("are renewed for 60 days, with the same refresh token", async () => {
    const connection = await connect();
    const refresh_token = connection.refreshToken ?? "";
    const { body } = await oauth(connection, "accessToken", {
      grant_type: "refresh_token",
      refresh_token,
    });
    expect(body).toMatchObject({ expires_in: 5_184_000, refresh_token });
    const headers = { authorization: `Bearer ${body.access_token}` };
    const ask = () => connection.call("GET", "https://api.linkedin.com/v2/userinfo", { headers });
    expect((await ask()).status).toBe(200);
    moveClock(5_184_000);
    expect(await ask()).toMatchObject({ status: 401, code: "EXPIRED_ACCESS_TOKEN" });
  });

  it("end with the refresh token, 365 days after its first use, whatever is renewed in between", async () => {
    const connection = await connect();
    const refresh_token = connection.refreshToken ?? "";
    const renew = () =>
      oauth(connection, "accessToken", { grant_type: "refresh_token", refresh_token });
    await renew();
    for (const day of [0, 59, 300, 364]) {
      moveClock(day * DAY);
      const left = (await renew()).body.refresh_token_expires_in;
      expect(Math.abs(left - (365 - day) * DAY)).toBeLessThan(60);
    }
    moveClock(365 * DAY);
    expect(await renew()).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it.each<[string, Record<string, string>, string]>([
    ["another grant", { grant_type: "password" }, "unsupported_grant_type"],
    ["no token", { grant_type: "refresh_token" }, "invalid_request"],
    ["an unknown token", { grant_type: "refresh_token", refresh_token: "x" }, "invalid_grant"],
  ])("are refused for %s", async (_, fields, error) => {
    expect(await oauth(await connect(), "accessToken", fields)).toMatchObject({
      status: 400,
      body: { error },
    });
  });

  it("end when they are revoked, until the account is connected again", async () => {
    const connection = await connect();
    const { accessToken: token } = sandboxCredentials("linkedin", connection.name);
    const ask = (accessToken: string) =>
      connection.fetch("https://api.linkedin.com/v2/userinfo", {
        headers: { authorization: `Bearer ${accessToken}` },
      });
    expect((await oauth(connection, "revoke", { token })).status).toBe(200);
    expect((await ask(token)).status).toBe(401);
    const anew = sandboxCredentials("linkedin", connection.name, "2");
    expect((await ask(anew.accessToken)).status).toBe(200);
    expect((await ask(token)).status).toBe(401);
  });
});

describe("figures of a page", () => {
  const statistics = (page: string, more: string) =>
    `organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=${encodeURIComponent(page)}${more}`;

  it("tells those of its posts, in a list whose parentheses stand as they are", async () => {
    const connection = await connect();
    const { call, page } = connection;
    const made = await send(connection, { author: page });
    const urn = made.headers.get("x-restli-id") ?? "";
    moveClock(300 * DAY);
    const one = encodeURIComponent(urn);
    const { status, body } = await call("GET", statistics(page, `&shares=List(${one})`));
    expect([status, body.elements]).toMatchObject([200, [{ share: urn }]]);
    const { totalShareStatistics: told } = body.elements[0];
    expect(told.impressionCount).toBeGreaterThan(0);
    const comments = await call("GET", `socialActions/${one}/comments?start=0&count=100`);
    expect(comments.body?.elements?.length ?? 0).toBe(Math.min(100, told.commentCount));
    for (const odd of [`&shares[0]=${one}`, `&shares=List(${urn})`, `&ugcPosts=List(${one})`]) {
      const answer = await call("GET", statistics(page, odd));
      expect(answer.status === 400 || answer.body.elements.length === 0).toBe(true);
    }
  });

  it("tells nothing of a person, nor of pages of others", async () => {
    const { call, author, page } = await connect();
    expect((await call("GET", statistics(author, ""))).status).toBe(403);
    expect((await call("GET", statistics("urn:li:organization:1", ""))).status).toBe(403);
    const size = (urn: string, edge = "COMPANY_FOLLOWED_BY_MEMBER") =>
      call("GET", `networkSizes/${encodeURIComponent(urn)}?edgeType=${edge}`);
    expect((await size(page)).body.firstDegreeSize).toBeGreaterThanOrEqual(50);
    expect((await size(author)).status).toBe(400);
    expect((await size(page, "OTHER")).status).toBe(400);
    const none = await call("GET", "socialActions/urn%3Ali%3Ashare%3A1/comments");
    expect([none.status, none.code]).toEqual([404, "NOT_FOUND"]);
  });
});
