import { describe, expect, test } from "vitest";
import { discord } from "../../../src/platforms/discord/index.ts";
import type { AccountCall } from "../../../src/platforms/removal.ts";
import { BOT, idAt, NOW, network, post, refusal, TOKEN, WEBHOOK } from "./scripted.ts";

const IN_THREAD = "555555555555555555/666666666666666666";
const { removal, correction, metrics } = discord;

function callOf(account: string, ...replies: Response[]) {
  const { fetch, calls } = network(...replies);
  const call: AccountCall = {
    account: { platformAccountId: account, handle: null, service: null },
    accessToken: TOKEN,
    fetch,
    now: () => NOW,
  };
  return { call, calls };
}

const gone = () => refusal(404, 10008, "Unknown Message");

describe("a removal", () => {
  test.each([
    [WEBHOOK, `/api/v10/webhooks/222222222222222222/${TOKEN}/messages/666666666666666666`],
    [BOT, "/api/v10/channels/555555555555555555/messages/666666666666666666"],
  ])("of %s deletes the message in its thread", async (account, path) => {
    const { call, calls } = callOf(account, new Response(null, { status: 204 }));
    expect(await removal.calls?.remove(call, IN_THREAD)).toEqual({ ok: true, value: "deleted" });
    expect(calls[0]).toMatchObject({ method: "DELETE", path });
    expect(calls[0]?.query).toEqual(account === WEBHOOK ? { thread_id: "555555555555555555" } : {});
  });

  test.each<[string, string, () => Response, string | null]>([
    ["a message that is gone", "6", gone, "missing"],
    ["a thread that is gone", IN_THREAD, () => refusal(404, 10003, "Unknown Channel"), "missing"],
    ["a channel that is gone", "6", () => refusal(404, 10003, "Unknown Channel"), null],
  ])("of %s", async (_, id, reply, expected) => {
    const { call } = callOf(WEBHOOK, reply());
    const removed = await removal.calls?.remove(call, id);
    expect(removed).toMatchObject(expected ? { ok: true, value: expected } : { ok: false });
  });

  test("is read back", async () => {
    const shown = callOf(WEBHOOK, Response.json({ content: "Hello" }));
    expect(await removal.calls?.readBack(shown.call, "6")).toMatchObject({
      value: { isThere: true },
    });
    const { call } = callOf(WEBHOOK, gone());
    expect(await removal.calls?.readBack(call, "6")).toMatchObject({ value: { isThere: false } });
  });
});

describe("a correction", () => {
  test("sends the text, and lets it notify nobody", async () => {
    const texts = await correction.calls?.textsOf(post({ description: "New" }), "6");
    expect(texts).toEqual({ ok: true, value: { description: "New" } });
    const { call, calls } = callOf(BOT, Response.json({}));
    await correction.calls?.correct(call, IN_THREAD, { description: "New" });
    expect(calls[0]).toMatchObject({
      method: "PATCH",
      json: { content: "New", allowed_mentions: { parse: [] } },
    });
  });

  test.each([
    ["New ", true],
    ["Old", false],
  ])("that shows %j: %s", async (content, isShown) => {
    const { call } = callOf(WEBHOOK, Response.json({ content }));
    expect(await correction.calls?.shows(call, "6", { description: "New" })).toEqual({
      ok: true,
      value: isShown,
    });
  });
});

describe("figures", () => {
  const own = ["1", "2", "5/3"].map((id) => ({ id, publishedAt: NOW, text: "A", url: null }));

  test("are of bots alone, because a webhook lists nothing", () => {
    const account = (platformAccountId: string) => ({
      platformAccountId,
      handle: null,
      service: null,
    });
    expect([WEBHOOK, BOT].map((id) => metrics?.covers?.(account(id)))).toEqual([false, true]);
  });

  test("are the reactions in the channel's list", async () => {
    const list = [
      { id: "9", reactions: [{ count: 99 }] },
      { id: "2" },
      { id: "1", reactions: [{ count: 3 }, { count: 4 }] },
    ];
    const { call, calls } = callOf(BOT, Response.json(list));
    const page = await metrics?.readPage({ ...call, own }, null);
    if (!page?.ok) throw new Error();
    expect(page.value.posts.map(({ id, counters }) => [id, counters.likes])).toEqual([
      ["2", 0],
      ["1", 7],
    ]);
    expect(page.value.cursor).toBeNull();
    expect(calls.map(({ path }) => path)).toEqual([
      "/api/v10/channels/333333333333333333/messages",
    ]);
  });

  test("are read page by page, as far back as the account's own posts", async () => {
    const listOf = (seconds: number) =>
      Array.from({ length: 100 }, (_, i) => ({ id: idAt(seconds, 100 - i) }));
    const { call, calls } = callOf(BOT, Response.json(listOf(-60)), Response.json(listOf(-120)));
    const job = {
      ...call,
      own: [{ ...own[0], id: idAt(-90), publishedAt: NOW, text: "A", url: null }],
    };
    const first = await metrics?.readPage(job, null);
    expect(first).toMatchObject({ value: { cursor: `1 ${idAt(-60, 1)}` } });
    const cursor = first?.ok ? first.value.cursor : null;
    expect(await metrics?.readPage(job, cursor)).toMatchObject({ value: { cursor: null } });
    expect(calls[1]?.query).toEqual({ limit: "100", before: idAt(-60, 1) });
  });

  test("of threads are not read", async () => {
    const { call, calls } = callOf(BOT);
    const page = await metrics?.readPage({ ...call, own: own.slice(2) }, null);
    expect(page).toMatchObject({ value: { posts: [], cursor: null } });
    expect(calls).toEqual([]);
  });

  test("of followers are the server's members", async () => {
    const bot = callOf(BOT, Response.json({ approximate_member_count: 42 }));
    expect(await metrics?.readFollowers({ ...bot.call, own })).toEqual({ ok: true, value: 42 });
  });
});
