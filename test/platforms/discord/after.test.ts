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
  const reactions = (...counts: number[]) =>
    Response.json({ id: "1", reactions: counts.map((count) => ({ count })) });

  test("of a webhook are the reactions of each message; a deleted one has none", async () => {
    const { call, calls } = callOf(WEBHOOK, reactions(3, 4), gone(), Response.json({ id: "3" }));
    const first = await metrics?.readPage({ ...call, own }, null);
    expect(first).toEqual({ ok: true, value: { posts: [], cursor: "each 0" } });
    expect(calls).toEqual([]);
    const page = await metrics?.readPage({ ...call, own }, "each 0");
    expect(page).toMatchObject({ ok: true, value: { cursor: null, problems: [] } });
    if (!page?.ok) return;
    expect(page.value.posts.map(({ id, counters }) => [id, counters.likes])).toEqual([
      ["1", 7],
      ["5/3", 0],
    ]);
    expect(calls[2]?.query).toEqual({ thread_id: "5" });
  });

  test("of a bot are listed with the channel, and those in threads are read one by one", async () => {
    const list = [
      { id: "9", reactions: [{ count: 99 }] },
      { id: "1", reactions: [{ count: 3 }] },
    ];
    const { call, calls } = callOf(BOT, Response.json(list), reactions(2));
    const first = await metrics?.readPage({ ...call, own }, null);
    expect(first).toMatchObject({
      value: { posts: [{ id: "1", counters: { likes: 3 } }], cursor: "each 0" },
    });
    const second = await metrics?.readPage({ ...call, own }, "each 0");
    expect(second).toMatchObject({
      value: { posts: [{ id: "5/3", counters: { likes: 2 } }], cursor: null },
    });
    expect(calls.map(({ path }) => path)).toEqual([
      "/api/v10/channels/333333333333333333/messages",
      "/api/v10/channels/5/messages/3",
    ]);
  });

  test("of a bot are read page by page, as far as they are new", async () => {
    const listOf = (seconds: number) =>
      Array.from({ length: 100 }, (_, i) => ({ id: idAt(seconds, 100 - i) }));
    const old = -40 * 86_400;
    const { call, calls } = callOf(BOT, Response.json(listOf(-60)), Response.json(listOf(old)));
    const first = await metrics?.readPage({ ...call, own: [] }, null);
    expect(first).toMatchObject({ value: { cursor: `1 ${idAt(-60, 1)}` } });
    const cursor = first?.ok ? first.value.cursor : null;
    expect(await metrics?.readPage({ ...call, own: [] }, cursor)).toMatchObject({
      value: { cursor: null },
    });
    expect(calls[1]?.query).toEqual({ limit: "100", before: idAt(-60, 1) });
  });

  test.each<[string, () => Response]>([
    ["a limit", () => Response.json({ message: "Wait.", retry_after: 5 }, { status: 429 })],
    ["an outage", () => new Response("", { status: 502 })],
    ["a lost login", () => refusal(404, 10015, "Unknown Webhook")],
  ])("end with %s", async (_, reply) => {
    const { call } = callOf(WEBHOOK, reactions(3), reply(), reactions(1));
    expect(await metrics?.readPage({ ...call, own }, "each 0")).toMatchObject({ ok: false });
  });

  test("of old messages are not read", async () => {
    const publishedAt = new Date(NOW.getTime() - 30 * 86_400_000);
    const { call, calls } = callOf(WEBHOOK);
    const old = own.map((one) => ({ ...one, publishedAt }));
    expect(await metrics?.readPage({ ...call, own: old }, null)).toMatchObject({
      value: { posts: [], cursor: null },
    });
    expect(calls).toEqual([]);
  });

  test("of followers are the server's members, and a webhook has none", async () => {
    const bot = callOf(BOT, Response.json({ approximate_member_count: 42 }));
    expect(await metrics?.readFollowers({ ...bot.call, own })).toEqual({ ok: true, value: 42 });
    const webhook = callOf(WEBHOOK);
    expect(await metrics?.readFollowers({ ...webhook.call, own })).toEqual({
      ok: true,
      value: null,
    });
    expect(webhook.calls).toEqual([]);
  });
});
