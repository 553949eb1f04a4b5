import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { sandboxLogin, worldOf } from "../../../src/sandbox/discord/world.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { Harness } from "../../support/harness.ts";
import { testJpeg } from "../../support/videos.ts";
import { unique } from "../support.ts";

const API = "https://discord.com/api/v10";
const AGENT = "DiscordBot (https://example.com, 1.0)";

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Reply = { status: number; body: any; headers: Headers };

/** A server of its own, called without our connector. */
async function onStage(kind = "Raw") {
  new Harness();
  const teamId = unique();
  const name = `${kind} ${teamId}`;
  const world = await worldOf(name);
  const login = await sandboxLogin(name);
  const fetch = createSandboxFetch(env.SANDBOX_STATE, {
    teamId,
    accountId: `acc_${teamId}`,
    uploadId: null,
  });
  const authorization = login.botToken ? `Bot ${login.botToken}` : null;
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Reply> => {
    const headers = new Headers(init.headers);
    if (!headers.has("user-agent")) headers.set("user-agent", AGENT);
    if (authorization && !headers.has("authorization")) headers.set("authorization", authorization);
    const reply = await fetch(`${API}${path}`, { ...init, method, headers });
    const text = await reply.text();
    return { status: reply.status, body: text ? JSON.parse(text) : null, headers: reply.headers };
  };
  const json = (method: string, path: string, body: unknown) =>
    send(method, path, {
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const hook = (login.webhookUrl ?? "").replace("https://discord.com/api", "");
  const channel = `/channels/${world.channelId}`;
  return {
    world,
    login,
    send,
    json,
    hook,
    channel,
    execute: (body: unknown, query = "?wait=true") => json("POST", `${hook}${query}`, body),
    create: (body: unknown) => json("POST", `${channel}/messages`, body),
    form: (path: string, payload: object, files: Blob[]) => {
      const body = new FormData();
      body.append("payload_json", JSON.stringify(payload));
      for (const [i, file] of files.entries()) body.append(`files[${i}]`, file, `file-${i}.jpg`);
      return send("POST", path, { body });
    },
  };
}

const refusal = (status: number, code: number) => ({
  status,
  body: { code, message: expect.any(String) },
});
const invalid = (field: string) => ({
  status: 400,
  body: { code: 50035, errors: { [field]: {} } },
});
const jpeg = () => new Blob([testJpeg], { type: "image/jpeg" });

test("a browser's agent is blocked", async () => {
  const { send, hook } = await onStage();
  const headers = { "user-agent": "Mozilla/5.0" };
  expect(await send("GET", hook, { headers })).toMatchObject(refusal(403, 40333));
});

describe("a webhook", () => {
  test("tells its place and no user", async () => {
    const { send, hook, world } = await onStage();
    expect((await send("GET", hook)).body).toEqual({
      id: world.webhookId,
      type: 1,
      guild_id: world.guildId,
      channel_id: world.channelId,
      name: world.name,
      avatar: null,
      token: hook.split("/").at(-1),
      application_id: null,
    });
  });

  test("is unknown by another id, or wrong by another token", async () => {
    const stage = await onStage();
    const other = await onStage();
    const [, , id, token] = stage.hook.split("/");
    expect(await stage.send("GET", `/webhooks/${id}/abc`)).toMatchObject(refusal(401, 50027));
    const [, , otherId] = other.hook.split("/");
    expect(await stage.send("GET", `/webhooks/${otherId}/${token}`)).toMatchObject(
      refusal(404, 10015),
    );
  });

  test("answers the message only when it is told to wait", async () => {
    const { execute, world } = await onStage();
    expect(await execute({ content: "Hello" }, "")).toMatchObject({ status: 204, body: null });
    const { body } = await execute({ content: " Hello ", flags: 4_096 });
    expect(body).toMatchObject({
      id: expect.stringMatching(/^\d{18,19}$/),
      channel_id: world.channelId,
      webhook_id: world.webhookId,
      author: { id: world.webhookId, bot: true },
      content: "Hello",
      flags: 4_096,
    });
    expect(body).not.toHaveProperty("guild_id");
    expect(body).not.toHaveProperty("nonce");
  });

  test.each<[string, unknown, object]>([
    ["nothing", {}, refusal(400, 50006)],
    ["blanks", { content: " \n" }, refusal(400, 50006)],
    ["no JSON", "{", refusal(400, 50109)],
    ["2,001 code points", { content: "😀".repeat(2_001) }, invalid("content")],
    ["an unknown flag", { content: "A", flags: 8 }, invalid("flags")],
    ["a file that is not sent", { content: "A", attachments: [{ id: 0 }] }, invalid("attachments")],
    [
      "an unknown kind of mentions",
      { content: "A", allowed_mentions: { parse: ["here"] } },
      invalid("allowed_mentions"),
    ],
    ["a thread outside of a forum", { content: "A", thread_name: "B" }, refusal(400, 220003)],
  ])("refuses %s", async (_, body, expected) => {
    expect(await (await onStage()).execute(body)).toMatchObject(expected);
  });

  test("takes 2,000 emoji", async () => {
    const { execute } = await onStage();
    expect(await execute({ content: "😀".repeat(2_000) })).toMatchObject({ status: 200 });
  });

  test("takes files in a form, with their descriptions", async () => {
    const { form, hook } = await onStage();
    const attachments = [{ id: 1, description: "A hen" }];
    const { body } = await form(`${hook}?wait=true`, { attachments }, [jpeg(), jpeg()]);
    expect(body.attachments).toMatchObject([
      { filename: "file-0.jpg", content_type: "image/jpeg", size: testJpeg.byteLength },
      { filename: "file-1.jpg", description: "A hen" },
    ]);
  });

  test.each<[string, Blob[], number, number]>([
    ["eleven files", Array.from({ length: 11 }, jpeg), 400, 30015],
    ["a file above 10 MiB", [new Blob([new Uint8Array(10 * 1_024 ** 2 + 1)])], 413, 40005],
    ["more than 25 MiB", Array(3).fill(new Blob([new Uint8Array(9 * 1_024 ** 2)])), 413, 40005],
  ])("refuses %s", async (_, files, status, code) => {
    const { form, hook } = await onStage();
    expect(await form(`${hook}?wait=true`, {}, files)).toMatchObject(refusal(status, code));
  });

  test("posts into a thread of its channel, and finds the message there alone", async () => {
    const { execute, send, hook, world } = await onStage();
    const { body } = await execute({ content: "A" }, `?wait=true&thread_id=${world.threadId}`);
    expect(body.channel_id).toBe(world.threadId);
    const path = `${hook}/messages/${body.id}`;
    expect(await send("GET", path)).toMatchObject(refusal(404, 10008));
    expect(await send("GET", `${path}?thread_id=${world.threadId}`)).toMatchObject({ status: 200 });
    expect(await execute({ content: "A" }, "?wait=true&thread_id=123")).toMatchObject(
      refusal(404, 10003),
    );
  });

  test("edits and deletes its own message", async () => {
    const { execute, send, json, hook } = await onStage();
    const path = `${hook}/messages/${(await execute({ content: "Before" })).body.id}`;
    expect((await json("PATCH", path, { content: "After" })).body.content).toBe("After");
    expect((await send("GET", path)).body.content).toBe("After");
    expect(await json("PATCH", path, { content: "x".repeat(2_001) })).toMatchObject(
      invalid("content"),
    );
    expect(await send("DELETE", path)).toMatchObject({ status: 204 });
    for (const method of ["GET", "DELETE"]) {
      expect(await send(method, path)).toMatchObject(refusal(404, 10008));
    }
  });

  test("in a forum begins a thread", async () => {
    const { execute } = await onStage("Forum");
    expect(await execute({ content: "A" })).toMatchObject(refusal(400, 220001));
    const { body } = await execute({ content: "A", thread_name: "B" });
    expect(body.channel_id).toBe(body.id);
  });

  test("in a forum that asks for a tag needs one of its own", async () => {
    const { execute, world } = await onStage("Tagged forum");
    const post = { content: "A", thread_name: "B" };
    expect(await execute(post)).toMatchObject(refusal(400, 40067));
    expect(await execute({ ...post, applied_tags: ["1"] })).toMatchObject(refusal(400, 10087));
    expect(await execute({ ...post, applied_tags: [world.tagId] })).toMatchObject({ status: 200 });
  });
});

describe("a bot", () => {
  test("tells who it is, and its channel and server", async () => {
    const { send, world, channel } = await onStage("Bot");
    expect((await send("GET", "/users/@me")).body).toMatchObject({ id: world.botId, bot: true });
    expect((await send("GET", channel)).body).toMatchObject({ type: 0, guild_id: world.guildId });
    const guild = `/guilds/${world.guildId}`;
    expect((await send("GET", guild)).body).not.toHaveProperty("approximate_member_count");
    expect((await send("GET", `${guild}?with_counts=true`)).body).toMatchObject({
      approximate_member_count: expect.any(Number),
    });
  });

  test("needs its token, and sees no other channel", async () => {
    const { send, channel } = await onStage("Bot");
    const headers = { authorization: "Bot a.b.c" };
    expect(await send("GET", channel, { headers })).toMatchObject(refusal(401, 0));
    expect(await send("GET", "/channels/123")).toMatchObject(refusal(404, 10003));
    const blind = await onStage("Blind bot");
    expect(await blind.send("GET", blind.channel)).toMatchObject(refusal(403, 50001));
  });

  test("makes one message of a nonce that is enforced, and two of one that is not", async () => {
    const { create, send, channel } = await onStage("Bot");
    const post = { content: "A", nonce: "n1", enforce_nonce: true };
    const first = await create(post);
    expect((await create({ ...post, content: "B" })).body).toEqual(first.body);
    const loose = { content: "C", nonce: "n2" };
    expect((await create(loose)).body.id).not.toBe((await create(loose)).body.id);
    await send("DELETE", `${channel}/messages/${first.body.id}`);
    expect(await create(post)).toMatchObject(refusal(404, 10008));
  });

  test("may use a nonce again after some minutes", async () => {
    const { create } = await onStage("Bot");
    const post = { content: "A", nonce: "n1", enforce_nonce: true };
    const { body } = await create(post);
    vi.setSystemTime(Date.now() + 5 * 60_000);
    expect((await create(post)).body.id).not.toBe(body.id);
    expect(await create({ ...post, nonce: "x".repeat(26) })).toMatchObject(invalid("nonce"));
  });

  test("replies, and posts without the reply where the message is gone", async () => {
    const { create } = await onStage("Bot");
    const { body } = await create({ content: "A" });
    const reply = (message_id: string, fail_if_not_exists = false) =>
      create({ content: "B", message_reference: { message_id, fail_if_not_exists } });
    expect((await reply(body.id)).body.message_reference).toEqual({ message_id: body.id });
    expect((await reply("123")).body).not.toHaveProperty("message_reference");
    expect(await reply("123", true)).toMatchObject(invalid("message_reference"));
  });

  test("lists the newest messages first, and the first one of a person last", async () => {
    const { create, send, channel } = await onStage("Bot");
    const made: string[] = [];
    for (const content of ["A", "B", "C"]) made.unshift((await create({ content })).body.id);
    const list = async (query: string) =>
      (await send("GET", `${channel}/messages?${query}`)).body.map(({ id }: { id: string }) => id);
    expect(await list("limit=100")).toEqual([...made, "1"]);
    expect(await list("limit=2")).toEqual(made.slice(0, 2));
    expect(await list(`limit=2&before=${made[1]}`)).toEqual([made[2], "1"]);
  });

  test("is shown an empty list without the permission, and no error", async () => {
    const { create, send, channel } = await onStage("No history bot");
    await create({ content: "A" });
    expect(await send("GET", `${channel}/messages`)).toMatchObject({ status: 200, body: [] });
  });

  test("in a forum begins a thread, which is a channel", async () => {
    const { create, json, send, channel, world } = await onStage("Forum bot");
    expect(await create({ content: "A" })).toMatchObject(refusal(400, 50008));
    const body = { name: "News", message: { content: "A" } };
    const { body: thread } = await json("POST", `${channel}/threads`, body);
    expect(thread.message).toMatchObject({ id: thread.id, channel_id: thread.id, content: "A" });
    expect((await send("GET", `/channels/${thread.id}`)).body).toMatchObject({
      type: 11,
      parent_id: world.channelId,
    });
  });

  test("begins no thread outside of a forum, and none without a name", async () => {
    const { json, channel } = await onStage("Bot");
    const body = { name: "News", message: { content: "A" } };
    expect(await json("POST", `${channel}/threads`, body)).toMatchObject(refusal(400, 50024));
    const forum = await onStage("Forum bot");
    const unnamed = { ...body, name: "" };
    expect(await forum.json("POST", `${forum.channel}/threads`, unnamed)).toMatchObject(
      invalid("name"),
    );
  });
});

test("words in the text steer it", async () => {
  const { execute } = await onStage();
  const limited = await execute({ content: "A [sandbox:rate_limited]" });
  expect(limited).toMatchObject({ status: 429, body: { code: 20028, retry_after: 3_600.5 } });
  expect(limited.headers.get("x-ratelimit-scope")).toBe("user");
  expect(await execute({ content: "B [sandbox:token_expired]" })).toMatchObject({ status: 200 });
  expect(await execute({ content: "C [sandbox:account_disconnected]" })).toMatchObject(
    refusal(404, 10015),
  );
  expect(await execute({ content: "D" })).toMatchObject(refusal(404, 10015));
});
