import { describe, expect, test } from "vitest";
import { KEYED_CALLS } from "../../src/client/idempotency.ts";
import { createAkimbo, toForm, WaitTimeout } from "../../src/client/index.ts";
import { withRetries } from "../../src/client/retry.ts";
import { allOperationsOf, fetchDocument } from "../spec/document.ts";

const TOKEN = `kmb_${"1".repeat(64)}`;

/** Answers requests in turn, and keeps them with their bodies. */
function script(...answers: (Response | Error)[]) {
  const requests: Request[] = [];
  const bodies: string[] = [];
  const fetch = async (request: Request) => {
    requests.push(request);
    bodies.push(new TextDecoder().decode(await request.arrayBuffer()));
    const answer = answers.shift();
    if (answer instanceof Response) return answer;
    throw answer ?? new Error("There is no further answer.");
  };
  return { requests, bodies, fetch };
}

const refusal = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ success: false, error: "Not now." }, { status, headers });

const get = () => new Request("https://akimbo.test/api/v1/accounts");

const post = (headers: Record<string, string> = {}) =>
  new Request("https://akimbo.test/api/v1/teams/invites", { method: "POST", headers, body: "{}" });

const KEY = { "Idempotency-Key": "one" };

interface Outcome {
  /** Statuses of the answers, or the message of the error, after all tries. */
  end: number | string;
  tries: number;
  waitsMs: number[];
}

async function send(request: Request, ...answers: (Response | Error)[]): Promise<Outcome> {
  const { requests, fetch } = script(...answers);
  const waitsMs: number[] = [];
  const sleep = async (ms: number) => void waitsMs.push(ms);
  const end = await withRetries(fetch, { retries: 2, sleep })(request).then(
    ({ status }) => status,
    ({ message }: Error) => message,
  );
  return { end, tries: requests.length, waitsMs };
}

describe("retries", () => {
  test("wait as Retry-After says after 429, for every call", async () => {
    const busy = () => refusal(429, { "Retry-After": "7" });
    expect(await send(post(), busy(), Response.json({}))).toEqual({
      end: 200,
      tries: 2,
      waitsMs: [7_000],
    });
    expect(await send(get(), busy(), busy(), busy())).toMatchObject({ end: 429, tries: 3 });
  });

  test("end at a daily cap, which has no Retry-After, and at a long wait", async () => {
    expect(await send(get(), refusal(429))).toMatchObject({ end: 429, tries: 1 });
    const long = refusal(429, { "Retry-After": "900" });
    expect(await send(get(), long)).toMatchObject({ end: 429, tries: 1 });
  });

  test("repeat after a lost connection or a failure only what is safe to repeat", async () => {
    const lost = () => new TypeError("The connection was lost.");
    for (const first of [lost, () => refusal(500), () => refusal(503, { "Retry-After": "1" })]) {
      expect(await send(get(), first(), Response.json({}))).toMatchObject({ end: 200, tries: 2 });
      expect(await send(post(KEY), first(), Response.json({}))).toMatchObject({ tries: 2 });
      expect(await send(post(), first(), Response.json({}))).toMatchObject({ tries: 1 });
    }
  });

  test("repeat a call with a key whose first sending is still running", async () => {
    const running = () => refusal(409, { "Retry-After": "1" });
    expect(await send(post(KEY), running(), Response.json({}))).toMatchObject({ tries: 2 });
    expect(await send(post(KEY), refusal(409))).toMatchObject({ end: 409, tries: 1 });
  });
});

describe("calls", () => {
  test("that take an Idempotency-Key are the ones of the document", async () => {
    const { body } = await fetchDocument();
    const keyed = allOperationsOf(body).filter(({ spec }) =>
      JSON.stringify(spec.parameters ?? []).includes("#/components/parameters/IdempotencyKey"),
    );
    expect(keyed.map(({ path }) => path).sort()).toEqual([...KEYED_CALLS].sort());
    expect(keyed.every(({ method }) => method === "POST")).toBe(true);
  });

  test("get one key for all tries, and keep a key of the caller", async () => {
    const { requests, bodies, fetch } = script(
      refusal(429, { "Retry-After": "0" }),
      Response.json({}),
      Response.json({}),
      Response.json({}),
    );
    const akimbo = createAkimbo({ url: "https://akimbo.test", token: TOKEN, fetch });
    const body = { accountId: "acc_1", description: "Hello" };
    await akimbo.POST("/api/v1/upload", { body, bodySerializer: toForm });
    await akimbo.POST("/api/v1/upload", {
      body,
      bodySerializer: toForm,
      params: { header: { "Idempotency-Key": "mine" } },
    });
    await akimbo.POST("/api/v1/teams/invites", { body: { email: "a@b.test" } as never });
    const keys = requests.map(({ headers }) => headers.get("Idempotency-Key"));
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], "mine", null]);
    expect(bodies[1]).toContain("acc_1");
  });
});

const stored = { bucketUrl: "https://s.test/b", accessUrl: "https://s.test/a" };
const declared = { name: "film.mp4", size: 5, type: "video/mp4" };

const presigned = () =>
  Response.json({
    success: true,
    files: [
      {
        ...declared,
        ...stored,
        multipart: {
          partSize: 3,
          parts: [
            { partNumber: 1, uploadUrl: "https://s.test/1", size: 3 },
            { partNumber: 2, uploadUrl: "https://s.test/2", size: 2 },
          ],
          completeUrl: "https://s.test/complete",
          abortUrl: "https://s.test/abort",
        },
      },
    ],
  });

/** Storage that refuses the parts whose addresses end so. */
function storage(refused = "none") {
  const calls: string[] = [];
  const fetch = async (request: Request) => {
    const { pathname } = new URL(request.url);
    const text = await request.text();
    if (pathname.startsWith("/api")) return presigned();
    expect(request.headers.has("x-api-key")).toBe(false);
    calls.push(`${request.method} ${pathname} ${text}`);
    if (!pathname.endsWith(refused))
      return new Response("", { headers: { etag: `"e${pathname}"` } });
    return new Response("<Error><Message>No.</Message></Error>", { status: 403 });
  };
  return { calls, akimbo: createAkimbo({ url: "https://akimbo.test", token: TOKEN, fetch }) };
}

describe("upload", () => {
  const film = new File(["12345"], "film.mp4", { type: "video/mp4" });

  test("sends the parts, tells how far it is, and has them put together", async () => {
    const { calls, akimbo } = storage();
    const told: number[] = [];
    const file = await akimbo.upload(film, { onProgress: (sent) => told.push(sent) });
    expect(file).toEqual(stored);
    expect(told.at(-1)).toBe(5);
    expect(calls.slice(0, 2).sort()).toEqual(["PUT /1 123", "PUT /2 45"]);
    expect(calls[2]).toBe(
      "POST /complete <CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>e/1</ETag></Part><Part><PartNumber>2</PartNumber><ETag>e/2</ETag></Part></CompleteMultipartUpload>",
    );
  });

  test("drops the parts when storage refuses one", async () => {
    const { calls, akimbo } = storage("/2");
    await expect(akimbo.upload(film)).rejects.toThrow("403: No.");
    expect(calls.at(-1)).toBe("DELETE /abort ");
  });
});

const answerOf = (status: string) => Response.json({ success: true, data: { id: 7, status } });

describe("waitFor and events", () => {
  test("waits until the post is at rest, and says so when it takes too long", async () => {
    const { fetch } = script(answerOf("scheduled"), answerOf("processing"));
    const akimbo = createAkimbo({ url: "https://akimbo.test", token: TOKEN, fetch });
    expect(await akimbo.waitFor({ uploadId: 7 })).toMatchObject({ status: "scheduled" });
    const late = akimbo.waitFor(7, { timeoutMs: 0 });
    await expect(late).rejects.toMatchObject({ name: "WaitTimeout", upload: { id: 7 } });
    await expect(late).rejects.toThrow(WaitTimeout);
  });

  test("a refusal is an AkimboError", async () => {
    const { fetch } = script(
      Response.json(
        { success: false, error: "There is none.", code: "NOT_FOUND" },
        { status: 404, headers: { "x-request-id": "r1" } },
      ),
    );
    const akimbo = createAkimbo({ url: "https://akimbo.test", token: TOKEN, fetch });
    await expect(akimbo.waitFor(7)).rejects.toMatchObject({
      name: "AkimboError",
      status: 404,
      code: "NOT_FOUND",
      requestId: "r1",
    });
  });

  test("reads the feed page by page from a cursor to its end", async () => {
    const page = (id: string, hasMore: boolean) =>
      Response.json({ success: true, data: [{ id }], nextCursor: id, hasMore });
    const { requests, fetch } = script(page("evt_2", true), page("evt_3", false));
    const akimbo = createAkimbo({ url: "https://akimbo.test", token: TOKEN, fetch });
    const ids: string[] = [];
    for await (const { id } of akimbo.events({ after: "evt_1" })) ids.push(id);
    expect(ids).toEqual(["evt_2", "evt_3"]);
    const cursors = requests.map(({ url }) => new URL(url).searchParams.get("after"));
    expect(cursors).toEqual(["evt_1", "evt_2"]);
  });
});
