import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { moveClock } from "../../../src/core/clock.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { mediaPath } from "../../../src/features/media/files.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { createMember, form, Harness } from "../../support/harness.ts";
import { testJpeg } from "../../support/videos.ts";
import { mp4, sandbox, unique } from "../support.ts";

afterEach(() => moveClock(0));

const API = "https://open.tiktokapis.com/v2";
const POSTS = `${API}/post/publish`;

function connect(person = "Ada", teamId = unique()) {
  const accountId = `acc_${unique()}`;
  const name = `${person} ${teamId}`;
  const uploadId = unique();
  const fetch = createSandboxFetch(env.SANDBOX_STATE, { teamId, accountId, uploadId });
  const { accessToken, refreshToken } = sandboxCredentials("tiktok", name);
  return { teamId, accountId, name, fetch, accessToken, refreshToken: refreshToken ?? "" };
}

type Connection = ReturnType<typeof connect>;

interface Told {
  status: number;
  code: string;
  message: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  data: any;
}

async function tell(
  { fetch, accessToken }: Pick<Connection, "fetch" | "accessToken">,
  url: string,
  body: unknown = {},
  headers: Record<string, string> = {},
): Promise<Told> {
  const reply = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${accessToken}`,
      "content-type": "application/json; charset=UTF-8",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  const answer = await reply.json<any>();
  const { code, message } = answer.error;
  return { status: reply.status, code, message, data: answer.data };
}

const postInfo = (change: object = {}) => ({
  privacy_level: "PUBLIC_TO_EVERYONE",
  title: "Look",
  brand_content_toggle: false,
  ...change,
});

const source = (size: number, chunk = size, count = 1) => ({
  source: "FILE_UPLOAD",
  video_size: size,
  chunk_size: chunk,
  total_chunk_count: count,
});

const init = (connection: Connection, size: number, info: object = {}, chunk = size, count = 1) =>
  tell(connection, `${POSTS}/video/init/`, {
    post_info: postInfo(info),
    source_info: source(size, chunk, count),
  });

const put = (
  { fetch }: Connection,
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  range: string,
  headers: Record<string, string> = {},
) =>
  fetch(url, {
    method: "PUT",
    headers: { "content-type": "video/mp4", "content-range": range, ...headers },
    body: bytes,
  });

const statusOf = async (connection: Connection, publish_id: string) =>
  (await tell(connection, `${POSTS}/status/fetch/`, { publish_id })).data;

const feedOf = ({ teamId, accountId }: Connection) => sandbox().listPosts({ teamId, accountId });

describe("a video", () => {
  it("is processed for 3 seconds by the clock, looked through for 2, then has an id of 19 digits", async () => {
    const connection = connect();
    const bytes = mp4(5_000);
    const { data } = await init(connection, 5_000);
    expect(await statusOf(connection, data.publish_id)).toEqual({
      status: "PROCESSING_UPLOAD",
      uploaded_bytes: 0,
    });
    const reply = await put(connection, data.upload_url, bytes, "bytes 0-4999/5000");
    expect(reply.status).toBe(201);
    expect(reply.headers.get("content-range")).toBe("bytes 0-5000/5000");
    expect(await statusOf(connection, data.publish_id)).toEqual({
      status: "PROCESSING_UPLOAD",
      uploaded_bytes: 5_000,
    });
    moveClock(3);
    expect(await statusOf(connection, data.publish_id)).toMatchObject({
      status: "PUBLISH_COMPLETE",
      publicaly_available_post_id: [],
    });
    expect((await tell(connection, `${API}/video/list/?fields=id`)).data.videos).toEqual([]);
    moveClock(5);
    const done = await connection.fetch(`${POSTS}/status/fetch/`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${connection.accessToken}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ publish_id: data.publish_id }),
    });
    expect(await done.text()).toMatch(/"publicaly_available_post_id":\[75\d{17}\]/);
    const [post] = await feedOf(connection);
    expect(post).toMatchObject({
      text: "Look",
      received: 1,
      url: expect.stringMatching(/@ada_\d+\/video\/75\d{17}$/),
      media: [
        { kind: "video", mime: "video/mp4", sizeBytes: 5_000, sha256: await sha256Hex(bytes) },
      ],
    });
    const list = await tell(connection, `${API}/video/list/?fields=id,title`, { max_count: 20 });
    expect(list.data.videos).toEqual([{ id: post?.url.split("/").at(-1), title: "Look" }]);
  });

  it("of an app that is not audited is for the creator alone", async () => {
    const connection = connect("Unaudited Ada");
    expect(await init(connection, 5_000)).toMatchObject({
      status: 403,
      code: "unaudited_client_can_only_post_to_private_accounts",
    });
    expect(await init(connection, 5_000, { privacy_level: "SELF_ONLY" })).toMatchObject({
      status: 200,
    });
  });

  it("of an app that is not audited is refused for a public account", async () => {
    const connection = connect("Unaudited public Ada");
    expect(await init(connection, 5_000, { privacy_level: "SELF_ONLY" })).toMatchObject({
      status: 403,
      code: "unaudited_client_can_only_post_to_private_accounts",
    });
  });

  it("of an app that is not audited comes from five users in 24 hours", async () => {
    const team = unique();
    const people = ["A", "B", "C", "D", "E", "F"].map((name) => connect(`Unaudited ${name}`, team));
    const answers: object[] = [];
    for (const one of people) {
      answers.push(await init(one, 5_000, { privacy_level: "SELF_ONLY" }));
    }
    expect(answers.slice(0, 5)).toMatchObject(Array(5).fill({ status: 200 }));
    expect(answers[5]).toMatchObject({ status: 403, code: "reached_active_user_cap" });
    const [first, last] = [people[0], people[5]] as [Connection, Connection];
    expect(await init(first, 5_000, { privacy_level: "SELF_ONLY" })).toMatchObject({ status: 200 });
    moveClock(24 * 3_600 + 1);
    expect(await init(last, 5_000, { privacy_level: "SELF_ONLY" })).toMatchObject({ status: 200 });
  });

  it("of an account that is looked through for long has no id for an hour", async () => {
    const connection = connect("Moderated Ada");
    const { data } = await init(connection, 5_000);
    await put(connection, data.upload_url, mp4(5_000), "bytes 0-4999/5000");
    moveClock(3_602);
    expect((await statusOf(connection, data.publish_id)).publicaly_available_post_id).toEqual([]);
    moveClock(3_604);
    expect((await statusOf(connection, data.publish_id)).publicaly_available_post_id).toHaveLength(
      1,
    );
  });

  it("of the creator alone gets no id and is not listed", async () => {
    const connection = connect();
    const { data } = await init(connection, 5_000, { privacy_level: "SELF_ONLY" });
    await put(connection, data.upload_url, mp4(5_000), "bytes 0-4999/5000");
    moveClock(3);
    expect(await statusOf(connection, data.publish_id)).toMatchObject({
      status: "PUBLISH_COMPLETE",
      publicaly_available_post_id: [],
    });
    const list = await tell(connection, `${API}/video/list/?fields=id`, {});
    expect(list.data).toMatchObject({ videos: [], has_more: false });
  });

  it("that is none is given up after its last chunk", async () => {
    const connection = connect();
    const { data } = await init(connection, 5_000);
    await put(connection, data.upload_url, new Uint8Array(5_000), "bytes 0-4999/5000");
    moveClock(3);
    expect(await statusOf(connection, data.publish_id)).toMatchObject({
      status: "FAILED",
      fail_reason: "file_format_check_failed",
    });
    expect(await feedOf(connection)).toEqual([]);
  });

  it.each<[string, number, number, number]>([
    ["rounds the count up", 65_000_000, 10_000_000, 7],
    ["has chunks below 5 MB", 20_000_000, 4_000_000, 5],
    ["has chunks above 64 MB", 200_000_000, 65_000_000, 3],
    ["is one chunk of another size", 65_000_000, 64_000_000, 1],
    ["is one chunk above 64 MB", 65_000_000, 65_000_000, 1],
  ])("is refused when its plan %s", async (_, size, chunk, count) => {
    expect(await init(connect(), size, {}, chunk, count)).toMatchObject({
      status: 400,
      code: "invalid_params",
    });
  });

  it.each<[string, object, number, string]>([
    ["an unknown field", { text: "Look" }, 400, "invalid_params"],
    ["a text of 2,201 characters", { title: "x".repeat(2_201) }, 400, "invalid_params"],
    [
      "a level of nobody",
      { privacy_level: "FOLLOWER_OF_CREATOR" },
      403,
      "privacy_level_option_mismatch",
    ],
    ["no level", { privacy_level: undefined }, 400, "invalid_params"],
    ["no brand toggle", { brand_content_toggle: undefined }, 400, "invalid_params"],
    ["a boolean as text", { disable_duet: "true" }, 400, "invalid_params"],
    [
      "private branded content",
      { brand_content_toggle: true, privacy_level: "SELF_ONLY" },
      400,
      "invalid_params",
    ],
  ])("is refused with %s", async (_, info, status, code) => {
    expect(await init(connect(), 5_000, info)).toMatchObject({ status, code });
  });

  it("arrives chunk by chunk, in order, each of its size", async () => {
    const connection = connect();
    const size = 11_000_000;
    const chunk = 5_500_000;
    const bytes = mp4(size);
    const { data } = await init(connection, size, {}, chunk, 2);
    const first = bytes.slice(0, chunk);
    const second = bytes.slice(chunk);
    const send = (part: Uint8Array<ArrayBuffer>, range: string, headers = {}) =>
      put(connection, data.upload_url, part, range, headers);
    const refusals: [number, Promise<Response>][] = [
      [416, send(second, `bytes ${chunk}-${size - 1}/${size}`)],
      [400, send(first, `bytes 0-${chunk - 1}/${size + 1}`)],
      [400, send(first.slice(1), `bytes 0-${chunk - 2}/${size}`)],
      [400, send(first.slice(1), `bytes 0-${chunk - 1}/${size}`)],
      [400, send(first, `0-${chunk - 1}`)],
      [400, send(first, `bytes 0-${chunk - 1}/${size}`, { "content-type": "image/png" })],
    ];
    for (const [status, reply] of refusals) expect((await reply).status).toBe(status);

    const taken = await send(first, `bytes 0-${chunk - 1}/${size}`);
    expect([taken.status, taken.headers.get("content-range")]).toEqual([
      206,
      `bytes 0-${chunk}/${size}`,
    ]);
    const again = await send(first, `bytes 0-${chunk - 1}/${size}`);
    expect([again.status, again.headers.get("content-range")]).toEqual([
      416,
      `bytes 0-${chunk}/${size}`,
    ]);
    expect((await send(second, `bytes ${chunk}-${size - 1}/${size}`)).status).toBe(201);
    expect(await feedOf(connection)).toMatchObject([
      { media: [{ sizeBytes: size, sha256: await sha256Hex(bytes) }] },
    ]);
  }, 30_000);

  it("has an hour, and an address that cannot be guessed", async () => {
    const connection = connect();
    const { data } = await init(connection, 5_000);
    const guessed = data.upload_url.replace(/upload_token=.*/, "upload_token=0");
    expect((await put(connection, guessed, mp4(5_000), "bytes 0-4999/5000")).status).toBe(404);
    moveClock(3_600);
    const late = await put(connection, data.upload_url, mp4(5_000), "bytes 0-4999/5000");
    expect(late.status).toBe(403);
  });

  it("for the inbox takes no text and ends there", async () => {
    const connection = connect();
    const url = `${POSTS}/inbox/video/init/`;
    const refused = await tell(connection, url, {
      post_info: postInfo(),
      source_info: source(5_000),
    });
    expect(refused.code).toBe("invalid_params");
    const { data } = await tell(connection, url, { source_info: source(5_000) });
    await put(connection, data.upload_url, mp4(5_000), "bytes 0-4999/5000");
    moveClock(3);
    expect(await statusOf(connection, data.publish_id)).toMatchObject({
      status: "SEND_TO_USER_INBOX",
    });
  });
});

/** The JPEG whose header declares this size. */
function jpegOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = testJpeg.slice();
  const size = new DataView(bytes.buffer);
  const frame = bytes.findIndex(
    (byte, i) => byte === 0xff && [0xc0, 0xc2].includes(bytes[i + 1] ?? 0),
  );
  size.setUint16(frame + 5, height);
  size.setUint16(frame + 7, width);
  return bytes;
}

describe("photos", () => {
  const photos = (change: object = {}, info: object = {}, from: object = {}) => ({
    media_type: "PHOTO",
    post_mode: "DIRECT_POST",
    post_info: { ...postInfo({ brand_organic_toggle: false }), ...info },
    source_info: {
      source: "PULL_FROM_URL",
      photo_images: ["https://example.com/a.jpg"],
      photo_cover_index: 0,
      ...from,
    },
    ...change,
  });
  const many = (count: number) => Array.from({ length: count }, () => "https://example.com/a.jpg");

  it.each([
    ["an address elsewhere", "https://example.com/a.jpg"],
    ["an address of ours without a signature", "https://akimbo.test/media/1/00/vertical"],
  ])("at %s cannot be pulled, and nothing leaves the machine", async (_, url) => {
    const connection = connect();
    const input = photos({}, {}, { photo_images: [url] });
    const { data } = await tell(connection, `${POSTS}/content/init/`, input);
    expect(await statusOf(connection, data.publish_id)).toEqual({ status: "PROCESSING_DOWNLOAD" });
    moveClock(3);
    expect(await statusOf(connection, data.publish_id)).toEqual({
      status: "FAILED",
      fail_reason: "photo_pull_failed",
    });
    expect(await feedOf(connection)).toEqual([]);
  });

  it.each<[number, number, object]>([
    [1_080, 1_920, { status: "PUBLISH_COMPLETE" }],
    [1_081, 1_920, { status: "FAILED", fail_reason: "picture_size_check_failed" }],
    [1_080, 1_921, { status: "FAILED", fail_reason: "picture_size_check_failed" }],
  ])(
    "of %i x %i are held against the 1080 x 1920 that TikTok takes",
    async (width, height, end) => {
      const harness = new Harness();
      const { token, teamId } = await createMember();
      const connected = await harness.call("POST", "/accounts", {
        token,
        json: { platform: "tiktok", sandbox: true, name: `Ada ${teamId}` },
      });
      const accountId: string = connected.body.data.id;
      const bytes = jpegOf(width, height);
      const body = form({ accountId, title: "Stored", status: "draft", photo: new Blob([bytes]) });
      expect(await harness.call("POST", "/upload", { token, body })).toMatchObject({ status: 200 });
      const path = await mediaPath(harness.deps, teamId, await sha256Hex(bytes));
      const origin = { teamId, accountId, uploadId: unique() };
      const { accessToken } = sandboxCredentials("tiktok", `Ada ${teamId}`);
      const connection = {
        ...connect(),
        accessToken,
        fetch: createSandboxFetch(env.SANDBOX_STATE, origin),
      };
      const input = photos({}, {}, { photo_images: [`https://akimbo.test${path}`] });
      const { data } = await tell(connection, `${POSTS}/content/init/`, input);
      moveClock(3);
      expect(await statusOf(connection, data.publish_id)).toMatchObject(end);
    },
  );

  it.each<[string, object]>([
    ["36 of them", photos({}, {}, { photo_images: many(36) })],
    ["none", photos({}, {}, { photo_images: [] })],
    ["a cover that is not there", photos({}, {}, { photo_cover_index: 1 })],
    ["a title of 91 characters", photos({}, { title: "x".repeat(91) })],
    ["a description of 4,001", photos({}, { description: "x".repeat(4_001) })],
    ["a duet setting", photos({}, { disable_duet: true })],
    ["is_aigc among the texts", photos({}, { is_aigc: true })],
    ["a video's media type", photos({ media_type: "VIDEO" })],
    ["a level in a draft", photos({ post_mode: "MEDIA_UPLOAD" })],
  ])("are refused with %s", async (_, input) => {
    expect(await tell(connect(), `${POSTS}/content/init/`, input)).toMatchObject({
      status: 400,
      code: "invalid_params",
    });
  });
});

describe("calls", () => {
  it.each([
    ["GET", `${POSTS}/video/init/`, 405],
    ["POST", `${API}/user/info/?fields=open_id`, 405],
    ["POST", `${POSTS}/video/init`, 404],
    ["POST", `${API}/nothing/`, 404],
  ])("%s %s is HTTP %i", async (method, url, status) => {
    const { fetch, accessToken } = connect();
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(url, { method, headers })).status).toBe(status);
  });

  it("need a token that is known", async () => {
    const connection = connect();
    for (const accessToken of ["", "act.1", "sandbox.bluesky.Ada"]) {
      expect(
        await tell({ ...connection, accessToken }, `${POSTS}/creator_info/query/`),
      ).toMatchObject({ status: 401, code: "access_token_invalid" });
    }
  });

  it("need JSON", async () => {
    const headers = { "content-type": "text/plain" };
    expect(await tell(connect(), `${POSTS}/creator_info/query/`, {}, headers)).toMatchObject({
      status: 400,
      code: "invalid_params",
    });
  });

  it("do not tell of another account's task", async () => {
    const mine = connect();
    const { data } = await init(mine, 5_000);
    const other = { ...mine, accessToken: sandboxCredentials("tiktok", "Bob").accessToken };
    expect(
      await tell(other, `${POSTS}/status/fetch/`, data && { publish_id: data.publish_id }),
    ).toMatchObject({
      code: "token_not_authorized_for_specified_publish_id",
    });
    expect(await tell(mine, `${POSTS}/status/fetch/`, { publish_id: "x" })).toMatchObject({
      code: "invalid_publish_id",
    });
  });

  it("tell of a user what is asked for and known", async () => {
    const { fetch, accessToken, name } = connect();
    const ask = (fields: string) =>
      fetch(`${API}/user/info/?fields=${fields}`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
    const reply = await ask("display_name,username");
    expect(await reply.json()).toMatchObject({
      data: { user: { display_name: name, username: name.toLowerCase().replace(" ", "_") } },
    });
    expect((await ask("shoe_size")).status).toBe(400);
    expect((await ask("")).status).toBe(400);
  });
});

describe("tokens", () => {
  const oauth = async (connection: Connection, path: string, fields: Record<string, string>) => {
    const reply = await connection.fetch(`${API}/oauth/${path}/`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ client_key: "", client_secret: "", ...fields }).toString(),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
    return { status: reply.status, body: await reply.json<any>() };
  };
  const refresh = (connection: Connection, refresh_token: string) =>
    oauth(connection, "token", { grant_type: "refresh_token", refresh_token });

  it("rotate: the old refresh token dies, the new access token lives 2 hours", async () => {
    const connection = connect();
    const { body } = await refresh(connection, connection.refreshToken);
    expect(body).toMatchObject({ expires_in: 7_200, token_type: "Bearer" });
    expect(await refresh(connection, connection.refreshToken)).toMatchObject({
      status: 200,
      body: { error: "invalid_grant" },
    });
    const fresh = { ...connection, accessToken: body.access_token };
    expect((await tell(fresh, `${POSTS}/creator_info/query/`)).code).toBe("ok");
    moveClock(7_200);
    expect((await tell(fresh, `${POSTS}/creator_info/query/`)).status).toBe(401);
    expect((await refresh(connection, body.refresh_token)).body.access_token).toMatch(/^act\./);
  });

  it("end with the login, until the account is connected again", async () => {
    const connection = connect();
    const token = connection.accessToken;
    const ask = () => tell(connection, `${POSTS}/creator_info/query/`);
    expect((await ask()).code).toBe("ok");
    expect((await oauth(connection, "revoke", { token })).status).toBe(200);
    expect((await ask()).code).toBe("access_token_invalid");
    const anew = { ...connection, accessToken: `${token}/2` };
    expect((await tell(anew, `${POSTS}/creator_info/query/`)).code).toBe("ok");
    expect((await ask()).code).toBe("access_token_invalid");
  });

  it.each<[string, Record<string, string>, string]>([
    ["another grant", { grant_type: "password" }, "unsupported_grant_type"],
    ["an unknown token", { grant_type: "refresh_token", refresh_token: "x" }, "invalid_grant"],
  ])("are refused for %s, with HTTP 200", async (_, fields, code) => {
    expect(await oauth(connect(), "token", fields)).toMatchObject({
      status: 200,
      body: { error: code },
    });
  });
});
