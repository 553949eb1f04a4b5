import { describe, expect, test } from "vitest";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { graphError, IG, job, json, later, NOW, READY, scriptedFetch, status } from "./scripted.ts";

const IN_PROGRESS = () => status("IN_PROGRESS");

describe("submit and settle", () => {
  test("publishes the container once, then asks for the address", async () => {
    const { fetch, calls } = scriptedFetch(json({ id: "180" }));
    const step = await instagram.submit(job(fetch), READY);
    expect(step).toEqual({
      kind: "waiting",
      bookmark: { stage: "published", containerId: "17", mediaId: "180", since: NOW.getTime() },
      checkAfterSeconds: 0,
    });
    expect(calls).toMatchObject([
      { method: "POST", path: `/v26.0/${IG}/media_publish`, form: { creation_id: "17" } },
    ]);
  });

  test("a story is out with the answer, without an address", async () => {
    const post = { settings: { media_type: "STORIES" } };
    const { fetch } = scriptedFetch(json({ id: "180" }));
    expect(await instagram.submit(job(fetch, { post }), READY)).toEqual({
      kind: "published",
      platformPostId: "180",
      shareUrl: null,
    });
  });

  test.each<[string, Response, object]>([
    ["not ready", graphError(9007, 2207027), { kind: "failed", transient: true }],
    ["missing for a moment", graphError(24, 2207008), { kind: "failed", transient: true }],
    ["expired", graphError(-2, 2207020), { kind: "failed", transient: true, restart: true }],
    [
      "the daily cap",
      graphError(9, 2207042),
      { kind: "failed", transient: false, failure: { code: "rate_limited" } },
    ],
    ["a dead token", graphError(190, 463), { kind: "token_expired" }],
    ["a server error", graphError(2, undefined, { is_transient: true }, 500), { kind: "unknown" }],
    ["an unreadable answer", new Response("{"), { kind: "unknown" }],
    ["a failure on their side", graphError(100, 2207082), { kind: "unknown" }],
    ["an unknown path", new Response("", { status: 404 }), { kind: "unknown" }],
  ])("refused as %s", async (_, answer, expected) => {
    expect(await instagram.submit(job(scriptedFetch(answer).fetch), READY)).toMatchObject(expected);
  });

  describe("a second call that is refused", () => {
    const at = { now: later(150) };
    const refusal = () => graphError(100);

    test("leads to the post where the first one was taken in late", async () => {
      const post = { id: "180", caption: "A caption", timestamp: "2026-12-01T09:01:40+0000" };
      const { fetch } = scriptedFetch(refusal(), status("PUBLISHED"), json({ data: [post] }));
      expect(await instagram.submit(job(fetch, at), READY)).toMatchObject({
        kind: "published",
        platformPostId: "180",
      });
    });

    test.each<[string, Response, object]>([
      ["is not published", status("FINISHED"), { kind: "failed", transient: false }],
      ["cannot be asked about now", graphError(2), { kind: "unknown" }],
      ["cannot be asked about", graphError(10), { kind: "failed", transient: false }],
    ])("stands where the container %s", async (_, look, expected) => {
      const { fetch } = scriptedFetch(refusal(), look);
      expect(await instagram.submit(job(fetch, at), READY)).toMatchObject(expected);
    });
  });

  test("a lost connection is the runner's to judge", async () => {
    const { fetch } = scriptedFetch(new TypeError("Network connection lost."));
    await expect(instagram.submit(job(fetch), READY)).rejects.toThrow("Network connection lost.");
  });

  const PUBLISHED = { stage: "published", containerId: "17", mediaId: "180", since: NOW.getTime() };
  const URL = "https://www.instagram.com/p/abc/";

  test("settles with the address", async () => {
    const { fetch } = scriptedFetch(json({ id: "180", permalink: URL }));
    expect(await instagram.settle?.(job(fetch), PUBLISHED)).toEqual({
      kind: "published",
      platformPostId: "180",
      shareUrl: URL,
    });
  });

  test.each<[string, Response | Error]>([
    ["not there yet", json({ id: "180" })],
    ["refused", graphError(190, 463)],
    ["broken", new Response("", { status: 500 })],
    ["lost", new TypeError("Network connection lost.")],
  ])("an address that is %s is asked for again, and in the end done without", async (_, answer) => {
    const again = answer instanceof Response ? answer.clone() : answer;
    expect(await instagram.settle?.(job(scriptedFetch(answer).fetch), PUBLISHED)).toEqual({
      kind: "waiting",
      bookmark: PUBLISHED,
      checkAfterSeconds: 4,
    });
    const late = job(scriptedFetch(again).fetch, { now: later(30) });
    expect(await instagram.settle?.(late, PUBLISHED)).toEqual({
      kind: "published",
      platformPostId: "180",
      shareUrl: null,
    });
  });
});

describe("reconcile", () => {
  const listed = (change: Record<string, unknown> = {}) => ({
    id: "180",
    caption: "A caption",
    permalink: "https://www.instagram.com/p/abc/",
    timestamp: "2026-12-01T09:00:02+0000",
    ...change,
  });
  const reconciled = {
    kind: "published",
    platformPostId: "180",
    shareUrl: "https://www.instagram.com/p/abc/",
  };
  const nameless = { kind: "published", platformPostId: "container:17", shareUrl: null };

  test.each<[string, object[], object]>([
    ["the post", [listed()], reconciled],
    ["the post, its caption trimmed", [listed({ caption: " A  caption\n" })], reconciled],
    [
      "the post among others",
      [
        listed({ id: "181", caption: "B" }),
        listed(),
        listed({ id: "2", timestamp: "2026-12-01T08:58:00+0000" }),
      ],
      reconciled,
    ],
    ["two that it could be", [listed(), listed({ id: "181" })], nameless],
    ["nothing", [], nameless],
  ])("published, and the list shows %s", async (_, data, expected) => {
    const { fetch, calls } = scriptedFetch(status("PUBLISHED"), json({ data }));
    expect(await instagram.reconcile(job(fetch), READY)).toEqual(expected);
    expect(calls[1]).toMatchObject({ path: `/v26.0/${IG}/media`, query: { limit: "25" } });
  });

  test("a story is looked for among the stories, and keeps no address", async () => {
    const post = { settings: { media_type: "STORIES" } };
    const data = [listed({ caption: undefined })];
    const { fetch, calls } = scriptedFetch(status("PUBLISHED"), json({ data }));
    expect(await instagram.reconcile(job(fetch, { post }), READY)).toEqual({
      ...reconciled,
      shareUrl: null,
    });
    expect(calls[1]?.path).toBe(`/v26.0/${IG}/stories`);
  });

  test("a list that cannot be had changes nothing about the post being out", async () => {
    const { fetch } = scriptedFetch(status("PUBLISHED"), graphError(2, undefined, {}, 500));
    expect(await instagram.reconcile(job(fetch), READY)).toEqual(nameless);
  });

  test.each(["FINISHED", "ERROR", "EXPIRED"])("%s was not published", async (code) => {
    const { fetch } = scriptedFetch(status(code));
    expect(await instagram.reconcile(job(fetch), READY)).toEqual({ kind: "absent" });
  });

  test.each([
    ["in progress", IN_PROGRESS()],
    ["broken", new Response("", { status: 502 })],
    ["too busy", graphError(4)],
  ])("an answer that is %s is asked for again later", async (_, answer) => {
    await expect(instagram.reconcile(job(scriptedFetch(answer).fetch), READY)).rejects.toThrow();
  });

  test.each([
    [graphError(190, 463), "token_expired"],
    [graphError(100), "unknowable"],
  ])("a refusal, case %#", async (answer, kind) => {
    const { fetch } = scriptedFetch(answer);
    expect(await instagram.reconcile(job(fetch), READY)).toMatchObject({ kind });
  });
});
