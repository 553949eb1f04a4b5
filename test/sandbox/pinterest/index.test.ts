import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, test } from "vitest";
import { moveClock } from "../../../src/core/clock.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { boardsOf } from "../../../src/sandbox/pinterest/boards.ts";
import { testPng } from "../../support/videos.ts";
import { mp4, png, sandbox, unique } from "../support.ts";

afterEach(() => moveClock(0));

const API = "https://api.pinterest.com/v5";
const UPLOADS = "https://pinterest-media-upload.s3-accelerate.amazonaws.com/";

async function connect() {
  const teamId = unique();
  const accountId = `acc_${teamId}`;
  const name = `Ada ${teamId}`;
  const uploadId = unique();
  const fetch = createSandboxFetch(env.SANDBOX_STATE, { teamId, accountId, uploadId });
  const { accessToken, refreshToken } = sandboxCredentials("pinterest", name);
  const boards = await boardsOf(name);
  const board = boards[0]?.id ?? "";
  return { accountId, name, fetch, accessToken, refreshToken: refreshToken ?? "", boards, board };
}

type Connection = Awaited<ReturnType<typeof connect>>;

interface Told {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  body: any;
}

async function tell(
  { fetch, accessToken }: Pick<Connection, "fetch" | "accessToken">,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Told> {
  const reply = await fetch(`${API}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: reply.status, body: await reply.json() };
}

const feedOf = ({ accountId }: Connection) => sandbox().listPosts({ teamId: "all", accountId });

const register = async (connection: Connection) =>
  (await tell(connection, "POST", "/media", { media_type: "video" })).body;

type Part = [name: string, value: string | Uint8Array<ArrayBuffer>];

/** A form written by hand, so that its order is ours. */
function formOf(parts: Part[]): { body: Blob; type: string } {
  const pieces = parts.flatMap(([name, value]) => {
    const isFile = typeof value !== "string";
    const more = isFile ? '; filename="a.mp4"\r\nContent-Type: video/mp4' : "";
    return [
      `--cut\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`,
      value,
      "\r\n",
    ];
  });
  return { body: new Blob([...pieces, "--cut--\r\n"]), type: "multipart/form-data; boundary=cut" };
}

async function send(
  { fetch }: Connection,
  parts: Part[],
  change: { method?: string; headers?: Record<string, string>; body?: BodyInit } = {},
) {
  const form = formOf(parts);
  const { method = "POST", headers = {}, body = await form.body.arrayBuffer() } = change;
  const reply = await fetch(UPLOADS, {
    method,
    headers: { "content-type": form.type, ...headers },
    body,
  });
  return { status: reply.status, text: await reply.text() };
}

const partsOf = (
  media: { upload_parameters: Record<string, string> },
  file = mp4(5_000),
): Part[] => [...Object.entries(media.upload_parameters), ["file", file]];

async function sendVideo(connection: Connection, file = mp4(5_000)): Promise<string> {
  const media = await register(connection);
  expect(await send(connection, partsOf(media, file))).toEqual({ status: 204, text: "" });
  return media.media_id;
}

const statusOf = async (connection: Connection, mediaId: string) =>
  (await tell(connection, "GET", `/media/${mediaId}`)).body.status;

const videoPin = ({ board }: Connection, mediaId: string, change: object = {}) => ({
  board_id: board,
  title: "Look",
  media_source: { source_type: "video_id", media_id: mediaId, cover_image_key_frame_time: 0 },
  ...change,
});

describe("an image as text", () => {
  const inline = { content_type: "image/png", data: testPng.toBase64() };
  const tellPin = (connection: Connection, media_source: object, change: object = {}) =>
    tell(connection, "POST", "/pins", { board_id: connection.board, media_source, ...change });

  it("becomes a pin, alone or several of them", async () => {
    const connection = await connect();
    const sent = await tellPin(connection, { source_type: "image_base64", ...inline });
    expect(sent).toMatchObject({ status: 201, body: { media: { media_type: "image" } } });
    const several = { source_type: "multiple_image_base64", items: [inline, inline], index: 1 };
    expect(await tellPin(connection, several)).toMatchObject({ status: 201 });
    const [two, one] = await feedOf(connection);
    expect(one?.media).toHaveLength(1);
    expect(two?.media).toHaveLength(2);
    expect(one?.fieldsJson).not.toContain(inline.data);
  });

  it.each<[string, object]>([
    ["no base64", { ...inline, data: "no base64!" }],
    ["base64url", { ...inline, data: "-_-_" }],
    ["another type than it says", { ...inline, content_type: "image/jpeg" }],
    ["a type that is not taken", { ...inline, content_type: "image/webp" }],
    ["no type", { data: inline.data }],
    ["no image", { ...inline, data: btoa("no image at all") }],
  ])("is refused with %s", async (_, image) => {
    const connection = await connect();
    const told = await tellPin(connection, { source_type: "image_base64", ...image });
    expect(told).toMatchObject({ status: 400 });
  });
});

it("refuses the pins of an app in trial (403, code 29)", async () => {
  const connection = await connect();
  const told = await tell(connection, "POST", "/pins", {
    board_id: connection.board,
    title: "[sandbox:trial_access]",
    media_source: { source_type: "image_url", url: "https://akimbo.test/media/1" },
  });
  expect(told).toMatchObject({ status: 403, body: { code: 29 } });
  expect(told.body.message).toMatch(/^Apps with Trial access may not create Pins/);
});

describe("an account", () => {
  it("has a fixed id, and three boards with fixed numeric ids, one of them secret", async () => {
    const connection = await connect();
    const first = await tell(connection, "GET", "/user_account");
    expect(first.body).toMatchObject({
      id: expect.stringMatching(/^\d{18}$/),
      username: connection.name.toLowerCase().replace(" ", "_"),
      business_name: connection.name,
    });
    const { body } = await tell(connection, "GET", "/boards?page_size=2");
    expect(body.items).toHaveLength(2);
    const rest = await tell(connection, "GET", `/boards?page_size=2&bookmark=${body.bookmark}`);
    expect(rest.body.bookmark).toBeNull();
    const boards = [...body.items, ...rest.body.items];
    expect(boards.map(({ privacy }) => privacy)).toEqual(["PUBLIC", "PUBLIC", "SECRET"]);
    expect(boards.map(({ id }) => id)).toEqual(connection.boards.map(({ id }) => id));
    expect(new Set(boards.map(({ id }) => id)).size).toBe(3);
    for (const { id } of boards) expect(id).toMatch(/^\d{18}$/);
    const secret = await tell(connection, "GET", "/boards?privacy=SECRET");
    expect(secret.body.items).toMatchObject([{ privacy: "SECRET" }]);
  });

  it.each(["page_size=0", "page_size=251", "page_size=x", "bookmark=x", "privacy=HIDDEN", "q=1"])(
    "does not list boards by %s",
    async (query) => {
      const told = await tell(await connect(), "GET", `/boards?${query}`);
      expect(told).toMatchObject({ status: 400, body: { code: 1 } });
    },
  );

  it.each(["", "Bearer nobody's", "Basic abc"])("is not open to %j", async (authorization) => {
    const told = await tell(await connect(), "GET", "/user_account", undefined, { authorization });
    expect(told).toEqual({ status: 401, body: { code: 2, message: "Authentication failed." } });
  });
});

describe("tokens", () => {
  const refresh = async (
    { fetch }: Connection,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) => {
    const reply = await fetch(`${API}/oauth/token`, {
      method: "POST",
      headers: {
        authorization: `Basic ${btoa("id:secret")}`,
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
    return { status: reply.status, body: await reply.json<any>() };
  };

  it("are replaced by a refresh, once, and end after 30 days", async () => {
    const connection = await connect();
    const fields = { grant_type: "refresh_token", refresh_token: connection.refreshToken };
    const { body } = await refresh(connection, fields);
    expect(body).toMatchObject({
      token_type: "bearer",
      expires_in: 2_592_000,
      refresh_token_expires_in: 5_184_000,
    });
    const renewed = { ...connection, accessToken: body.access_token };
    expect((await tell(renewed, "GET", "/user_account")).status).toBe(200);
    expect(await refresh(connection, fields)).toMatchObject({ status: 401, body: { code: 283 } });
    moveClock(2_592_000);
    expect((await tell(renewed, "GET", "/user_account")).status).toBe(401);
    const again = { ...fields, refresh_token: body.refresh_token };
    expect((await refresh(connection, again)).status).toBe(200);
    moveClock(2 * 5_184_000);
    expect((await refresh(connection, again)).status).toBe(401);
  });

  it("are not replaced without the app's keys, a form, or a grant", async () => {
    const connection = await connect();
    const fields = { grant_type: "refresh_token", refresh_token: connection.refreshToken };
    const authorization = `Bearer ${connection.accessToken}`;
    expect((await refresh(connection, fields, { authorization })).status).toBe(401);
    const json = { "content-type": "application/json" };
    expect((await refresh(connection, fields, json)).status).toBe(400);
    expect((await refresh(connection, { ...fields, grant_type: "code" })).status).toBe(400);
    expect((await refresh(connection, { ...fields, refresh_token: "x" })).status).toBe(401);
  });
});

describe("a video", () => {
  it("is registered, received, looked through for 6 seconds, and then can be a pin", async () => {
    const connection = await connect();
    const media = await register(connection);
    expect(media).toMatchObject({ media_type: "video", upload_url: UPLOADS });
    expect(await statusOf(connection, media.media_id)).toBe("registered");
    const file = mp4(2_500_000);
    expect((await send(connection, partsOf(media, file))).status).toBe(204);
    expect(await statusOf(connection, media.media_id)).toBe("processing");
    const pin = videoPin(connection, media.media_id);
    expect((await tell(connection, "POST", "/pins", pin)).status).toBe(400);
    moveClock(6);
    expect(await statusOf(connection, media.media_id)).toBe("succeeded");
    const made = await tell(connection, "POST", "/pins", pin);
    expect(made).toMatchObject({ status: 201, body: { media: { media_type: "video" } } });
    expect(await feedOf(connection)).toMatchObject([
      {
        received: 1,
        url: `https://www.pinterest.com/pin/${made.body.id}/`,
        media: [{ sizeBytes: 2_500_000, sha256: await sha256Hex(file) }],
      },
    ]);
  });

  it("fails when the file is none", async () => {
    const connection = await connect();
    const mediaId = await sendVideo(connection, png(500));
    moveClock(6);
    expect(await statusOf(connection, mediaId)).toBe("failed");
    const told = await tell(connection, "POST", "/pins", videoPin(connection, mediaId));
    expect(told.status).toBe(400);
  });

  it("is only its owner's", async () => {
    const mediaId = await sendVideo(await connect());
    const stranger = await connect();
    expect((await tell(stranger, "GET", `/media/${mediaId}`)).status).toBe(404);
    moveClock(6);
    const told = await tell(stranger, "POST", "/pins", videoPin(stranger, mediaId));
    expect(told.status).toBe(404);
  });

  it.each([{}, { media_type: "image" }, { media_type: "video", size: 1 }])(
    "is not registered as %j",
    async (body) => {
      expect((await tell(await connect(), "POST", "/media", body)).status).toBe(400);
    },
  );
});

describe("the storage refuses", () => {
  const without = (parts: Part[], name: string) => parts.filter(([one]) => one !== name);

  test.each<[string, (parts: Part[]) => Part[], number, string]>([
    ["a missing key", (parts) => without(parts, "key"), 400, "InvalidArgument"],
    ["a missing policy", (parts) => without(parts, "policy"), 403, "AccessDenied"],
    ["a missing Content-Type", (parts) => without(parts, "Content-Type"), 403, "AccessDenied"],
    ["an unknown key", (parts) => [["key", "x"], ...without(parts, "key")], 403, "AccessDenied"],
    [
      "another signature",
      (parts) => [["x-amz-signature", "0"], ...without(parts, "x-amz-signature")],
      403,
      "SignatureDoesNotMatch",
    ],
    ["a field of our own", (parts) => [["acl", "public"], ...parts], 403, "AccessDenied"],
    ["a field after the file", (parts) => [...parts, ["x", "1"]], 400, "MalformedPOSTRequest"],
    [
      "the file first",
      (parts) => [...parts.slice(-1), ...parts.slice(0, -1)],
      400,
      "InvalidArgument",
    ],
    ["no file", (parts) => without(parts, "file"), 400, "InvalidArgument"],
  ])("%s", async (_, change, status, code) => {
    const connection = await connect();
    const media = await register(connection);
    const told = await send(connection, change(partsOf(media)));
    expect(told).toMatchObject({ status, text: expect.stringContaining(`<Code>${code}</Code>`) });
    expect(await statusOf(connection, media.media_id)).toBe("registered");
  });

  test.each<[string, Parameters<typeof send>[2], number]>([
    ["a token", { headers: { authorization: "Bearer x" } }, 400],
    ["another verb", { method: "PUT" }, 405],
    ["a body that is no form", { headers: { "content-type": "video/mp4" } }, 412],
    ["a form that ends early", { body: "--cut\r\nContent-Disp" }, 400],
  ])("%s", async (_, change, status) => {
    const connection = await connect();
    const media = await register(connection);
    expect(await send(connection, partsOf(media), change)).toMatchObject({ status });
    expect(await statusOf(connection, media.media_id)).toBe("registered");
  });

  test("a body whose length is not said", async () => {
    const connection = await connect();
    const media = await register(connection);
    const body = formOf(partsOf(media)).body.stream().pipeThrough(new IdentityTransformStream());
    const told = await send(connection, [], { body });
    expect(told).toMatchObject({
      status: 411,
      text: expect.stringContaining("MissingContentLength"),
    });
  });

  test("fields that are an hour old", async () => {
    const connection = await connect();
    const media = await register(connection);
    moveClock(3_600);
    expect(await send(connection, partsOf(media))).toMatchObject({ status: 403 });
  });
});

describe("a pin", () => {
  const image = (url = "https://akimbo.test/media/nowhere") => ({ source_type: "image_url", url });

  it("is another one with every call", async () => {
    const connection = await connect();
    const mediaId = await sendVideo(connection);
    moveClock(6);
    const pin = videoPin(connection, mediaId);
    const first = await tell(connection, "POST", "/pins", pin);
    moveClock(7);
    const second = await tell(connection, "POST", "/pins", pin);
    expect(second.body.id).not.toBe(first.body.id);
    expect(await feedOf(connection)).toHaveLength(2);
    const { body } = await tell(connection, "GET", `/boards/${connection.board}/pins`);
    expect(body).toMatchObject({
      items: [{ id: second.body.id }, { id: first.body.id }],
      bookmark: null,
    });
    expect(body.items[0]).toMatchObject({
      title: "Look",
      description: null,
      link: null,
      is_owner: true,
      parent_pin_id: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
    });
    const other = connection.boards[1]?.id;
    const empty = await tell(connection, "GET", `/boards/${other}/pins?page_size=25`);
    expect(empty.body).toEqual({ items: [], bookmark: null });
  });

  it("goes onto no other board than the account's", async () => {
    const connection = await connect();
    const body = { board_id: "123", media_source: image() };
    expect(await tell(connection, "POST", "/pins", body)).toEqual({
      status: 404,
      body: { code: 40, message: "Board not found." },
    });
    const stranger = await connect();
    expect((await tell(stranger, "GET", `/boards/${connection.board}/pins`)).status).toBe(404);
  });

  it.each<[string, object, string]>([
    ["no board", { board_id: undefined }, "board_id"],
    ["a board in words", { board_id: "ideas" }, "does not match '^\\d+$'"],
    ["a title of 101", { title: "x".repeat(101) }, "maxLength=100"],
    ["a description of 801", { description: "x".repeat(801) }, "maxLength=800"],
    ["a link of mail", { link: "mailto:a@example.com" }, "link"],
    ["an alt text of 501", { alt_text: "x".repeat(501) }, "maxLength=500"],
    ["a field that is not known", { hashtags: [] }, "hashtags"],
    ["no source", { media_source: undefined }, "media_source"],
    ["a source that is not known", { media_source: { source_type: "file" } }, "source_type"],
    [
      "1 image of several",
      { media_source: { source_type: "multiple_image_urls", items: [{ url: "https://a.test" }] } },
      "minItems=2",
    ],
    [
      "6 images",
      {
        media_source: {
          source_type: "multiple_image_urls",
          items: Array.from({ length: 6 }, () => ({ url: "https://a.test" })),
        },
      },
      "maxItems=5",
    ],
    [
      "a video without a cover",
      { media_source: { source_type: "video_id", media_id: "1" } },
      "cover",
    ],
    [
      "a cover at half a second",
      {
        media_source: { source_type: "video_id", media_id: "1", cover_image_key_frame_time: 0.5 },
      },
      "cover_image_key_frame_time",
    ],
  ])("is refused with %s", async (_, change, wording) => {
    const connection = await connect();
    const pin = { board_id: connection.board, media_source: image(), ...change };
    expect(await tell(connection, "POST", "/pins", pin)).toEqual({
      status: 400,
      body: { code: 1, message: expect.stringContaining(wording) },
    });
    expect(await feedOf(connection)).toEqual([]);
  });

  it("needs an image that can be reached", async () => {
    const connection = await connect();
    for (const url of ["https://akimbo.test/media/1/x/original", "https://example.com/a.jpg"]) {
      const pin = { board_id: connection.board, media_source: image(url) };
      expect(await tell(connection, "POST", "/pins", pin)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining("Unable to reach the URL") },
      });
    }
  });

  it("comes as JSON", async () => {
    const connection = await connect();
    const pin = { board_id: connection.board, media_source: image() };
    const headers = { "content-type": "text/plain" };
    expect((await tell(connection, "POST", "/pins", pin, headers)).status).toBe(400);
  });
});

test.each([
  ["GET", "/nothing", 404],
  ["PUT", "/pins", 405],
  ["DELETE", "/boards", 405],
  ["GET", "/media/abc", 404],
])("%s %s is no call of the API", async (method, path, status) => {
  expect((await tell(await connect(), method, path)).status).toBe(status);
});

test("an account's pins are listed with their numbers where those are asked for", async () => {
  const connection = await connect();
  const media_source = { source_type: "image_base64", content_type: "image/png", data: "" };
  for (const title of ["One", "Two"]) {
    const data = testPng.toBase64();
    const pin = { board_id: connection.board, title, media_source: { ...media_source, data } };
    expect((await tell(connection, "POST", "/pins", pin)).status).toBe(201);
  }
  moveClock(10 * 86_400);
  const list = async (query: string) => (await tell(connection, "GET", `/pins?${query}`)).body;
  const all = await list("pin_metrics=true&pin_filter=exclude_repins&page_size=1");
  expect(all).toMatchObject({ items: [{ title: "Two" }], bookmark: "after-1" });
  expect(all.items[0].pin_metrics.lifetime_metrics).toMatchObject({
    ...{ impression: expect.any(Number), save: expect.any(Number), comment: expect.any(Number) },
  });
  expect((await list("")).items).toMatchObject([{ pin_metrics: null }, { pin_metrics: null }]);
  for (const query of ["pin_filter=mine", "pin_metrics=yes", "sort=new"]) {
    expect((await tell(connection, "GET", `/pins?${query}`)).status).toBe(400);
  }
});
