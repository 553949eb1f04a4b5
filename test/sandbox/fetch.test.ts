import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { PublishFailure } from "../../src/core/failures.ts";
import { createSandboxFetch } from "../../src/sandbox/fetch.ts";
import {
  connect,
  readError,
  record,
  type Session,
  sandbox,
  unique,
  uniqueTid,
  uploadImage,
  write,
  xrpc,
} from "./support.ts";

const listOf = (teamId: number) => sandbox().listPosts({ teamId });

describe("the sandbox's network", () => {
  const fetch = createSandboxFetch(env.SANDBOX_STATE, {
    teamId: 1,
    accountId: null,
    uploadId: null,
  });

  it.each([
    "https://example.com/",
    "http://127.0.0.1/",
    "http://bsky.social/",
    "https://bsky.social.example.com/",
    "https://bsky.social:8443/",
  ])("has nobody at %s", async (url) => {
    await expect(fetch(url)).rejects.toBeInstanceOf(TypeError);
  });

  it("takes a Request as well as an address", async () => {
    const request = new Request(xrpc("com.atproto.server.getSession"));
    expect((await fetch(request)).status).toBe(401);
    expect((await fetch(request, { method: "POST" })).status).toBe(400);
  });

  it("rejects with the signal's reason when it has aborted", async () => {
    const reason = new DOMException("The operation timed out.", "TimeoutError");
    const signal = AbortSignal.abort(reason);
    const url = xrpc("com.atproto.server.getSession");
    await expect(fetch(url, { signal })).rejects.toBe(reason);
    await expect(fetch(new Request(url, { signal }))).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });

  it("takes the caller's word for its origin from nobody else", async () => {
    const connection = await connect();
    const forged = createSandboxFetch(env.SANDBOX_STATE, {
      teamId: connection.teamId,
      accountId: connection.accountId,
      uploadId: null,
    });
    await write(
      {
        session: connection.session,
        fetch: (input, init) =>
          forged(input, {
            ...init,
            headers: { ...init?.headers, "sandbox-team-id": "1", "sandbox-upload-id": "7" },
          }),
      },
      record("Whose?"),
    );
    expect(await listOf(connection.teamId)).toMatchObject([
      { accountId: connection.accountId, uploadId: null },
    ]);
  });
});

describe("steering words", () => {
  it.each<[string, number, string, RegExp]>([
    ["rate_limited", 429, "RateLimitExceeded", /^Rate Limit Exceeded$/],
    ["media_invalid", 400, "InvalidRequest", /^Invalid app\.bsky\.feed\.post record: blob too big/],
    ["unknown", 400, "InvalidRequest", /^Invalid app\.bsky\.feed\.post record: /],
  ])("%s is said in the platform's own words, every time", async (word, status, error, words) => {
    const connection = await connect();
    for (let time = 0; time < 2; time++) {
      const refused = await readError(await write(connection, record(`x [sandbox:${word}]`)));
      expect(refused).toMatchObject({ status, error });
      expect(refused.message).toMatch(words);
    }
    expect(await listOf(connection.teamId)).toEqual([]);
  });

  it("account_disconnected is said once, and every later call of that login is refused", async () => {
    const connection = await connect();
    const taken = await readError(
      await write(connection, record("x [sandbox:account_disconnected]")),
    );
    expect(taken).toMatchObject({ status: 400, error: "AccountTakedown" });
    expect(await readError(await write(connection, record("Later")))).toMatchObject({
      status: 400,
      error: "ExpiredToken",
    });
  });

  it("rate_limited says when to come back: in a day", async () => {
    const reply = await write(await connect(), record("[sandbox:rate_limited]"));
    const inSeconds = Number(reply.headers.get("ratelimit-reset")) - Date.now() / 1_000;
    expect(inSeconds).toBeGreaterThan(86_340);
    expect(inSeconds).toBeLessThanOrEqual(86_400);
  });

  it.each([
    "platform_unavailable",
    "queue_expired",
    "media_unreachable",
    "content_flagged",
    "platform_processing_timeout",
    "cancelled",
  ])("%s, which the platform cannot say, ends the attempt", async (code) => {
    const connection = await connect();
    const error = await write(connection, record(`[sandbox:${code}]`)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(PublishFailure);
    expect(error).toMatchObject({ failure: { code, message: expect.stringContaining(code) } });
    expect(await listOf(connection.teamId)).toEqual([]);
  });

  it("lost_reply accepts the post and drops the answer, once per upload", async () => {
    const connection = await connect();
    const rkey = uniqueTid();
    const put = (uploadId: number, key = rkey) =>
      write(
        { session: connection.session, fetch: connection.fetchFor(uploadId) },
        record("[sandbox:lost_reply]"),
        { rkey: key, swapRecord: null },
      );
    const [one, other] = [unique(), unique()];
    await expect(put(one)).rejects.toThrow(new TypeError("Network connection lost."));
    expect(await listOf(connection.teamId)).toMatchObject([{ uploadId: one, received: 1 }]);
    expect((await put(one)).status).toBe(200);
    await expect(put(other, uniqueTid())).rejects.toBeInstanceOf(TypeError);
  });

  it("token_expired refuses the token until it is refreshed, for that upload only", async () => {
    const connection = await connect();
    const { session } = connection;
    const put = (accessJwt: string) =>
      write(
        { session: { ...session, accessJwt }, fetch: connection.fetch },
        record("[sandbox:token_expired]"),
      );
    for (let time = 0; time < 2; time++) {
      expect(await readError(await put(session.accessJwt))).toMatchObject({
        status: 400,
        error: "ExpiredToken",
      });
    }
    const other = { session, fetch: connection.fetchFor(unique()) };
    expect((await write(other, record("Another upload"))).status).toBe(200);
    const refreshed = await connection.fetch(xrpc("com.atproto.server.refreshSession"), {
      method: "POST",
      headers: { authorization: `Bearer ${session.refreshJwt}` },
    });
    expect((await put((await refreshed.json<Session>()).accessJwt)).status).toBe(200);
  });

  it("5xx=2 fails twice without accepting, then works", async () => {
    const connection = await connect();
    const rkey = uniqueTid();
    const statuses: number[] = [];
    for (let time = 0; time < 3; time++) {
      expect(await listOf(connection.teamId)).toEqual([]);
      statuses.push((await write(connection, record("[sandbox:5xx=2]"), { rkey })).status);
    }
    expect(statuses).toEqual([500, 502, 200]);
    expect(await listOf(connection.teamId)).toMatchObject([{ received: 1 }]);
  });

  it("slow accepts at once and keeps the client waiting until its deadline", async () => {
    const connection = await connect();
    const deadline = new AbortController();
    const reason = new DOMException("The operation timed out.", "TimeoutError");
    const answer = write(
      {
        session: connection.session,
        fetch: (input, init) => connection.fetch(input, { ...init, signal: deadline.signal }),
      },
      record("[sandbox:slow=90]"),
    );
    let posts = await listOf(connection.teamId);
    while (posts.length === 0) posts = await listOf(connection.teamId);
    deadline.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(posts).toMatchObject([{ text: "[sandbox:slow=90]", received: 1 }]);
  });

  it("an unknown word is text", async () => {
    const connection = await connect();
    expect((await write(connection, record("[sandbox:fly]"))).status).toBe(200);
  });
});

describe("the state", () => {
  it("survives a restart", async () => {
    const connection = await connect();
    const blob = await uploadImage(connection);
    const embed = { $type: "app.bsky.embed.images", images: [{ image: blob, alt: "Kept" }] };
    await write(connection, record("Before", { embed }));
    await evictDurableObject(sandbox());
    const [post] = await listOf(connection.teamId);
    expect(post).toMatchObject({ text: "Before", media: [{ alt: "Kept", sizeBytes: 64 }] });
    expect((await write(connection, record("After"))).status).toBe(200);
  });

  it("empties one team's feed, and its accounts go on working", async () => {
    const [mine, theirs] = [await connect(), await connect()];
    await write(mine, record("Mine"));
    await write(theirs, record("Theirs"));
    await sandbox().reset(mine.teamId);
    expect(await listOf(mine.teamId)).toEqual([]);
    expect(await listOf(theirs.teamId)).toHaveLength(1);
    expect((await write(mine, record("Again"))).status).toBe(200);
  });

  it("shows and removes nothing for a caller who names no team", async () => {
    const connection = await connect();
    const image = await uploadImage(connection);
    const embed = { $type: "app.bsky.embed.images", images: [{ image, alt: "Mine" }] };
    await write(connection, record("Mine", { embed }));
    const [post] = await listOf(connection.teamId);
    const id = post?.media[0]?.id ?? 0;
    expect(await sandbox().readMedia(id, connection.teamId)).not.toBeNull();
    for (const forgotten of [undefined, null] as never[]) {
      expect(await sandbox().listPosts({ teamId: forgotten })).toEqual([]);
      expect(await sandbox().readMedia(id, forgotten)).toBeNull();
      await sandbox().reset(forgotten);
      expect(await listOf(connection.teamId)).toHaveLength(1);
    }
  });
});
