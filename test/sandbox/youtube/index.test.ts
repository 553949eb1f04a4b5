import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { moveClock } from "../../../src/core/clock.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { testJpeg, testPng } from "../../support/videos.ts";
import { mp4, sandbox, unique } from "../support.ts";

afterEach(() => moveClock(0));

const ORIGIN = "https://www.googleapis.com";
const INSERT = `${ORIGIN}/upload/youtube/v3/videos`;
const API = `${ORIGIN}/youtube/v3`;
const OAUTH = "https://oauth2.googleapis.com";
const UNIT = 262_144;

function connect(name = "Ada") {
  const teamId = unique();
  const accountId = `acc_${teamId}`;
  const fetch = createSandboxFetch(env.SANDBOX_STATE, { teamId, accountId, uploadId: unique() });
  const { accessToken, refreshToken } = sandboxCredentials("youtube", `${name} ${teamId}`);
  return { teamId, accountId, fetch, accessToken, refreshToken: refreshToken ?? "" };
}

type Connection = ReturnType<typeof connect>;

/** The status and the reason, as every refusal tells them. */
async function told(reply: Response) {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  const body = await reply.json<any>();
  const [first] = body.error?.errors ?? [];
  if (first) expect(body.error).toMatchObject({ code: reply.status, message: first.message });
  return [reply.status, first?.reason ?? body.error];
}

const get = ({ fetch, accessToken }: Connection, path: string) =>
  fetch(`${API}/${path}`, { headers: { authorization: `Bearer ${accessToken}` } });

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
const read = async (connection: Connection, path: string): Promise<any> => {
  const reply = await get(connection, path);
  expect(reply.status).toBe(200);
  return reply.json();
};

interface Opening {
  size?: number;
  snippet?: object;
  status?: object;
  more?: object;
  query?: string;
  headers?: Record<string, string>;
}

function open({ fetch, accessToken }: Connection, opening: Opening = {}) {
  const { size = 5_000, snippet = {}, status = {}, more = {}, headers = {} } = opening;
  const query = opening.query ?? "uploadType=resumable&part=snippet,status";
  return fetch(`${INSERT}?${query}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${accessToken}`,
      "content-type": "application/json; charset=UTF-8",
      "x-upload-content-length": String(size),
      "x-upload-content-type": "video/mp4",
      ...headers,
    },
    body: JSON.stringify({
      snippet: { title: "Look", ...snippet },
      status: { privacyStatus: "public", ...status },
      ...more,
    }),
  });
}

async function session(connection: Connection, opening: Opening = {}): Promise<string> {
  const reply = await open(connection, opening);
  expect(reply.status).toBe(200);
  expect(await reply.text()).toBe("");
  return reply.headers.get("location") ?? "";
}

const put = (
  { fetch, accessToken }: Connection,
  address: string,
  bytes: Uint8Array<ArrayBuffer>,
  range: string | null,
  headers: Record<string, string> = {},
) =>
  fetch(address, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(range === null ? {} : { "content-range": range }),
      ...headers,
    },
    body: bytes,
    redirect: "manual",
  });

const probe = (connection: Connection, address: string, size: number) =>
  put(connection, address, new Uint8Array(), `bytes */${size}`);

const feedOf = ({ teamId, accountId }: Connection) => sandbox().listPosts({ teamId, accountId });

/** Bytes of the database of all simulated platforms. */
const roomTaken = (): Promise<number> =>
  runInDurableObject(sandbox(), (_, { storage }) => storage.sql.databaseSize);

/** A video that is there, by its id. */
async function upload(
  connection: Connection,
  opening: Opening = {},
  bytes = mp4(opening.size ?? 5_000),
): Promise<string> {
  const address = await session(connection, opening);
  const reply = await put(connection, address, bytes, null);
  return (await reply.json<{ id: string }>()).id;
}

describe("the privacy of an upload", () => {
  const privacyOf = async (connection: Connection, opening: Opening) => {
    const id = await upload(connection, opening);
    const { items } = await read(connection, `videos?part=status&id=${id}`);
    return items[0].status.privacyStatus;
  };

  it("is public where none was asked for", async () => {
    expect(await privacyOf(connect(), { status: { privacyStatus: undefined } })).toBe("public");
    expect(await privacyOf(connect(), { status: { privacyStatus: "unlisted" } })).toBe("unlisted");
  });

  it("is private on a channel whose settings want it", async () => {
    const connection = connect("Private uploads");
    expect(await privacyOf(connection, { status: { privacyStatus: "public" } })).toBe("private");
  });
});

describe("an upload", () => {
  it("takes chunks, and with the last byte the video is there", async () => {
    const connection = connect();
    const size = 2 * UNIT + 100;
    const bytes = mp4(size);
    const address = await session(connection, { size });
    expect(address).toMatch(/^https:\/\/www\.googleapis\.com\/upload\/youtube\/v3\/videos\?/);
    const empty = await probe(connection, address, size);
    expect([empty.status, empty.headers.get("range")]).toEqual([308, null]);

    const first = await put(
      connection,
      address,
      bytes.slice(0, UNIT),
      `bytes 0-${UNIT - 1}/${size}`,
    );
    expect([first.status, first.headers.get("range")]).toEqual([308, `bytes=0-${UNIT - 1}`]);
    const half = await probe(connection, address, size);
    expect([half.status, half.headers.get("range")]).toEqual([308, `bytes=0-${UNIT - 1}`]);
    await put(
      connection,
      address,
      bytes.slice(UNIT, 2 * UNIT),
      `bytes ${UNIT}-${2 * UNIT - 1}/${size}`,
    );
    expect(await feedOf(connection)).toEqual([]);

    const rest = `bytes ${2 * UNIT}-${size - 1}/${size}`;
    const last = await put(connection, address, bytes.slice(2 * UNIT), rest);
    expect(last.status).toBe(200);
    const video = await last.json<{ id: string }>();
    expect(video).toMatchObject({
      kind: "youtube#video",
      id: expect.stringMatching(/^[\w-]{11}$/),
      snippet: { title: "Look" },
      status: { uploadStatus: "uploaded", privacyStatus: "public" },
    });
    expect(video).not.toHaveProperty("contentDetails");
    expect(await feedOf(connection)).toMatchObject([
      {
        text: "Look",
        received: 1,
        url: `https://www.youtube.com/watch?v=${video.id}`,
        media: [{ mime: "video/mp4", sizeBytes: size, sha256: await sha256Hex(bytes) }],
      },
    ]);
  });

  it("of long stretches of zeros is kept byte by byte, and takes hardly any room", async () => {
    const connection = connect();
    const size = 16 * UNIT + 100;
    const bytes = new Uint8Array(size);
    bytes.set(mp4(UNIT));
    bytes.set(mp4(100), size - 100);
    const roomBefore = await roomTaken();
    const id = await upload(connection, { size }, bytes);
    expect((await roomTaken()) - roomBefore).toBeLessThan(size / 2);
    const [post] = await feedOf(connection);
    expect(post).toMatchObject({ url: expect.stringContaining(id), media: [{ sizeBytes: size }] });
    const [file] = post?.media ?? [];
    const whole = await sandbox().readMedia(file?.id ?? 0, connection.teamId);
    const kept = new Uint8Array(await new Response(whole?.body).arrayBuffer());
    expect(await sha256Hex(kept)).toBe(await sha256Hex(bytes));
    const part = await sandbox().readMedia(
      file?.id ?? 0,
      connection.teamId,
      `bytes=${UNIT - 3}-${UNIT + 4}`,
    );
    const around = new Uint8Array(await new Response(part?.body).arrayBuffer());
    expect(around).toEqual(bytes.slice(UNIT - 3, UNIT + 5));
  });

  it("replays the video to whoever asks or sends again", async () => {
    const connection = connect();
    const bytes = mp4(5_000);
    const address = await session(connection);
    const { id } = await (await put(connection, address, bytes, null)).json<{ id: string }>();
    for (const again of [
      await probe(connection, address, 5_000),
      await put(connection, address, bytes, "bytes 0-4999/5000"),
    ]) {
      expect(again.status).toBe(200);
      expect(await again.json()).toMatchObject({ id });
    }
    expect(await feedOf(connection)).toMatchObject([{ received: 1 }]);
  });

  it("says a 308 in another form to whoever wants that", async () => {
    const connection = connect();
    const address = await session(connection);
    const headers = { "x-guploader-no-308": "yes" };
    const reply = await put(connection, address, new Uint8Array(), "bytes */5000", headers);
    expect([reply.status, reply.headers.get("x-http-status-code-override")]).toEqual([200, "308"]);
  });

  it.each<[string, number, string | null]>([
    ["another beginning", UNIT, `bytes ${UNIT}-${2 * UNIT - 1}/${2 * UNIT + 100}`],
    ["another total", UNIT, `bytes 0-${UNIT - 1}/${2 * UNIT + 101}`],
    ["another length than its range", UNIT - 1, `bytes 0-${UNIT - 1}/${2 * UNIT + 100}`],
    ["an odd size", UNIT + 1, `bytes 0-${UNIT}/${2 * UNIT + 100}`],
    ["no range", UNIT, null],
    ["a range that cannot be read", UNIT, "0-100"],
    ["a question with a body", UNIT, `bytes */${2 * UNIT + 100}`],
    ["a question about another size", 0, "bytes */17"],
  ])("refuses a chunk with %s", async (_, length, range) => {
    const connection = connect();
    const size = 2 * UNIT + 100;
    const address = await session(connection, { size });
    const reply = await put(connection, address, mp4(Math.max(length, 24)).slice(0, length), range);
    expect(await told(reply)).toEqual([400, "badRequest"]);
    expect((await probe(connection, address, size)).headers.get("range")).toBeNull();
  });

  it("refuses chunks of different sizes", async () => {
    const connection = connect();
    const size = 4 * UNIT;
    const address = await session(connection, { size });
    const bytes = mp4(size);
    await put(connection, address, bytes.slice(0, UNIT), `bytes 0-${UNIT - 1}/${size}`);
    const range = `bytes ${UNIT}-${3 * UNIT - 1}/${size}`;
    const other = await put(connection, address, bytes.slice(UNIT, 3 * UNIT), range);
    expect(await told(other)).toEqual([400, "badRequest"]);
  });

  it("ends: unknown (404), after a week (410), with a bad token (401)", async () => {
    const connection = connect();
    const address = await session(connection);
    const unknown = await probe(connection, `${address}x`, 5_000);
    expect(await told(unknown)).toEqual([404, "notFound"]);
    const stranger = await probe({ ...connection, accessToken: "no" }, address, 5_000);
    expect(await told(stranger)).toEqual([401, "authError"]);
    moveClock(7 * 86_400);
    expect(await told(await probe(connection, address, 5_000))).toEqual([410, "gone"]);
  });

  it("that is no video is found out later, and stands nowhere", async () => {
    const connection = connect();
    const address = await session(connection, { size: 10 });
    const reply = await put(connection, address, new Uint8Array(10), null);
    const { id } = await reply.json<{ id: string }>();
    moveClock(3);
    expect(await read(connection, `videos?part=status&id=${id}`)).toMatchObject({
      items: [{ status: { uploadStatus: "failed", failureReason: "invalidFile" } }],
    });
    expect(await feedOf(connection)).toEqual([]);
  });
});

const PARTS = "uploadType=resumable&part=";

describe("what an upload is opened with", () => {
  it("may say everything", async () => {
    const opening: Opening = {
      snippet: {
        title: "x".repeat(100),
        description: "é".repeat(2_500),
        tags: ["x".repeat(248), `${"x".repeat(247)} y`],
        categoryId: "10",
        defaultLanguage: "en",
        defaultAudioLanguage: "pt-BR",
      },
      status: {
        privacyStatus: "private",
        publishAt: "2030-01-01T00:00:00.000Z",
        embeddable: false,
        license: "creativeCommon",
        publicStatsViewable: false,
        selfDeclaredMadeForKids: true,
        containsSyntheticMedia: true,
      },
      more: {
        recordingDetails: { recordingDate: "2026-11-01T00:00:00.000Z" },
        paidProductPlacementDetails: { hasPaidProductPlacement: true },
      },
      query: `${PARTS}snippet,status,recordingDetails,paidProductPlacementDetails&notifySubscribers=false`,
    };
    expect((await open(connect(), opening)).status).toBe(200);
  });

  it.each<[string, Opening, string]>([
    ["an empty title", { snippet: { title: " " } }, "invalidTitle"],
    ["a title of 101 characters", { snippet: { title: "x".repeat(101) } }, "invalidTitle"],
    ["< in the title", { snippet: { title: "a<b" } }, "invalidTitle"],
    ["5,001 bytes", { snippet: { description: `x${"é".repeat(2_500)}` } }, "invalidDescription"],
    ["> in the description", { snippet: { description: ">" } }, "invalidDescription"],
    [
      "501 characters of tags",
      { snippet: { tags: ["x".repeat(249), `${"x".repeat(247)} y`] } },
      "invalidTags",
    ],
    ["an unknown category", { snippet: { categoryId: "999" } }, "invalidCategoryId"],
    ["no language", { snippet: { defaultLanguage: "not a tag" } }, "invalidVideoMetadata"],
    [
      "a date for a public video",
      { status: { publishAt: "2030-01-01T00:00:00Z" } },
      "invalidPublishAt",
    ],
    ["no date", { status: { privacyStatus: "private", publishAt: "soon" } }, "invalidPublishAt"],
    ["an unknown privacy", { status: { privacyStatus: "friends" } }, "invalidVideoMetadata"],
    [
      "a bad recording date",
      {
        more: { recordingDetails: { recordingDate: "2026" } },
        query: `${PARTS}snippet,status,recordingDetails`,
      },
      "invalidRecordingDetails",
    ],
    ["a field that is read only", { status: { madeForKids: true } }, "invalidParameter"],
    ["a part that is not named", { query: `${PARTS}snippet` }, "unexpectedPart"],
    [
      "regions, which are for content owners",
      {
        more: { contentDetails: { regionRestriction: { allowed: ["DE"] } } },
        query: `${PARTS}snippet,status,contentDetails`,
      },
      "invalidVideoMetadata",
    ],
    ["an unknown part", { query: `${PARTS}snippet,status,colour` }, "unknownPart"],
    ["no part", { query: "uploadType=resumable" }, "missingRequiredParameter"],
    ["an unknown parameter", { query: `${PARTS}snippet,status&colour=red` }, "invalidParameter"],
    [
      "a notifySubscribers that is no boolean",
      { query: `${PARTS}snippet,status&notifySubscribers=1` },
      "invalidParameter",
    ],
    [
      "another kind of upload",
      { query: "uploadType=multipart&part=snippet,status" },
      "invalidParameter",
    ],
    ["an image", { headers: { "x-upload-content-type": "image/png" } }, "badContent"],
    ["a form", { headers: { "content-type": "text/plain" } }, "badContent"],
    ["no size", { size: 0 }, "mediaBodyRequired"],
    ["more than 256 GB", { size: 274_877_906_945 }, "mediaBodyRequired"],
  ])("refuses %s", async (_, opening, reason) => {
    expect(await told(await open(connect(), opening))).toEqual([400, reason]);
  });

  it("refuses a body that is no JSON object", async () => {
    const { fetch, accessToken } = connect();
    const reply = await fetch(`${INSERT}?${PARTS}snippet`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${accessToken}`,
        "content-type": "application/json",
        "x-upload-content-length": "10",
        "x-upload-content-type": "video/mp4",
      },
      body: "[1",
    });
    expect(await told(reply)).toEqual([400, "parseError"]);
  });

  it("refuses wrong verbs and paths", async () => {
    const connection = connect();
    expect(await told(await get(connection, "search?part=id"))).toEqual([404, "notFound"]);
    const { fetch, accessToken } = connection;
    const headers = { authorization: `Bearer ${accessToken}` };
    const wrong = await fetch(`${API}/videos?part=status&id=x`, { method: "POST", headers });
    expect(await told(wrong)).toEqual([404, "notFound"]);
  });
});

describe("steering words", () => {
  const title = (words: string) => ({ snippet: { title: words } });

  it.each([
    ["rate_limited", 400, "uploadLimitExceeded"],
    ["account_disconnected", 403, "authenticatedUserAccountSuspended"],
    ["unknown", 400, "invalidVideoMetadata"],
    ["token_expired", 401, "authError"],
  ])("%s refuses the opening (%i %s)", async (word, status, reason) => {
    expect(await told(await open(connect(), title(`[sandbox:${word}]`)))).toEqual([status, reason]);
  });

  it.each([
    ["content_flagged", { uploadStatus: "rejected", rejectionReason: "copyright" }],
    ["media_invalid", { uploadStatus: "failed", failureReason: "codec" }],
    ["platform_unavailable", { uploadStatus: "failed", failureReason: "uploadAborted" }],
  ])("%s is what YouTube finds in the video", async (word, status) => {
    const connection = connect();
    const id = await upload(connection, { snippet: { description: `[sandbox:${word}]` } });
    moveClock(3);
    const list = await read(connection, `videos?part=status&id=${id}`);
    expect(list.items).toMatchObject([{ status }]);
    expect(await feedOf(connection)).toEqual([]);
  });

  it("5xx fails the last chunk alone, without taking it", async () => {
    const connection = connect();
    const size = UNIT + 100;
    const bytes = mp4(size);
    const address = await session(connection, { size, ...title("[sandbox:5xx=1]") });
    const first = `bytes 0-${UNIT - 1}/${size}`;
    expect((await put(connection, address, bytes.slice(0, UNIT), first)).status).toBe(308);
    const last = `bytes ${UNIT}-${size - 1}/${size}`;
    const rough = await put(connection, address, bytes.slice(UNIT), last);
    expect(await told(rough)).toEqual([503, "backendError"]);
    expect((await probe(connection, address, size)).headers.get("range")).toBe(
      `bytes=0-${UNIT - 1}`,
    );
    expect((await put(connection, address, bytes.slice(UNIT), last)).status).toBe(200);
  });

  it("lost_reply takes the last chunk and drops the answer", async () => {
    const connection = connect();
    const address = await session(connection, title("[sandbox:lost_reply]"));
    await expect(put(connection, address, mp4(5_000), null)).rejects.toThrow("lost");
    expect((await probe(connection, address, 5_000)).status).toBe(200);
    expect(await feedOf(connection)).toMatchObject([{ received: 1 }]);
  });

  it("slow makes the processing slow", async () => {
    const connection = connect();
    const id = await upload(connection, title("[sandbox:slow=90]"));
    const statusOf = async () =>
      (await read(connection, `videos?part=status&id=${id}`)).items[0].status.uploadStatus;
    moveClock(89);
    expect(await statusOf()).toBe("uploaded");
    moveClock(90);
    expect(await statusOf()).toBe("processed");
  });
});

describe("reading", () => {
  it("shows the channel and its uploads, newest first", async () => {
    const connection = connect();
    const { items } = await read(connection, "channels?part=id,snippet,contentDetails&mine=true");
    const [{ id, snippet, contentDetails }] = items;
    expect(id).toMatch(/^UC[\w-]{22}$/);
    expect(snippet).toMatchObject({ customUrl: expect.stringMatching(/^@ada_\d+$/) });
    const uploads = contentDetails.relatedPlaylists.uploads;
    const older = await upload(connection, { status: { privacyStatus: "private" } });
    moveClock(1);
    const newer = await upload(connection, { snippet: { title: "Newer" } });
    const list = await read(
      connection,
      `playlistItems?part=contentDetails,snippet&playlistId=${uploads}&maxResults=50`,
    );
    expect(list.items).toMatchObject([
      { contentDetails: { videoId: newer }, snippet: { title: "Newer" } },
      { contentDetails: { videoId: older }, snippet: { title: "Look" } },
    ]);
  });

  it("makes a scheduled video public in time", async () => {
    const connection = connect();
    const publishAt = new Date(Date.now() + 3_600_000).toISOString();
    const id = await upload(connection, { status: { privacyStatus: "private", publishAt } });
    const statusOf = async () =>
      (await read(connection, `videos?part=status&id=${id}`)).items[0].status;
    expect(await statusOf()).toMatchObject({ privacyStatus: "private", publishAt });
    moveClock(3_700);
    expect(await statusOf()).toMatchObject({ privacyStatus: "public" });
  });

  it.each([
    ["channels?part=snippet", 400, "missingRequiredParameter"],
    ["channels?mine=true", 400, "missingRequiredParameter"],
    ["channels?part=colour&mine=true", 400, "unknownPart"],
    ["videos?part=status", 400, "missingRequiredParameter"],
    ["playlistItems?part=snippet&playlistId=UUother", 404, "playlistNotFound"],
    ["playlistItems?part=snippet&playlistId=UUother&maxResults=51", 400, "invalidParameter"],
  ])("refuses %s (%i %s)", async (path, status, reason) => {
    expect(await told(await get(connect(), path))).toEqual([status, reason]);
  });

  it("shows nobody else's videos", async () => {
    const id = await upload(connect());
    expect((await read(connect(), `videos?part=status&id=${id}`)).items).toEqual([]);
  });

  it("wants a token", async () => {
    const reply = await connect().fetch(`${API}/channels?part=id&mine=true`);
    expect(await told(reply)).toEqual([401, "required"]);
  });
});

describe("a thumbnail", () => {
  const set = (
    { fetch, accessToken }: Connection,
    id: string,
    body: Uint8Array<ArrayBuffer>,
    type = "image/jpeg",
  ) =>
    fetch(`${ORIGIN}/upload/youtube/v3/thumbnails/set?videoId=${id}&uploadType=media`, {
      method: "POST",
      headers: { authorization: `Bearer ${accessToken}`, "content-type": type },
      body,
    });

  it("stands among the fields of the post", async () => {
    const connection = connect();
    const id = await upload(connection);
    expect((await set(connection, id, testJpeg)).status).toBe(200);
    expect((await set(connection, id, testPng, "image/png")).status).toBe(200);
    const [post] = await feedOf(connection);
    expect(post?.received).toBe(1);
    expect(JSON.parse(post?.fieldsJson ?? "")).toMatchObject({
      snippet: { title: "Look" },
      thumbnail: {
        mime: "image/png",
        sizeBytes: testPng.byteLength,
        sha256: await sha256Hex(testPng),
      },
    });
  });

  it.each<[string, () => Uint8Array<ArrayBuffer>, string, string]>([
    ["nothing", () => new Uint8Array(), "image/jpeg", "mediaBodyRequired"],
    ["a PNG as JPEG", () => testPng, "image/jpeg", "invalidImage"],
    ["a video", () => mp4(100), "video/mp4", "invalidImage"],
    ["more than 50 MB", () => new Uint8Array(52_428_801), "image/png", "invalidImage"],
  ])("refuses %s", async (_, body, type, reason) => {
    const connection = connect();
    const id = await upload(connection);
    expect(await told(await set(connection, id, body(), type))).toEqual([400, reason]);
  });

  it("refuses one for another channel's video", async () => {
    const id = await upload(connect());
    expect(await told(await set(connect(), id, testJpeg))).toEqual([404, "videoNotFound"]);
  });
});

describe("tokens", () => {
  const form = ({ fetch }: Connection, path: string, fields: Record<string, string>) =>
    fetch(OAUTH + path, { method: "POST", body: new URLSearchParams(fields) });
  const grant = (refresh_token: string) => ({
    grant_type: "refresh_token",
    refresh_token,
    client_id: "",
    client_secret: "",
  });

  it("are renewed for an hour; the refresh token stays", async () => {
    const connection = connect();
    const reply = await form(connection, "/token", grant(connection.refreshToken));
    const tokens = await reply.json<{ access_token: string; expires_in: number }>();
    expect(tokens).toMatchObject({ expires_in: 3_599, token_type: "Bearer" });
    expect(tokens).not.toHaveProperty("refresh_token");
    const renewed = { ...connection, accessToken: tokens.access_token };
    await read(renewed, "channels?part=id&mine=true");
    moveClock(3_600);
    expect(await told(await get(renewed, "channels?part=id&mine=true"))).toEqual([
      401,
      "authError",
    ]);
    expect((await form(connection, "/token", grant(connection.refreshToken))).status).toBe(200);
  });

  it.each<[string, Record<string, string>, string]>([
    ["a stranger's token", grant("no"), "invalid_grant"],
    ["another grant", { ...grant("no"), grant_type: "password" }, "unsupported_grant_type"],
    ["no keys", { grant_type: "refresh_token", refresh_token: "no" }, "invalid_request"],
  ])("are refused for %s", async (_, fields, reason) => {
    expect(await told(await form(connect(), "/token", fields))).toEqual([400, reason]);
  });

  it("end together", async () => {
    const connection = connect();
    await read(connection, "channels?part=id&mine=true");
    const { refreshToken } = connection;
    expect((await form(connection, "/revoke", { token: refreshToken })).status).toBe(200);
    const again = await form(connection, "/revoke", { token: refreshToken });
    expect(await told(again)).toEqual([400, "invalid_token"]);
    expect((await get(connection, "channels?part=id&mine=true")).status).toBe(401);
    expect((await form(connection, "/token", grant(refreshToken))).status).toBe(400);
  });
});

it("lists no comments under a private video", async () => {
  const connection = connect();
  const listOf = async (privacyStatus: string) => {
    const id = await upload(connection, { status: { privacyStatus } });
    return get(connection, `commentThreads?part=snippet&videoId=${id}`);
  };
  expect(await told(await listOf("private"))).toEqual([403, "commentsDisabled"]);
  expect((await listOf("unlisted")).status).toBe(200);
});
