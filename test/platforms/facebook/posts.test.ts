import { describe, expect, test } from "vitest";
import type { Bookmark, Prepared } from "../../../src/platforms/connector.ts";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import {
  graphError,
  image,
  job,
  json,
  later,
  NOW,
  PAGE,
  type PostChange,
  scriptedFetch,
} from "./scripted.ts";

const READY: Bookmark = { stage: "post", readyAt: NOW.getTime() };
const POST = `${PAGE}_55`;
const URL = `https://www.facebook.com/${PAGE}/posts/55`;

const stored = (step: { bookmark: Bookmark }): Bookmark =>
  JSON.parse(JSON.stringify(step.bookmark));

async function prepareAll(post: PostChange, ...answers: (Response | Error)[]) {
  const { fetch, calls } = scriptedFetch(...answers);
  let step: Prepared = await facebook.prepare(job(fetch, { post }), null);
  while (step.kind === "next") step = await facebook.prepare(job(fetch, { post }), stored(step));
  return { step, calls };
}

const POSTED = { stage: "posted", postId: POST, since: NOW.getTime() };

describe("a text and a photo", () => {
  test.each<[string, PostChange, string, Record<string, string>]>([
    ["a text", {}, "feed", { message: "Some words", published: "true" }],
    [
      "a text with a link, its label ignored",
      { settings: { link: "https://a.com/b", is_aigc: "1" } },
      "feed",
      { message: "Some words", link: "https://a.com/b", published: "true" },
    ],
    [
      "a photo, its link left out",
      { media: [image()], title: "T", settings: { link: "https://a.com/b" } },
      "photos",
      {
        url: "https://akimbo.test/media/ab/original",
        message: "Some words",
        published: "true",
      },
    ],
    [
      "a photo with only a title",
      { media: [image({ mime: "image/gif" })], title: "T", description: null },
      "photos",
      { url: "https://akimbo.test/media/ab/original", message: "T", published: "true" },
    ],
    [
      "a WebP without words",
      { media: [image({ mime: "image/webp" })], description: null },
      "photos",
      { url: "https://akimbo.test/media/ab/jpeg", published: "true" },
    ],
    [
      "a photo made by AI",
      { media: [image({ mime: "image/webp" })], description: null, settings: { is_aigc: "true" } },
      "photos",
      { url: "https://akimbo.test/media/ab/labelled", published: "true" },
    ],
  ])("%s goes out in one call", async (_, post, edge, form) => {
    const prepared = await prepareAll(post);
    expect(prepared).toEqual({ step: { kind: "ready", bookmark: READY }, calls: [] });
    const answer = edge === "photos" ? { id: "7", post_id: POST } : { id: POST };
    const { fetch, calls } = scriptedFetch(json(answer));
    expect(await facebook.submit(job(fetch, { post }), READY)).toEqual({
      kind: "waiting",
      bookmark: POSTED,
      checkAfterSeconds: 0,
    });
    expect(calls).toMatchObject([
      {
        method: "POST",
        origin: "https://graph.facebook.com",
        path: `/v26.0/${PAGE}/${edge}`,
        redirect: "manual",
        query: {},
      },
    ]);
    expect(calls[0]?.form).toEqual(form);
    expect(calls[0]?.headers.get("authorization")).toBe("Bearer page-token");
  });

  test("a photo that names no post is known by its own id", async () => {
    const { fetch } = scriptedFetch(json({ id: "7" }));
    expect(await facebook.submit(job(fetch, { post: { media: [image()] } }), READY)).toMatchObject({
      bookmark: { postId: "7" },
    });
  });

  test("a bookmark that is ready stays so, from when it first was", async () => {
    const { fetch } = scriptedFetch();
    const again = await facebook.prepare(job(fetch, { now: later(60) }), READY);
    expect(again).toEqual({ kind: "ready", bookmark: READY });
  });

  test.each<[string, Response, object]>([
    ["a dead token", graphError(190, 463), { kind: "token_expired" }],
    ["a server error", graphError(2, undefined, {}, 500), { kind: "unknown" }],
    ["an unreadable answer", json({ id: "x" }), { kind: "unknown" }],
    ["unavailable for now", graphError(100, 1363047), { kind: "unknown" }],
    [
      "a bad link",
      graphError(100, 1609008),
      { kind: "failed", failure: { code: "content_flagged" }, transient: false },
    ],
    ["a rate limit", graphError(32), { kind: "failed", transient: true }],
  ])("refused as %s", async (_, answer, expected) => {
    expect(await facebook.submit(job(scriptedFetch(answer).fetch), READY)).toMatchObject(expected);
  });

  test("a lost connection is the runner's to judge", async () => {
    const { fetch } = scriptedFetch(new TypeError("Network connection lost."));
    await expect(facebook.submit(job(fetch), READY)).rejects.toThrow("Network connection lost.");
  });
});

describe("an album", () => {
  const media = [image(), image({ sha256: "ef".repeat(32), mime: "image/png" })];

  test("its photos are staged one a step, then joined in their order", async () => {
    const { step, calls } = await prepareAll({ media }, json({ id: "71" }), json({ id: 72 }));
    const bookmark = { stage: "album", photos: ["71", "72"], readyAt: NOW.getTime() };
    expect(step).toEqual({ kind: "ready", bookmark });
    expect(calls.map(({ form }) => form)).toEqual([
      { url: "https://akimbo.test/media/ab/original", published: "false" },
      { url: "https://akimbo.test/media/ef/original", published: "false" },
    ]);
    const { fetch, calls: submitted } = scriptedFetch(json({ id: POST }));
    expect(await facebook.submit(job(fetch, { post: { media } }), bookmark)).toMatchObject({
      bookmark: POSTED,
    });
    expect(submitted[0]?.path).toBe(`/v26.0/${PAGE}/feed`);
    expect(submitted[0]?.form).toEqual({
      message: "Some words",
      "attached_media[0]": '{"media_fbid":"71"}',
      "attached_media[1]": '{"media_fbid":"72"}',
      published: "true",
    });
  });

  test("goes on from its bookmark", async () => {
    const half = { stage: "album", photos: ["71"], readyAt: null };
    const { fetch, calls } = scriptedFetch(json({ id: "72" }));
    expect(await facebook.prepare(job(fetch, { post: { media } }), half)).toEqual({
      kind: "next",
      bookmark: { stage: "album", photos: ["71", "72"], readyAt: NOW.getTime() },
    });
    expect(calls[0]?.form.url).toContain("/ef/");
  });

  test("a photo that is refused for good takes the staged ones with it, if that works", async () => {
    for (const dropped of [json({ success: true }), new TypeError("Lost.")]) {
      const { step, calls } = await prepareAll(
        { media },
        json({ id: "71" }),
        graphError(324, 1366046),
        dropped,
      );
      expect(step).toMatchObject({ kind: "failed", failure: { code: "media_invalid" } });
      expect(calls[2]).toMatchObject({ method: "DELETE", path: "/v26.0/71" });
    }
  });

  test("a photo that fails for the moment leaves them", async () => {
    const { step, calls } = await prepareAll({ media }, json({ id: "71" }), graphError(2));
    expect(step).toMatchObject({ kind: "failed", transient: true });
    expect(calls).toHaveLength(2);
  });
});

describe("settle", () => {
  test.each([URL, `/${PAGE}/posts/55`])("with the address %s", async (permalink_url) => {
    const { fetch, calls } = scriptedFetch(json({ id: POST, permalink_url }));
    expect(await facebook.settle?.(job(fetch), POSTED)).toEqual({
      kind: "published",
      platformPostId: POST,
      shareUrl: URL,
    });
    expect(calls).toMatchObject([{ path: `/v26.0/${POST}`, query: { fields: "permalink_url" } }]);
  });

  test("tells of a link that found no place", async () => {
    const post = { media: [image()], settings: { link: "https://a.com" } };
    const { fetch } = scriptedFetch(json({ permalink_url: URL }));
    expect(await facebook.settle?.(job(fetch, { post }), POSTED)).toMatchObject({
      warnings: [expect.stringContaining("link was left out")],
    });
  });

  test.each<[string, Response | Error]>([
    ["not there yet", json({ id: POST })],
    ["a stranger's", json({ id: POST, permalink_url: "https://evil.example/facebook.com" })],
    ["refused", graphError(190, 463)],
    ["lost", new TypeError("Network connection lost.")],
  ])("an address that is %s is asked for again, and in the end made", async (_, answer) => {
    const again = answer instanceof Response ? answer.clone() : answer;
    expect(await facebook.settle?.(job(scriptedFetch(answer).fetch), POSTED)).toEqual({
      kind: "waiting",
      bookmark: POSTED,
      checkAfterSeconds: 4,
    });
    const late = job(scriptedFetch(again).fetch, { now: later(30) });
    expect(await facebook.settle?.(late, POSTED)).toEqual({
      kind: "published",
      platformPostId: POST,
      shareUrl: `https://www.facebook.com/${POST}`,
    });
  });
});

describe("reconcile", () => {
  const listed = (change: Record<string, unknown> = {}) => ({
    id: POST,
    message: "Some words",
    created_time: "2026-12-01T09:00:02+0000",
    permalink_url: URL,
    ...change,
  });
  const photo = { attachments: { data: [{ media_type: "photo" }] } };
  const album = (count: number) => ({
    attachments: {
      data: [
        {
          media_type: "album",
          subattachments: { data: Array.from({ length: count }, () => ({})) },
        },
      ],
    },
  });
  const reconciled = { kind: "published", platformPostId: POST, shareUrl: URL };
  const old = listed({ id: "1_1", created_time: "2026-12-01T08:58:59+0000" });

  test.each<[string, object[], object]>([
    ["the post", [listed()], reconciled],
    ["the post, its words trimmed", [listed({ message: " Some  words\n" })], reconciled],
    ["the post among others", [listed({ id: "1_2", message: "B" }), listed(), old], reconciled],
    ["the post beside a photo of the same words", [listed(photo), listed()], reconciled],
    [
      "a post without an address",
      [listed({ permalink_url: undefined })],
      { ...reconciled, shareUrl: `https://www.facebook.com/${POST}` },
    ],
    ["two that it could be", [listed(), listed({ id: "1_2" })], { kind: "unknowable" }],
    ["only a photo of the same words", [listed(photo)], { kind: "unknowable" }],
    ["nothing", [], { kind: "absent" }],
    ["only older ones and others", [listed({ message: "B" }), old], { kind: "absent" }],
    ["one without a time", [listed({ created_time: undefined })], { kind: "unknowable" }],
  ])("the Page shows %s", async (_, data, expected) => {
    const { fetch, calls } = scriptedFetch(json({ data }));
    expect(await facebook.reconcile(job(fetch), READY)).toMatchObject(expected);
    expect(calls[0]).toMatchObject({
      path: `/v26.0/${PAGE}/published_posts`,
      query: { since: String(NOW.getTime() / 1_000 - 60), limit: "25" },
    });
  });

  test("accents count the same in either of their forms", async () => {
    const post = { description: "Cafe\u0301" };
    const { fetch } = scriptedFetch(json({ data: [listed({ message: "Caf\u00e9" })] }));
    expect(await facebook.reconcile(job(fetch, { post }), READY)).toMatchObject(reconciled);
  });

  const next = (after?: string) => ({ paging: { next: "https://a.com", cursors: { after } } });
  const others = [listed({ message: "B" })];

  test.each<[string, object[], object]>([
    ["on a second list", [{ data: others, ...next("c1") }, { data: [listed()] }], reconciled],
    [
      "nowhere",
      [
        { data: others, ...next("c1") },
        { data: [], ...next("c2") },
      ],
      { kind: "absent" },
    ],
    [
      "on none of the first lists",
      [1, 2, 3].map((n) => ({ data: others, ...next(`c${n}`) })),
      {
        kind: "unknowable",
      },
    ],
    ["perhaps on a list that has no cursor", [{ data: others, ...next() }], { kind: "unknowable" }],
  ])("the post stands %s", async (_, lists, expected) => {
    const { fetch, calls } = scriptedFetch(...lists.map((list) => json(list)));
    expect(await facebook.reconcile(job(fetch), READY)).toMatchObject(expected);
    expect(calls.map(({ query }) => query.after)).toEqual(
      [undefined, "c1", "c2"].slice(0, lists.length),
    );
  });

  test.each([
    ["2026-12-01T08:59:57+0000", reconciled],
    ["2026-12-01T08:59:30+0000", { kind: "unknowable" }],
  ])("a photo without words that is of %s", async (created_time, expected) => {
    const post = { media: [image()], description: null };
    const data = [listed({ ...photo, message: undefined, created_time })];
    const { fetch } = scriptedFetch(json({ data }));
    expect(await facebook.reconcile(job(fetch, { post }), READY)).toMatchObject(expected);
  });

  test.each<[string, PostChange, Bookmark, Record<string, unknown>, object]>([
    ["a photo", { media: [image()] }, READY, photo, reconciled],
    [
      "a photo that shows as an album",
      { media: [image()] },
      READY,
      album(2),
      { kind: "unknowable" },
    ],
    [
      "an album",
      { media: [image(), image()] },
      { stage: "album", photos: ["71", "72"], readyAt: NOW.getTime() },
      album(2),
      reconciled,
    ],
    [
      "an album without words",
      { media: [image(), image()], description: null },
      { stage: "album", photos: ["71", "72"], readyAt: NOW.getTime() },
      { ...album(2), message: undefined },
      reconciled,
    ],
  ])(
    "%s is known by its words and the number of its photos",
    async (_, post, at, shown, expected) => {
      const { fetch } = scriptedFetch(json({ data: [listed(shown)] }));
      expect(await facebook.reconcile(job(fetch, { post }), at)).toMatchObject(expected);
    },
  );

  test.each([
    ["broken", new Response("", { status: 502 })],
    ["too busy", graphError(4)],
  ])("an answer that is %s is asked for again later", async (_, answer) => {
    await expect(facebook.reconcile(job(scriptedFetch(answer).fetch), READY)).rejects.toThrow();
  });

  test.each([
    [graphError(190, 463), "token_expired"],
    [graphError(100), "unknowable"],
  ])("a refusal, case %#", async (answer, kind) => {
    const { fetch } = scriptedFetch(answer);
    expect(await facebook.reconcile(job(fetch), READY)).toMatchObject({ kind });
  });

  test.each<[string, Response, Response | Error, object]>([
    ["ours", graphError(506), json({ data: [listed()] }), reconciled],
    [
      "somebody else's",
      graphError(506),
      json({ data: [] }),
      { kind: "failed", failure: { code: "content_flagged" }, transient: false },
    ],
    [
      "photos of somebody else's",
      graphError(100, 1366051),
      json({ data: [] }),
      { kind: "failed", failure: { code: "unknown" }, transient: false },
    ],
    ["not to be told", graphError(506), new TypeError("Lost."), { kind: "unknown" }],
    ["one of two", graphError(506), json({ data: [listed(), listed()] }), { kind: "unknown" }],
  ])("a post that is refused as a duplicate is %s", async (_, refusal, list, expected) => {
    const { fetch } = scriptedFetch(refusal, list);
    expect(await facebook.submit(job(fetch), READY)).toMatchObject(expected);
  });

  test.each([
    ["call", { now: later(150) }, {}],
    ["attempt", {}, { attempt: 2 }],
  ])("a duplicate that an earlier %s may have made is not refused", async (_, change, more) => {
    const { fetch } = scriptedFetch(graphError(506), json({ data: [] }));
    expect(await facebook.submit({ ...job(fetch, change), ...more }, READY)).toMatchObject({
      kind: "failed",
      failure: { code: "platform_processing_timeout" },
      transient: false,
    });
  });
});
