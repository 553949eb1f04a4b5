import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { moveClock } from "../../../src/core/clock.ts";
import { sandboxHandle, sandboxLogin } from "../../../src/sandbox/bluesky/identity.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { theSandbox } from "../../../src/sandbox/state.ts";
import { connect, postJson, readError, record, type Session, write, xrpc } from "../support.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;

afterEach(() => moveClock(0));

const fetch = createSandboxFetch(env.SANDBOX_STATE, {
  teamId: 1,
  accountId: null,
  uploadId: null,
});

const call = (verb: string, url: string, token?: string) =>
  fetch(url, { method: verb, headers: token ? { authorization: `Bearer ${token}` } : {} });

const refresh = (token: string) => call("POST", xrpc("com.atproto.server.refreshSession"), token);

const getSession = (token: string) => call("GET", xrpc("com.atproto.server.getSession"), token);

describe("sandboxLogin", () => {
  it.each([
    ["Demo", "demo.sandbox.test"],
    ["Demo Account 2", "demo-account-2.sandbox.test"],
    ["Café", "cafe.sandbox.test"],
  ])("makes a handle of %s", (name, handle) => {
    expect(sandboxHandle(name)).toBe(handle);
  });

  it("keeps names apart that their letters alone do not", () => {
    const names = ["日本", "中国", "!", "?", "a".repeat(90), "a".repeat(91)];
    const handles = names.map(sandboxHandle);
    expect(new Set(handles).size).toBe(names.length);
    for (const handle of handles) expect(handle).toMatch(/^[a-z0-9-]{1,63}\.sandbox\.test$/);
  });

  it("has the form of an app password", () => {
    expect(sandboxLogin("Demo").appPassword).toMatch(/^[a-z]{4}(-[a-z]{4}){3}$/);
  });
});

describe("login", () => {
  it("creates the account on its first session and finds it again", async () => {
    const { identifier, appPassword } = sandboxLogin("Twice");
    const body = { identifier, password: appPassword };
    const [first, second] = await Promise.all([
      postJson(fetch, "com.atproto.server.createSession", body),
      postJson(fetch, "com.atproto.server.createSession", body),
    ]);
    const session = await first.json<Session>();
    expect(session.did).toMatch(/^did:plc:[a-z2-7]{24}$/);
    expect(session).toMatchObject({
      handle: "twice.sandbox.test",
      active: true,
      didDoc: { service: [{ id: "#atproto_pds", serviceEndpoint: sandboxLogin("").service }] },
    });
    const payload = session.accessJwt.split(".")[1] ?? "";
    expect(
      JSON.parse(
        new TextDecoder().decode(Uint8Array.fromBase64(payload, { alphabet: "base64url" })),
      ),
    ).toMatchObject({ sub: session.did, scope: "com.atproto.appPass" });
    expect((await second.json<Session>()).did).toBe(session.did);
    expect((await getSession(session.accessJwt)).status).toBe(200);
  });

  it("refuses a wrong password and an unknown handle alike", async () => {
    for (const body of [
      { identifier: sandboxHandle("Twice"), password: "aaaa-bbbb-cccc-dddd" },
      { identifier: "somebody.example.com", password: sandboxLogin("").appPassword },
    ]) {
      const reply = await postJson(fetch, "com.atproto.server.createSession", body);
      expect(await readError(reply)).toEqual({
        status: 401,
        error: "AuthenticationRequired",
        message: "Invalid identifier or password",
      });
    }
  });

  it("can be walked by handle alone, from the public servers to the account's own", async () => {
    const { identifier, appPassword } = sandboxLogin("Walker");
    const resolve = "com.atproto.identity.resolveHandle";
    const resolved = await fetch(
      `${xrpc(resolve, "https://public.api.bsky.app")}?handle=${identifier}`,
    );
    const { did } = await resolved.json<{ did: string }>();
    const document = await fetch(`https://plc.directory/${did}`);
    expect(await document.json()).toMatchObject({
      id: did,
      alsoKnownAs: [`at://${identifier}`],
      service: [{ serviceEndpoint: sandboxLogin("").service }],
    });
    const session = await fetch(xrpc("com.atproto.server.createSession", "https://bsky.social"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ identifier, password: appPassword }),
    });
    expect((await session.json<Session>()).did).toBe(did);
  });

  it("resolves any handle of bsky.social, always to the same DID, and no others", async () => {
    const resolve = (handle: string) =>
      fetch(`${xrpc("com.atproto.identity.resolveHandle")}?handle=${handle}`);
    const [first, second] = await Promise.all([
      resolve("alice.bsky.social"),
      resolve("Alice.bsky.social"),
    ]);
    const { did } = await first.json<{ did: string }>();
    expect(await second.json()).toEqual({ did });
    expect(await readError(await resolve("alice.example.com"))).toMatchObject({
      status: 400,
      error: "InvalidRequest",
      message: "Unable to resolve handle",
    });
    expect((await call("GET", "https://plc.directory/did:plc:nobody")).status).toBe(404);
  });

  it("shows a profile without a login", async () => {
    const { session } = await connect();
    const url = xrpc("app.bsky.actor.getProfile", "https://public.api.bsky.app");
    const reply = await fetch(`${url}?actor=${session.did}`);
    expect(await reply.json()).toMatchObject({
      did: session.did,
      handle: session.handle,
      displayName: expect.stringMatching(/^Account \d+$/),
    });
    expect((await fetch(`${url}?actor=did:plc:nobody`)).status).toBe(400);
  });
});

describe("tokens", () => {
  it("expire after two hours, and a refresh helps", async () => {
    const { session } = await connect();
    moveClock(2 * HOUR);
    expect(await readError(await getSession(session.accessJwt))).toEqual({
      status: 400,
      error: "ExpiredToken",
      message: "Token has expired",
    });
    const fresh = await (await refresh(session.refreshJwt)).json<Session>();
    expect(fresh.accessJwt).not.toBe(session.accessJwt);
    expect(fresh.refreshJwt).not.toBe(session.refreshJwt);
    expect((await getSession(fresh.accessJwt)).status).toBe(200);
  });

  it("rotate: a used refresh token works two hours longer, for a lost answer", async () => {
    const { session } = await connect();
    const fresh = await (await refresh(session.refreshJwt)).json<Session>();
    moveClock(2 * HOUR - 60);
    expect((await refresh(session.refreshJwt)).status).toBe(200);
    moveClock(2 * HOUR + 60);
    expect(await readError(await refresh(session.refreshJwt))).toMatchObject({
      status: 400,
      error: "ExpiredToken",
    });
    moveClock(89 * DAY);
    expect((await refresh(fresh.refreshJwt)).status).toBe(200);
    moveClock(91 * DAY);
    expect((await refresh(fresh.refreshJwt)).status).toBe(400);
  });

  it("end with the session: refresh tokens at once, the access token at its own end", async () => {
    const { session } = await connect();
    const url = xrpc("com.atproto.server.deleteSession");
    expect(await readError(await call("POST", url, session.accessJwt))).toMatchObject({
      error: "InvalidToken",
      message: "Bad token scope",
    });
    expect((await call("POST", url, session.refreshJwt)).status).toBe(200);
    expect(await readError(await refresh(session.refreshJwt))).toMatchObject({
      status: 400,
      error: "ExpiredToken",
      message: "Token has been revoked",
    });
    expect((await getSession(session.accessJwt)).status).toBe(200);
  });

  it("are refused when missing, invented or of the wrong kind", async () => {
    const { session } = await connect();
    expect(await readError(await call("GET", xrpc("com.atproto.server.getSession")))).toEqual({
      status: 401,
      error: "AuthMissing",
      message: "Authentication Required",
    });
    for (const token of ["a.b.c", session.refreshJwt]) {
      expect(await readError(await getSession(token))).toMatchObject({
        status: 400,
        error: "InvalidToken",
      });
    }
  });

  it("can be had for another service, for an hour at most", async () => {
    const { session } = await connect();
    const ask = (exp: number) =>
      call(
        "GET",
        `${xrpc("com.atproto.server.getServiceAuth")}?aud=did:web:video.bsky.app&exp=${exp}`,
        session.accessJwt,
      );
    const seconds = Math.floor(Date.now() / 1_000);
    expect(await (await ask(seconds + 1_800)).json()).toEqual({ token: expect.any(String) });
    expect(await readError(await ask(seconds + 2 * HOUR))).toMatchObject({
      status: 400,
      error: "BadExpiration",
    });
  });
});

describe("the simulated servers", () => {
  it.each([
    ["GET", xrpc("com.atproto.repo.putRecord"), 400, "InvalidRequest"],
    ["POST", xrpc("com.atproto.repo.getRecord"), 400, "InvalidRequest"],
    ["GET", xrpc("com.atproto.repo.noSuchMethod"), 501, "MethodNotImplemented"],
    ["GET", xrpc("constructor"), 501, "MethodNotImplemented"],
    [
      "POST",
      xrpc("com.atproto.repo.putRecord", "https://bsky.social"),
      501,
      "MethodNotImplemented",
    ],
    ["POST", xrpc("com.atproto.server.createSession"), 400, "InvalidRequest"],
  ])("answer %s %s with %i %s", async (verb, url, status, error) => {
    expect(await readError(await call(verb, url))).toMatchObject({ status, error });
  });

  it("know no path outside their API, however it is spelled", async () => {
    expect((await call("GET", "https://bsky.social/%zz")).status).toBe(404);
  });

  it("answer 400 to a body that is not JSON or not of the schema", async () => {
    const url = xrpc("com.atproto.server.createSession");
    for (const [type, body] of [
      ["application/json", "{"],
      ["application/json", '{"identifier":1}'],
      ["text/plain", "{}"],
    ]) {
      const headers = { "content-type": type ?? "" };
      const reply = await fetch(url, { method: "POST", headers, body });
      expect(await readError(reply)).toMatchObject({ status: 400, error: "InvalidRequest" });
    }
  });

  it("keep one account out of another's repository", async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const reply = await write(mine, record("not mine"), { repo: theirs.session.did });
    expect(await readError(reply)).toMatchObject({ status: 401, error: "AuthenticationRequired" });
  });
});

it("keeps the logins of a sandbox that had a table of tokens for Bluesky alone", async () => {
  const { identifier, appPassword } = sandboxLogin("Older");
  const body = { identifier, password: appPassword };
  const answer = await postJson(fetch, "com.atproto.server.createSession", body);
  const { accessJwt, refreshJwt } = await answer.json<Session>();
  await runInDurableObject(theSandbox(env.SANDBOX_STATE), (_, { storage }) => {
    storage.sql.exec(`CREATE TABLE bluesky_tokens (token TEXT PRIMARY KEY, kind TEXT NOT NULL,
        did TEXT NOT NULL, session_id TEXT NOT NULL, expires_at INTEGER NOT NULL,
        revoked INTEGER NOT NULL DEFAULT 0);
      INSERT INTO bluesky_tokens SELECT token, kind, substr(name, 1, instr(name, ' ') - 1),
        substr(name, instr(name, ' ') + 1), expires_at, kind = 'access'
        FROM logins WHERE platform = 'bluesky' AND instr(name, ' ') > 0;
      DELETE FROM logins WHERE platform = 'bluesky'`);
  });
  await evictDurableObject(theSandbox(env.SANDBOX_STATE));
  expect(await readError(await getSession(accessJwt))).toMatchObject({ error: "ExpiredToken" });
  expect((await refresh(refreshJwt)).status).toBe(200);
});
