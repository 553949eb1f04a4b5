import { describe, expect, test } from "vitest";
import { threads } from "../../../src/platforms/threads/index.ts";
import {
  graphError,
  job,
  json,
  later,
  NOW,
  READY,
  scriptedFetch,
  status,
  USER,
} from "./scripted.ts";

const URL = "https://www.threads.com/@ada/post/abc";

describe("submit and settle", () => {
  const PUBLISHED = { stage: "published", containerId: "17", mediaId: "180", since: NOW.getTime() };

  test("publishes the container by one call, then asks for the address", async () => {
    const { fetch, calls } = scriptedFetch(json({ id: "180" }));
    expect(await threads.submit(job(fetch), READY)).toEqual({
      kind: "waiting",
      bookmark: PUBLISHED,
      checkAfterSeconds: 0,
    });
    expect(calls).toMatchObject([
      {
        method: "POST",
        url: `https://graph.threads.net/v1.0/${USER}/threads_publish`,
        form: { creation_id: "17" },
        authorization: "Bearer access-token",
      },
    ]);
  });

  test("an id that came as a number keeps its digits", async () => {
    const { fetch } = scriptedFetch(new Response('{"id":17841405793187219}'));
    expect(await threads.submit(job(fetch), READY)).toMatchObject({
      bookmark: { mediaId: "17841405793187219" },
    });
  });

  test.each<[string, Response, object]>([
    ["not there yet", graphError(24, 4279009), { kind: "failed", transient: true }],
    [
      "not there yet, which passes",
      graphError(24, 4279009, { is_transient: true }),
      { kind: "failed", transient: true },
    ],
    [
      "too many posts",
      graphError(4, undefined, { error_user_msg: "You have reached the limit of posts." }),
      { kind: "failed", transient: false, failure: { code: "rate_limited" } },
    ],
    [
      "spam",
      graphError(4, 2207051),
      { kind: "failed", transient: false, failure: { code: "content_flagged" } },
    ],
    ["a dead token", graphError(190, 463), { kind: "token_expired" }],
    ["a server error", graphError(2, undefined, { is_transient: true }, 500), { kind: "unknown" }],
    ["a gateway's page", new Response("<html>", { status: 504 }), { kind: "unknown" }],
    ["an unreadable answer", new Response("{"), { kind: "unknown" }],
    ["a redirect", new Response(null, { status: 302 }), { kind: "unknown" }],
  ])("refused as %s", async (_, answer, expected) => {
    const step = await threads.submit(job(scriptedFetch(answer).fetch), READY);
    expect(step).toMatchObject(expected);
    expect(step).not.toHaveProperty("restart");
  });

  const listed = { id: "180", text: "A thought", timestamp: "2026-12-01T09:00:10+0000" };

  test.each<[string, number, Response[], true | undefined]>([
    ["finished and not published", 30, [status("FINISHED"), json({ data: [] })], true],
    ["new", 15, [], undefined],
    [
      "finished, but seems to be out",
      600,
      [status("FINISHED"), json({ data: [listed] })],
      undefined,
    ],
    ["finished, where no list proves it", 600, [status("FINISHED"), graphError(10)], undefined],
    ["still prepared", 600, [status("IN_PROGRESS")], undefined],
    ["not known at all", 600, [graphError(100, 33)], undefined],
  ])("a container that publishing does not find and that is %s", async (_, age, rest, restart) => {
    const { fetch } = scriptedFetch(graphError(24, 4279009), ...rest);
    const step = await threads.submit(job(fetch, { now: later(age) }), READY);
    expect(step).toMatchObject({ kind: "failed", failure: { code: "unknown" }, transient: true });
    expect(step.kind === "failed" && step.restart).toBe(restart);
  });

  test("after such a refusal the same container is looked at and published again", async () => {
    const { fetch, calls } = scriptedFetch(status("FINISHED"), json({ id: "180" }));
    const again = await threads.prepare(job(fetch, { now: later(30) }), READY);
    if (again.kind !== "ready") throw new Error(again.kind);
    await threads.submit(job(fetch, { now: later(30) }), again.bookmark);
    expect(calls.map(({ path }) => path)).toEqual(["/v1.0/17", `/v1.0/${USER}/threads_publish`]);
  });

  describe("a second call that is refused", () => {
    const at = { now: later(150) };
    const refusal = () => graphError(100);

    test("leads to the post where the first one was taken in late", async () => {
      const post = { id: "180", text: "A thought", timestamp: "2026-12-01T09:01:40+0000" };
      const { fetch } = scriptedFetch(refusal(), status("PUBLISHED"), json({ data: [post] }));
      expect(await threads.submit(job(fetch, at), READY)).toMatchObject({
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
      expect(await threads.submit(job(fetch, at), READY)).toMatchObject(expected);
    });
  });

  test("a lost connection is the runner's to judge", async () => {
    const { fetch } = scriptedFetch(new TypeError("Network connection lost."));
    await expect(threads.submit(job(fetch), READY)).rejects.toThrow("Network connection lost.");
  });

  test("settles with the address", async () => {
    const { fetch, calls } = scriptedFetch(json({ id: "180", permalink: URL }));
    expect(await threads.settle?.(job(fetch), PUBLISHED)).toEqual({
      kind: "published",
      platformPostId: "180",
      shareUrl: URL,
    });
    expect(calls).toMatchObject([
      { path: "/v1.0/180", query: { fields: "id,permalink,shortcode,timestamp" } },
    ]);
  });

  test.each<[string, Response | Error]>([
    ["not there yet", json({ id: "180" })],
    ["refused", graphError(190, 463)],
    ["broken", new Response("", { status: 500 })],
    ["lost", new TypeError("Network connection lost.")],
  ])("an address that is %s is asked for again, and in the end done without", async (_, answer) => {
    const again = answer instanceof Response ? answer.clone() : answer;
    expect(await threads.settle?.(job(scriptedFetch(answer).fetch), PUBLISHED)).toEqual({
      kind: "waiting",
      bookmark: PUBLISHED,
      checkAfterSeconds: 4,
    });
    const late = job(scriptedFetch(again).fetch, { now: later(30) });
    expect(await threads.settle?.(late, PUBLISHED)).toEqual({
      kind: "published",
      platformPostId: "180",
      shareUrl: null,
    });
  });
});

describe("reconcile", () => {
  const listed = (change: Record<string, unknown> = {}) => ({
    id: "180",
    media_type: "TEXT_POST",
    text: "A thought",
    permalink: URL,
    timestamp: "2026-12-01T09:00:02+0000",
    ...change,
  });
  const reconciled = { kind: "published", platformPostId: "180", shareUrl: URL };
  const nameless = { kind: "published", platformPostId: "container:17", shareUrl: null };

  test.each<[string, object[], object]>([
    ["the post", [listed()], reconciled],
    ["the post, its text trimmed", [listed({ text: " A  thought\n" })], reconciled],
    [
      "the post, a minute early by their clock",
      [listed({ timestamp: "2026-12-01T08:59:00+0000" })],
      reconciled,
    ],
    [
      "the post among others",
      [
        listed({ id: "181", text: "B" }),
        listed({ id: "182", media_type: "REPOST_FACADE" }),
        listed(),
        listed({ id: "2", timestamp: "2026-12-01T08:58:59+0000" }),
      ],
      reconciled,
    ],
    ["two that it could be", [listed(), listed({ id: "181" })], nameless],
    ["one from before alone", [listed({ timestamp: "2026-12-01T08:00:00+0000" })], nameless],
    ["one without a time", [listed({ timestamp: null })], nameless],
    ["nothing", [], nameless],
  ])("published, and the list shows %s", async (_, data, expected) => {
    const { fetch, calls } = scriptedFetch(status("PUBLISHED"), json({ data }));
    expect(await threads.reconcile(job(fetch), READY)).toEqual(expected);
    expect(calls).toMatchObject([
      { method: "GET", path: "/v1.0/17" },
      { method: "GET", path: "/v1.0/me/threads", query: { limit: "25" } },
    ]);
  });

  test("a list that cannot be had changes nothing about the post being out", async () => {
    const { fetch } = scriptedFetch(status("PUBLISHED"), graphError(2, undefined, {}, 500));
    expect(await threads.reconcile(job(fetch), READY)).toEqual(nameless);
  });

  test.each(["FINISHED", "ERROR", "EXPIRED"])("%s was not published", async (code) => {
    const { fetch, calls } = scriptedFetch(status(code));
    expect(await threads.reconcile(job(fetch), READY)).toEqual({ kind: "absent" });
    expect(calls.map(({ method }) => method)).toEqual(["GET"]);
  });

  test.each([
    ["in progress", status("IN_PROGRESS")],
    ["broken", new Response("", { status: 502 })],
    ["too busy", graphError(4)],
    ["missing for a moment", graphError(24, 4279009)],
  ])("an answer that is %s is asked for again later", async (_, answer) => {
    await expect(threads.reconcile(job(scriptedFetch(answer).fetch), READY)).rejects.toThrow();
  });

  test.each([
    [graphError(190, 463), "token_expired"],
    [graphError(100, 33), "unknowable"],
    [graphError(10), "unknowable"],
  ])("a refusal, case %#", async (answer, kind) => {
    const { fetch } = scriptedFetch(answer);
    expect(await threads.reconcile(job(fetch), READY)).toMatchObject({ kind });
  });
});
