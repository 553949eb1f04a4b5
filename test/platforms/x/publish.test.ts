import { describe, expect, test } from "vitest";
import type { Bookmark } from "../../../src/platforms/connector.ts";
import { x } from "../../../src/platforms/x/index.ts";
import {
  type Answer,
  data,
  FACTS,
  image,
  type JobChange,
  job,
  NOW,
  problem,
  scriptedFetch,
  video,
} from "./scripted.ts";

const READY = {
  stage: "ready",
  taggedIds: [] as string[],
  mediaIds: [] as string[],
  warnings: [] as string[],
  readyAt: NOW.getTime(),
};
const POST = "POST /2/tweets";
const LIST = "GET /2/users/1234/tweets";
const ME = "GET /2/users/me";
const USERS = "GET /2/users/by";
const ID = "1995400000000000001";

const made = () => data({ id: ID, text: "Hello" }, 201);
const duplicate = () =>
  problem(403, "You are not allowed to create a Tweet with duplicate content.");

type Step = "prepare" | "submit" | "reconcile";

async function step(
  name: Step,
  script: Record<string, Answer[]>,
  bookmark: Bookmark | null = READY,
  change: JobChange = {},
) {
  const { fetch, calls } = scriptedFetch(script);
  const publishJob = job(fetch, change);
  const stored = bookmark && (JSON.parse(JSON.stringify(bookmark)) as Bookmark);
  const result =
    name === "prepare"
      ? await x.prepare(publishJob, stored)
      : await x[name](publishJob, stored ?? {});
  return { result, calls };
}

describe("preparing", () => {
  test("text alone is ready without a call", async () => {
    const { result, calls } = await step("prepare", {}, null);
    expect(result).toEqual({ kind: "ready", bookmark: READY });
    expect(calls).toEqual([]);
  });

  test("what was ready and refused is ready anew", async () => {
    const { result } = await step("prepare", {}, { ...READY, mediaIds: ["7"], readyAt: 5 });
    expect(result).toEqual({ kind: "ready", bookmark: { ...READY, mediaIds: ["7"] } });
  });

  test("a bookmark of somebody else is an error", async () => {
    await expect(step("prepare", {}, { stage: "elsewhere" })).rejects.toThrow();
    await expect(step("submit", {}, { stage: "preparing" })).rejects.toThrow();
  });

  const long = { title: "x".repeat(281), settings: { x_premium: "true" } };

  test.each(["Basic", "Premium", "PremiumPlus", undefined])(
    "a long text of an account with %s goes on",
    async (subscription_type) => {
      const me = data({ id: "1234", name: "Ada", username: "ada", subscription_type });
      const { result, calls } = await step("prepare", { [ME]: [me] }, null, long);
      expect(result).toMatchObject({
        kind: "next",
        bookmark: { stage: "preparing", mediaIds: [] },
      });
      expect(calls[0]?.query["user.fields"]).toContain("subscription_type");
    },
  );

  test.each<[string, JobChange]>([
    ["a long text", { ...long, media: [image()] }],
    [
      "a long video",
      { media: [video()], settings: long.settings, facts: { ...FACTS, durationSeconds: 1_201 } },
    ],
  ])("%s of an account without a subscription ends there", async (_, change) => {
    const me = data({ id: "1234", name: "Ada", username: "ada", subscription_type: "None" });
    const { result, calls } = await step("prepare", { [ME]: [me] }, null, change);
    expect(result).toMatchObject({
      kind: "failed",
      failure: { code: "content_flagged", message: expect.stringContaining("X Premium") },
      transient: false,
    });
    expect(calls).toHaveLength(1);
  });

  test("280 characters with x_premium are not asked about", async () => {
    const change = { title: "x".repeat(280), settings: { x_premium: "true" } };
    expect((await step("prepare", {}, null, change)).calls).toEqual([]);
  });

  test("a refused question is the answer", async () => {
    expect(await step("prepare", { [ME]: [problem(401, "No")] }, null, long)).toMatchObject({
      result: { kind: "token_expired" },
    });
    expect(await step("prepare", { [ME]: [problem(503, "No")] }, null, long)).toMatchObject({
      result: { kind: "failed", transient: true },
    });
  });

  test("a video against the rules is refused before any call", async () => {
    const { result, calls } = await step("prepare", {}, null, { media: [video()], facts: null });
    expect(result).toMatchObject({ kind: "failed", failure: { code: "media_invalid" } });
    expect(calls).toEqual([]);
  });

  const tagging = { media: [image()], settings: { x_tagged_users: "Ada,nobody,grace" } };

  test("tagged users are looked up in one call; unknown ones become a warning", async () => {
    const users = Response.json({
      data: [
        { id: "22", name: "G", username: "Grace" },
        { id: "11", name: "A", username: "ada" },
      ],
      errors: [{ value: "nobody", title: "Not Found Error" }],
    });
    const { result, calls } = await step("prepare", { [USERS]: [users] }, null, tagging);
    expect(calls).toMatchObject([
      {
        url: "https://api.x.com/2/users/by?usernames=Ada,nobody,grace",
        headers: { authorization: "Bearer token-1" },
        redirect: "manual",
      },
    ]);
    expect(result).toMatchObject({
      kind: "next",
      bookmark: {
        taggedIds: ["11", "22"],
        warnings: ["@nobody was not tagged: X knows no such user."],
      },
    });
  });

  test("nobody known is a warning for each", async () => {
    const none = Response.json({ errors: [{ value: "Ada" }] });
    const { result } = await step("prepare", { [USERS]: [none] }, null, tagging);
    expect(result).toMatchObject({ bookmark: { taggedIds: [], warnings: { length: 3 } } });
  });
});

describe("the call that makes the post", () => {
  test("says the text and nothing else", async () => {
    const { result, calls } = await step("submit", { [POST]: [made()] });
    expect(result).toEqual({
      kind: "published",
      platformPostId: ID,
      shareUrl: `https://x.com/ada/status/${ID}`,
    });
    expect(calls).toMatchObject([
      {
        url: "https://api.x.com/2/tweets",
        headers: { authorization: "Bearer token-1", "content-type": "application/json" },
        redirect: "manual",
        text: '{"text":"Hello"}',
      },
    ]);
  });

  test.each<[string, JobChange, Partial<typeof READY>, object]>([
    [
      "every label",
      {
        settings: {
          x_reply_settings: "subscribers",
          x_super_followers_only: "1",
          x_share_with_followers: "1",
          x_made_with_ai: "1",
          x_paid_partnership: "1",
          x_community_id: "1493446837214187523",
        },
      },
      {},
      {
        text: "Hello",
        reply_settings: "subscribers",
        community_id: "1493446837214187523",
        share_with_followers: true,
        for_super_followers_only: true,
        made_with_ai: true,
        paid_partnership: true,
      },
    ],
    [
      "no sharing outside a circle",
      { settings: { x_share_with_followers: "1" } },
      {},
      { text: "Hello" },
    ],
    [
      "a poll of a day",
      { settings: { x_poll_options: "a,b" } },
      {},
      { text: "Hello", poll: { options: ["a", "b"], duration_minutes: 1_440 } },
    ],
    [
      "media with tags",
      { media: [image()] },
      { mediaIds: ["9007199254740993"], taggedIds: ["7"] },
      { text: "Hello", media: { media_ids: ["9007199254740993"], tagged_user_ids: ["7"] } },
    ],
    [
      "media without text",
      { title: null, media: [image(), image()] },
      { mediaIds: ["1", "2"] },
      { media: { media_ids: ["1", "2"] } },
    ],
    ["the description", { title: " ", description: "Below" }, {}, { text: "Below" }],
  ])("%s", async (_, change, at, body) => {
    const { calls } = await step("submit", { [POST]: [made()] }, { ...READY, ...at }, change);
    expect(calls[0]?.json).toEqual(body);
  });

  test("warnings travel along, and a post without a name has an address too", async () => {
    const warnings = ["@nobody was not tagged."];
    const change = { account: { handle: null } };
    const { result } = await step("submit", { [POST]: [made()] }, { ...READY, warnings }, change);
    expect(result).toMatchObject({ shareUrl: `https://x.com/i/status/${ID}`, warnings });
  });

  test.each<[string, () => Response]>([
    ["503", () => problem(503, "Service Unavailable")],
    ["408", () => problem(408, "Late")],
    ["a redirect", () => new Response(null, { status: 302 })],
    ["a 201 that cannot be read", () => new Response("{", { status: 201 })],
    ["a 201 without an id", () => data({ text: "Hello" }, 201)],
  ])("%s leaves it unknown", async (_, answer) => {
    const { result } = await step("submit", { [POST]: [answer()] });
    expect(result).toMatchObject({ kind: "unknown", message: expect.any(String) });
  });

  test("a timeout is thrown", async () => {
    await expect(step("submit", { [POST]: [new Error("Timeout")] })).rejects.toThrow("Timeout");
  });

  test("a refused token, a refusal, and media that are gone", async () => {
    expect(await step("submit", { [POST]: [problem(401, "No")] })).toMatchObject({
      result: { kind: "token_expired" },
    });
    const forbidden = problem(403, "You are not permitted to perform this action.");
    expect(await step("submit", { [POST]: [forbidden] })).toMatchObject({
      result: { kind: "failed", failure: { code: "unknown" }, transient: false },
    });
    expect(await step("submit", { [POST]: [mediaRefused()] })).toMatchObject({
      result: { kind: "failed", failure: { code: "platform_unavailable" }, restart: true },
    });
  });
});

/** A listed post from the moment when ours became ready. */
const listed = (change: object = {}) => ({
  id: ID,
  text: "Hello",
  created_at: "2026-12-01T09:00:00.000Z",
  ...change,
});

const list = (posts: object[], more = {}) =>
  Response.json({
    ...(posts.length > 0 ? { data: posts } : {}),
    meta: { result_count: posts.length, ...more },
  });

const reconciled = { kind: "published", platformPostId: ID };

const mediaRefused = () =>
  problem(400, "Invalid", { errors: [{ message: "Your media IDs are invalid." }] });

describe("a post that X says it has", () => {
  test("is another one at the first call, whatever the list shows", async () => {
    const { result, calls } = await step("submit", { [POST]: [duplicate()] });
    expect(result).toMatchObject({
      kind: "failed",
      failure: { code: "content_flagged", message: expect.stringContaining("duplicate") },
      transient: false,
    });
    expect(calls).toHaveLength(1);
  });

  const AGAIN = { ...READY, readyAt: NOW.getTime() - 81_000 };
  const CHECK = {
    kind: "failed",
    failure: { code: "platform_processing_timeout" },
    transient: false,
  };

  test.each<[string, () => Answer, object]>([
    ["is our own lost post", () => list([listed()]), reconciled],
    ["has to be looked for where none is listed", () => list([]), CHECK],
    [
      "has to be looked for where the listed one is older",
      () => list([listed({ created_at: "2026-12-01T08:58:30.000Z" })]),
      CHECK,
    ],
    [
      "has to be looked for where two could be it",
      () => list([listed(), listed({ id: "5" })]),
      CHECK,
    ],
    ["is unknown while X cannot be asked", () => problem(503, "No"), { kind: "unknown" }],
    ["is unknown without a token", () => problem(401, "No"), { kind: "unknown" }],
  ])("at a later call %s", async (_, answer, expected) => {
    const { result } = await step("submit", { [POST]: [duplicate()], [LIST]: [answer()] }, AGAIN);
    expect(result).toMatchObject(expected);
  });

  test("whose files are refused at a later call is never begun anew", async () => {
    const bookmark = { ...AGAIN, mediaIds: ["12"] };
    const change = { media: [image()] };
    const later = (posts: object[]) =>
      step("submit", { [POST]: [mediaRefused()], [LIST]: [list(posts)] }, bookmark, change);
    const own = listed({ text: "", attachments: { media_keys: ["3_12"] } });
    expect((await later([own])).result).toMatchObject(reconciled);
    const none = await later([]);
    expect(none.result).toMatchObject(CHECK);
    expect(none.result).not.toHaveProperty("restart");
  });
});

describe("what became of a post without an answer", () => {
  test("asks for the own posts since then, by the old name of the fields", async () => {
    const { result, calls } = await step("reconcile", { [LIST]: [list([])] });
    expect(result).toEqual({ kind: "absent" });
    expect(calls).toMatchObject([
      {
        query: {
          max_results: "100",
          start_time: "2026-12-01T08:59:00Z",
          "tweet.fields":
            "created_at,text,entities,attachments,note_tweet,referenced_tweets,in_reply_to_user_id",
        },
      },
    ]);
  });

  const withLink = (text: string, expanded_url: string, more = {}) =>
    listed({ text, entities: { urls: [{ url: "https://t.co/abc", expanded_url, ...more }] } });
  const whole = `${"Lorem ".repeat(60)}example.com`;

  test.each<[string, object, JobChange]>([
    ["the same text", listed(), {}],
    ["other spaces and line ends", listed({ text: "a b c" }), { title: "a\r\nb  c " }],
    ["another form of the same letters", listed({ text: "é" }), { title: "e\u0301" }],
    ["text as HTML", listed({ text: "a &lt;b&gt; &amp;amp;" }), { title: "a <b> &amp;" }],
    [
      "a shortened URL",
      withLink("See https://t.co/abc!", "https://a.com/?b=$&"),
      { title: "See https://a.com/?b=$&!" },
    ],
    [
      "a bare domain",
      withLink("See https://t.co/abc now", "http://example.com"),
      { title: "See example.com now" },
    ],
    [
      "a URL with a slash",
      withLink("https://t.co/abc", "https://a.com"),
      { title: "https://a.com/" },
    ],
    [
      "a note",
      listed({
        text: "Lorem…",
        note_tweet: {
          text: `${"Lorem ".repeat(60)}https://t.co/abc`,
          entities: { urls: [{ url: "https://t.co/abc", expanded_url: "http://example.com" }] },
        },
      }),
      { title: whole },
    ],
    [
      "a note by its new name",
      listed({ text: "Lorem…", note_post: { text: whole } }),
      { title: whole },
    ],
  ])("%s is found", async (_, post, change) => {
    const { result } = await step("reconcile", { [LIST]: [list([post])] }, READY, change);
    expect(result).toMatchObject(reconciled);
  });

  test.each<[string, object]>([
    ["another text", listed({ text: "Hello!" })],
    ["the same text before", listed({ created_at: "2026-12-01T08:59:54.000Z" })],
    ["the same text with a picture", listed({ attachments: { media_keys: ["3_1"] } })],
  ])("%s is another post", async (_, post) => {
    expect(await step("reconcile", { [LIST]: [list([post])] })).toMatchObject({
      result: { kind: "absent" },
    });
  });

  const withMedia = { ...READY, mediaIds: ["9007199254740993", "12"] };

  test.each<[string, object, object]>([
    [
      "its media, whatever the text",
      listed({
        text: "https://t.co/x",
        attachments: { media_keys: ["3_9007199254740993", "3_12"] },
      }),
      reconciled,
    ],
    [
      "other media and the same text",
      listed({ attachments: { media_keys: ["3_9007199254740992"] } }),
      { kind: "absent" },
    ],
    ["no media and the same text", listed(), { kind: "absent" }],
  ])("a post with media is known by %s", async (_, post, expected) => {
    const change = { media: [image(), image()] };
    const { result } = await step("reconcile", { [LIST]: [list([post])] }, withMedia, change);
    expect(result).toMatchObject(expected);
  });

  const others = (next_token?: string) =>
    list([listed({ id: "7", text: "Other" })], next_token ? { next_token } : {});

  test.each<[string, Answer[], object]>([
    ["on a later page", [others("n1"), list([listed()])], reconciled],
    [
      "on two pages",
      [list([listed()], { next_token: "n1" }), list([listed({ id: "5" })])],
      { kind: "unknowable" },
    ],
    ["on no page", [others("n1"), others()], { kind: "absent" }],
    [
      "on none of five pages, with more behind them",
      ["n1", "n2", "n3", "n4", "n5"].map((token) => others(token)),
      { kind: "unknowable" },
    ],
  ])("a post %s is judged by all of them", async (_, pages, expected) => {
    const { result, calls } = await step("reconcile", { [LIST]: pages });
    expect(result).toMatchObject(expected);
    expect(calls.map(({ query }) => query.pagination_token)).toEqual(
      pages.map((_, index) => (index === 0 ? undefined : `n${index}`)),
    );
  });

  test.each<[string, () => Answer, JobChange]>([
    ["two that fit", () => list([listed(), listed({ id: "5" })]), {}],
    ["a post in a community", () => list([]), { settings: { x_community_id: "5" } }],
    ["a post for subscribers", () => list([]), { settings: { x_super_followers_only: "1" } }],
    ["a forbidden list", () => problem(403, "Client Forbidden"), {}],
  ])("%s cannot be told", async (_, answer, change) => {
    const { result } = await step("reconcile", { [LIST]: [answer()] }, READY, change);
    expect(result).toMatchObject({ kind: "unknowable" });
  });

  test("a refused token is told, and what passes is asked again", async () => {
    const answers = (answer: Response) => step("reconcile", { [LIST]: [answer] });
    expect(await answers(problem(401, "No"))).toMatchObject({ result: { kind: "token_expired" } });
    await expect(answers(problem(503, "Down"))).rejects.toThrow("Down");
    await expect(answers(problem(429, "Slow"))).rejects.toThrow("Slow");
    await expect(answers(new Response("[]"))).rejects.toThrow("cannot be read");
  });
});
