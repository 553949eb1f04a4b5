import { describe, expect, test } from "vitest";
import type { Bookmark } from "../../../src/platforms/connector.ts";
import { discord } from "../../../src/platforms/discord/index.ts";
import {
  BOT,
  BOT_ID,
  idAt,
  image,
  type JobChange,
  job,
  NOW,
  network,
  refusal,
  TOKEN,
  video,
} from "./scripted.ts";

const CHANNEL = "333333333333333333";
const FORUM = BOT.replace("channels/", "forums/");
const THREAD = "555555555555555555";
const MESSAGE = "666666666666666666";

const made = (change: object = {}) =>
  Response.json({ id: MESSAGE, channel_id: CHANNEL, ...change });
const channel = (change: object = {}) =>
  Response.json({ id: CHANNEL, type: 0, guild_id: "111111111111111111", ...change });

async function publish(change: JobChange, ...replies: Response[]) {
  const { fetch, calls, left } = network(...replies);
  const own = job(fetch, change);
  const prepared = await discord.prepare(own, null);
  if (prepared.kind !== "ready") return { step: prepared, calls };
  const step = await discord.submit(own, JSON.parse(JSON.stringify(prepared.bookmark)));
  expect(left).toEqual([]);
  return { step, calls, bookmark: prepared.bookmark };
}

/** The JSON and the files of a form. */
async function readForm(call: { text: string; headers: Record<string, string> } | undefined) {
  const type = call?.headers["content-type"] ?? "";
  const headers = { "content-type": type };
  const form = await new Response(call?.text, { headers }).formData();
  const files = [...form].flatMap(([name, value]) =>
    typeof value === "string" || name === "payload_json"
      ? []
      : [`${name} ${value.name} ${value.type} ${value.size}`],
  );
  const json = form.get("payload_json");
  return { json: JSON.parse(typeof json === "string" ? json : await (json as Blob).text()), files };
}

describe("a webhook", () => {
  test("sends the text as it is written, and waits for the message", async () => {
    const { step, calls } = await publish({ description: "**Hi** @everyone" }, made());
    expect(step).toEqual({
      kind: "published",
      platformPostId: MESSAGE,
      shareUrl: `https://discord.com/channels/111111111111111111/${CHANNEL}/${MESSAGE}`,
    });
    const [call] = calls;
    expect(call).toMatchObject({ method: "POST", query: { wait: "true" }, redirect: "manual" });
    expect(call?.json).toEqual({ content: "**Hi** @everyone", allowed_mentions: { parse: [] } });
  });

  test("posts into a thread, which the post's id names", async () => {
    const change = { settings: { discord_thread_id: THREAD } };
    const { step, calls } = await publish(change, made({ channel_id: THREAD }));
    expect(step).toMatchObject({ platformPostId: `${THREAD}/${MESSAGE}` });
    expect(calls[0]?.query).toEqual({ wait: "true", thread_id: THREAD });
  });

  test("sends files with their descriptions in one form of known length", async () => {
    const media = [image({ altText: "A fox" }), video()];
    const { calls } = await publish({ media }, made());
    const { json, files } = await readForm(calls[0]);
    expect(json.attachments).toEqual([
      { id: 0, filename: "file-1.jpg", description: "A fox" },
      { id: 1, filename: "file-2.mp4" },
    ]);
    expect(files).toEqual([
      "files[0] file-1.jpg image/jpeg 1234",
      "files[1] file-2.mp4 video/mp4 2500",
    ]);
  });

  test("begins a thread when the first answer says that the channel is a forum", async () => {
    const forum = refusal(400, 220001, "Webhooks posted to forum channels must have a thread_name");
    const sent = made({ id: THREAD, channel_id: THREAD });
    const { step, calls } = await publish(
      { title: "Our news", settings: { discord_tags: "7,8" } },
      forum,
      sent,
    );
    expect(step).toMatchObject({ platformPostId: `${THREAD}/${THREAD}` });
    expect(calls.map(({ json }) => [json.thread_name, json.applied_tags])).toEqual([
      [undefined, undefined],
      ["Our news", ["7", "8"]],
    ]);
  });

  test("sends a further post into the thread of the first, without a reply", async () => {
    const root = `${THREAD}/${MESSAGE}`;
    const { calls } = await publish({ replyTo: { root, parent: root, latest: root } }, made());
    expect(calls[0]?.query.thread_id).toBe(THREAD);
    expect(calls[0]?.json).not.toHaveProperty("message_reference");
    expect(calls[0]?.json).not.toHaveProperty("nonce");
  });

  test("is told which thread is wrong", async () => {
    const unknown = refusal(404, 10003, "Unknown Channel");
    const { step } = await publish({ settings: { discord_thread_id: THREAD } }, unknown);
    expect(step).toMatchObject({
      kind: "failed",
      failure: { code: "content_flagged", message: expect.stringContaining("discord_thread_id") },
    });
  });

  test("never looks for a lost message, because there is no list", async () => {
    const { fetch, calls } = network();
    const own = job(fetch);
    const prepared = await discord.prepare(own, null);
    if (prepared.kind !== "ready") throw new Error();
    expect(await discord.reconcile(own, prepared.bookmark)).toMatchObject({ kind: "unknowable" });
    expect(calls).toEqual([]);
  });

  test("an error of the network does not tell the token", async () => {
    const { fetch } = network();
    const own = job(async (input, init) => {
      throw new Error(`No answer from ${new Request(input, init).url}`);
    });
    const prepared = await discord.prepare(job(fetch), null);
    if (prepared.kind !== "ready") throw new Error();
    const error = await discord.submit(own, prepared.bookmark).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toContain("[hidden]");
    expect(error.message).not.toContain(TOKEN);
  });
});

describe("a bot", () => {
  const bot = (change: JobChange = {}): JobChange => ({ account: BOT, ...change });

  test("sends a nonce, by which Discord makes a repeated call no second message", async () => {
    const { step, calls, bookmark } = await publish(bot(), made());
    expect(step).toMatchObject({ platformPostId: MESSAGE });
    const { nonce } = calls[0]?.json ?? {};
    expect(nonce).toMatch(/^\w{10,25}$/);
    expect(bookmark).toMatchObject({ nonce });
    expect(calls[0]?.json).toEqual({
      content: "Hello",
      allowed_mentions: { parse: [] },
      nonce,
      enforce_nonce: true,
    });
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([`Bot ${TOKEN}`]);
  });

  test("replies to the message before, in its thread", async () => {
    const replyTo = { root: `${THREAD}/1`, parent: `${THREAD}/2`, latest: `${THREAD}/2` };
    const { calls } = await publish(bot({ replyTo }), made({ channel_id: THREAD }));
    expect(calls[0]).toMatchObject({
      path: `/api/v10/channels/${THREAD}/messages`,
      json: { message_reference: { message_id: "2", fail_if_not_exists: false } },
    });
  });

  test("begins a thread in a forum", async () => {
    const reply = Response.json({ id: THREAD, message: { id: THREAD, channel_id: THREAD } });
    const title = "x".repeat(120);
    const change = { account: FORUM, title, settings: { discord_tags: "7" } };
    const { step, calls } = await publish(change, reply);
    expect(step).toMatchObject({ platformPostId: `${THREAD}/${THREAD}` });
    expect(calls[0]).toMatchObject({
      path: `/api/v10/channels/${CHANNEL}/threads`,
      json: { name: "x".repeat(100), applied_tags: ["7"], message: { content: "Hello" } },
    });
  });

  test.each<[string, JobChange, Response]>([
    [
      "another channel as its thread",
      { settings: { discord_thread_id: THREAD } },
      channel({ id: THREAD, type: 0, parent_id: "777777777777777777" }),
    ],
    [
      "a thread that is not there",
      { settings: { discord_thread_id: THREAD } },
      refusal(404, 10003, "Unknown Channel"),
    ],
  ])("does not post with %s", async (_, change, reply) => {
    const { step, calls } = await publish(bot(change), reply);
    expect(step).toMatchObject({ kind: "failed", failure: { code: "content_flagged" } });
    expect(calls).toHaveLength(1);
  });
});

describe("a bot that looks for its lost message", () => {
  const NONCE = "0123456789ab0123456789ab";
  const at: Bookmark = {
    threadId: null,
    nonce: NONCE,
    readyAt: NOW.getTime(),
  };
  const message = (seconds: number, change: object = {}) => ({
    id: idAt(seconds),
    author: { id: BOT_ID },
    content: "Hello",
    attachments: [],
    ...change,
  });
  const other = (seconds: number) => message(seconds, { author: { id: "8" }, content: "" });
  const full = Array.from({ length: 100 }, (_, i) => ({ ...other(50), id: idAt(50, 100 - i) }));

  async function look(pages: object[][], change: JobChange = {}, bookmark = at) {
    const me = Response.json({ id: BOT_ID, username: "newsbot", avatar: null });
    const { fetch, calls } = network(me, ...pages.map((page) => Response.json(page)));
    const found = await discord.reconcile(job(fetch, { account: BOT, ...change }), bookmark);
    return { found, calls };
  }

  test.each<[string, object[][], JobChange, object]>([
    [
      "its nonce, whatever the text",
      [[message(5, { nonce: NONCE, content: "Hllo" }), message(4)]],
      {},
      { kind: "published", platformPostId: idAt(5) },
    ],
    ["its text", [[message(5), other(-900)]], {}, { kind: "published", platformPostId: idAt(5) }],
    [
      "the number of its files",
      [[message(5, { content: "", attachments: [{}] }), other(-900)]],
      { description: null, media: [image()] },
      { kind: "published" },
    ],
    ["two of its text", [[message(6), message(5)]], {}, { kind: "unknowable" }],
    ["an older one of its text", [[message(-900)]], {}, { kind: "absent" }],
    ["one with another nonce", [[message(5, { nonce: "1" })]], {}, { kind: "absent" }],
    ["only others'", [[other(5), other(-900)]], {}, { kind: "absent" }],
    ["none at all, which may be a lacking permission", [[]], {}, { kind: "unknowable" }],
    ["a page of others, then its own", [full, [message(5)]], {}, { kind: "published" }],
    ["a page of others, then an old one", [full, [other(-900)]], {}, { kind: "absent" }],
    ["more pages than it reads", Array(5).fill(full), {}, { kind: "unknowable" }],
  ])("finds %s", async (_, pages, change, expected) => {
    const { found, calls } = await look(pages, change);
    expect(found).toMatchObject(expected);
    expect(calls).toHaveLength(1 + pages.length);
  });

  test("waits while Discord is away", async () => {
    const { fetch } = network(new Response("", { status: 502 }));
    await expect(discord.reconcile(job(fetch, { account: BOT }), at)).rejects.toThrow("502");
  });

  test("in a forum never looks, because the call for a thread takes no nonce", async () => {
    const { fetch, calls } = network();
    const found = await discord.reconcile(job(fetch, { account: FORUM }), at);
    expect(found).toMatchObject({ kind: "unknowable" });
    expect(calls).toEqual([]);
  });
});
