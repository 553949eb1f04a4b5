import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { afterEach, describe, expect, it } from "vitest";
import { clockOffsetSeconds, moveClock } from "../../src/core/clock.ts";
import { AppError } from "../../src/core/errors.ts";
import { sha256Hex } from "../../src/core/signature.ts";
import { createDeps, type Deps } from "../../src/deps.ts";
import { sandboxConsentPath } from "../../src/sandbox/consent-address.ts";
import { threadsOf } from "../../src/sandbox/feed-page.tsx";
import type { FeedTeam } from "../../src/sandbox/kit/feed-team.ts";
import type { FeedPost } from "../../src/sandbox/kit/store.ts";
import { createSandboxRoutes } from "../../src/sandbox/routes.tsx";
import { connect, mp4, png, record, uniqueTid, upload, uploadImage, write } from "./support.ts";

afterEach(() => moveClock(0));

/** The sandbox as the service mounts it, seen by a member of `teamId`. */
function serve(teamId: FeedTeam, config: Partial<Deps["config"]> = {}) {
  const movedTo: number[] = [];
  const deps = createDeps(env);
  const app = new Hono();
  app.onError((error) => {
    if (!(error instanceof AppError)) throw error;
    const { message, code, status } = error;
    return Response.json({ success: false, error: message, code }, { status });
  });
  app.route(
    "/sandbox",
    createSandboxRoutes({
      deps: () => ({ ...deps, config: { ...deps.config, ...config } }),
      teamOf: async () => teamId,
      onClockMoved: async () => {
        movedTo.push(clockOffsetSeconds());
      },
      leapTo: async () => {},
    }),
  );
  return { get: (path: string) => app.request(path), app, movedTo };
}

const post = (app: Hono, path: string, body?: string) =>
  app.request(path, { method: "POST", body });

/** The body of a JSON answer, whatever its shape. */
const json = (reply: Response) => reply.json<Record<string, unknown>>();

describe("GET /sandbox/api/posts", () => {
  it("lists every post, newest first, with media and received fields", async () => {
    const connection = await connect();
    const { teamId, accountId, session } = connection;
    const bytes = png(100);
    const image = await uploadImage(connection, bytes);
    const embed = { $type: "app.bsky.embed.images", images: [{ image, alt: "A test" }] };
    const first = record("First", { embed, langs: ["en"] });
    const rkey = uniqueTid();
    await write(connection, first, { rkey });
    await write(connection, first, { rkey });
    await write({ session, fetch: connection.fetchFor(42) }, record("Second"));

    const body = await json(await serve(teamId).get("/sandbox/api/posts"));
    expect(body).toEqual({
      success: true,
      posts: [
        expect.objectContaining({ text: "Second", uploadId: 42, media: [], received: 1 }),
        {
          id: expect.any(Number),
          platform: "bluesky",
          accountId,
          uploadId: expect.any(Number),
          text: "First",
          media: [
            {
              kind: "image",
              mime: "image/png",
              sizeBytes: 100,
              sha256: await sha256Hex(bytes),
              alt: "A test",
            },
          ],
          fields: first,
          received: 2,
          comments: [],
          url: `https://bsky.app/profile/${session.handle}/post/${rkey}`,
          replyTo: null,
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/),
        },
      ],
    });
  });

  it("filters by platform and account, and shows one team's posts only", async () => {
    const [mine, theirs] = [await connect(), await connect()];
    await write(mine, record("Mine"));
    await write(theirs, record("Theirs"));
    const textsOf = async (teamId: FeedTeam, query = "") => {
      const body = await serve(teamId).get(`/sandbox/api/posts${query}`);
      const { posts } = await body.json<{ posts: { text: string }[] }>();
      return posts.map(({ text }) => text);
    };
    expect(await textsOf(mine.teamId)).toEqual(["Mine"]);
    expect(await textsOf(mine.teamId, `?accountId=${theirs.accountId}`)).toEqual([]);
    expect(await textsOf("all", `?accountId=${theirs.accountId}`)).toEqual(["Theirs"]);
    expect(await textsOf(mine.teamId, "?platform=bluesky")).toEqual(["Mine"]);
    expect(await textsOf(mine.teamId, "?platform=tiktok")).toEqual([]);
    expect((await textsOf("all")).slice(0, 2)).toEqual(["Theirs", "Mine"]);
  });
});

describe("GET /sandbox", () => {
  it("shows hostile text as text", async () => {
    const connection = await connect();
    const hostile = `<script>alert(1)</script> "><img src=x onerror=alert(2)>`;
    const image = await uploadImage(connection);
    const embed = { $type: "app.bsky.embed.images", images: [{ image, alt: hostile }] };
    await write(connection, record(hostile, { embed }));
    const page = await (await serve(connection.teamId).get("/sandbox")).text();
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).not.toMatch(/<script|<img src=x/i);
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).toContain('alt="&lt;script&gt;');
    const other = serve(connection.teamId).get(`/sandbox?accountId=${encodeURIComponent(hostile)}`);
    expect(await (await other).text()).not.toMatch(/<script|<img src=x/i);
  });

  it("allows its own style and images, and nothing else", async () => {
    const reply = await serve(0).get("/sandbox");
    const page = await reply.text();
    const policy = reply.headers.get("content-security-policy") ?? "";
    const styles = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(styles));
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${new Uint8Array(digest).toBase64()}'`,
      "img-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "media-src 'self'",
    ]);
    expect(page).not.toMatch(/ style=|https?:\/\/(?!localhost)/);
  });

  it("says how to publish the first post where there is none", async () => {
    const page = await (
      await serve(0, { publicUrl: "https://posts.example" }).get("/sandbox")
    ).text();
    expect(page).toContain("No posts yet");
    expect(page).toContain("curl https://posts.example/api/v1/accounts");
    const filtered = await (await serve(0).get("/sandbox?platform=bluesky")).text();
    expect(filtered).toContain("No posts match");
  });

  it("shows images, every received field, and that a post arrived twice", async () => {
    const connection = await connect();
    const image = await uploadImage(connection);
    const embed = { $type: "app.bsky.embed.images", images: [{ image, alt: "A red door" }] };
    const rkey = uniqueTid();
    for (let time = 0; time < 2; time++) {
      await write(connection, record("A door", { embed, langs: ["en"] }), { rkey });
    }
    const page = await (await serve(connection.teamId).get("/sandbox")).text();
    expect(page).toMatch(/<img src="\/sandbox\/media\/\d+" alt="A red door"/);
    expect(page).toContain("arrived 2 times, posted once");
    for (const field of ["text", "createdAt", "embed", "langs"]) {
      expect(page).toContain(`<dt>${field}</dt>`);
    }
  });

  it("plays videos, described by their alt text", async () => {
    const connection = await connect();
    const reply = await upload(connection, mp4(1_000), { "content-type": "video/mp4" });
    const { blob: video } = await reply.json<{ blob: unknown }>();
    const embed = { $type: "app.bsky.embed.video", video, alt: 'A "fox"' };
    await write(connection, record("Look", { embed }));
    const page = await (await serve(connection.teamId).get("/sandbox")).text();
    expect(page).toMatch(
      /<video controls="" preload="metadata" src="\/sandbox\/media\/\d+" aria-label="A &quot;fox&quot;"><\/video>/,
    );
  });

  it("turns pages, fifty posts at a time", async () => {
    const connection = await connect();
    for (let n = 1; n <= 51; n++) await write(connection, record(`Post ${n}.`));
    const { get } = serve(connection.teamId);
    const page = await (await get("/sandbox")).text();
    expect(page.match(/<article/g)).toHaveLength(50);
    const older = /href="(\/sandbox\?before=\d+)"/.exec(page)?.[1] ?? "";
    const rest = await (await get(older)).text();
    expect(rest.match(/<article/g)).toHaveLength(1);
    expect(rest).toContain("Post 1.");
    expect(rest).not.toContain("Older posts");
  });
});

describe("GET /sandbox/media/:id", () => {
  const firstMedia = async (teamId: number) => {
    const page = await (await serve(teamId).get("/sandbox")).text();
    return /\/sandbox\/media\/\d+/.exec(page)?.[0] ?? "";
  };

  it("gives the bytes to the post's team, over several slices of storage", async () => {
    const connection = await connect();
    const bytes = png(1_900_000, 7);
    const image = await uploadImage(connection, bytes);
    const embed = { $type: "app.bsky.embed.images", images: [{ image, alt: "" }] };
    await write(connection, record("Large", { embed }));
    const path = await firstMedia(connection.teamId);
    const reply = await serve(connection.teamId).get(path);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": "1900000",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
    });
    expect(await sha256Hex(new Uint8Array(await reply.arrayBuffer()))).toBe(await sha256Hex(bytes));
    expect((await serve(connection.teamId + 1_000_000).get(path)).status).toBe(404);
  });

  it("hands out what a browser could run as a download", async () => {
    const connection = await connect();
    const svg = new TextEncoder().encode("<svg onload='alert(1)'/>");
    const reply = await upload(connection, svg, { "content-type": "image/svg+xml" });
    const { blob } = await reply.json<{ blob: unknown }>();
    const embed = { $type: "app.bsky.embed.images", images: [{ image: blob, alt: "" }] };
    await write(connection, record("SVG", { embed }));
    const media = await serve(connection.teamId).get(await firstMedia(connection.teamId));
    expect(media.headers.get("content-type")).toBe("application/octet-stream");
    expect(media.headers.get("content-disposition")).toBe("attachment");
    await media.arrayBuffer();
  });

  it.each([
    ["bytes=0-9", 206, "bytes 0-9/2500000", 10],
    ["bytes=999990-1000009", 206, "bytes 999990-1000009/2500000", 20],
    ["bytes=500000-2400000", 206, "bytes 500000-2400000/2500000", 1_900_001],
    ["bytes=-5", 206, "bytes 2499995-2499999/2500000", 5],
    ["bytes=2400000-", 206, "bytes 2400000-2499999/2500000", 100_000],
    ["bytes=2500000-", 416, "bytes */2500000", 0],
    ["bytes=0-1,5-6", 200, null, 2_500_000],
  ])("answers a browser that wants %s with %i", async (range, status, contentRange, length) => {
    const connection = await connect();
    const bytes = mp4(2_500_000, 7);
    const blob = await upload(connection, bytes, { "content-type": "video/mp4" });
    const { blob: video } = await blob.json<{ blob: unknown }>();
    const embed = { $type: "app.bsky.embed.video", video };
    await write(connection, record("A video", { embed }));
    const path = await firstMedia(connection.teamId);
    const reply = await serve(connection.teamId).app.request(path, { headers: { range } });
    expect(reply.status).toBe(status);
    expect(reply.headers.get("content-range")).toBe(contentRange);
    const got = new Uint8Array(await reply.arrayBuffer());
    expect(got.length).toBe(length);
    if (status === 416) return;
    expect(reply.headers.get("accept-ranges")).toBe("bytes");
    expect(reply.headers.get("content-length")).toBe(String(length));
    expect(reply.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    const first = Number(/^bytes (\d+)/.exec(contentRange ?? "bytes 0")?.[1]);
    expect(await sha256Hex(got)).toBe(await sha256Hex(bytes.slice(first, first + length)));
  });

  it.each(["/sandbox/media/999999", "/sandbox/media/x", "/sandbox/media/"])(
    "answers 404 for %s",
    async (path) => {
      expect((await serve("all").get(path)).status).toBe(404);
    },
  );
});

describe("a body that is larger than any form", () => {
  const MAX_READ = 100_000;

  /** A body without an end, which says nothing of its size. */
  function endless() {
    let read = 0;
    const piece = new Uint8Array(5_000).fill(97);
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += piece.length;
        if (read > MAX_READ) controller.error(new Error("Everything is read."));
        else controller.enqueue(piece);
      },
    });
    return { body, read: () => read };
  }

  const consentPath = () => {
    const { signingKey } = createDeps(env).config;
    const url = "https://www.threads.com/oauth/authorize?client_id=1";
    return sandboxConsentPath(signingKey, { url, teamId: 1, platform: "x", name: null });
  };

  it.each([
    ["a consent page, in production too", consentPath, false],
    ["the clock", async () => "/sandbox/api/clock", true],
    ["a post by hand", async () => "/sandbox/api/posts", true],
  ])("of %s is refused before it is read whole (413)", async (_, pathOf, isDevelopment) => {
    const { app } = serve("all", { isDevelopment });
    const { body, read } = endless();
    const reply = await app.request(await pathOf(), { method: "POST", body });
    expect([reply.status, await json(reply)]).toEqual([
      413,
      expect.objectContaining({ success: false, error: expect.stringContaining("20,000 bytes") }),
    ]);
    expect(read()).toBeLessThan(MAX_READ);
  });
});

describe("development's calls", () => {
  it("empty the feed of whoever may be shown", async () => {
    const connection = await connect();
    await write(connection, record("Gone"));
    const { app, get } = serve(connection.teamId);
    expect(await json(await post(app, "/sandbox/api/reset"))).toEqual({ success: true });
    expect(await json(await get("/sandbox/api/posts"))).toEqual({ success: true, posts: [] });
  });

  it("move the clock, and what has become due is done before the answer", async () => {
    const { app, get, movedTo } = serve("all");
    const before = Date.now();
    const body = await json(await post(app, "/sandbox/api/clock", '{"offsetSeconds":86400}'));
    expect(body).toEqual({ success: true, offsetSeconds: 86_400, now: expect.any(String) });
    expect(Date.parse(String(body.now))).toBeGreaterThanOrEqual(before + 86_400_000);
    expect(movedTo).toEqual([86_400]);
    expect(await json(await get("/sandbox/api/clock"))).toMatchObject({ offsetSeconds: 86_400 });
  });

  it.each([
    "",
    "{",
    "[]",
    "{}",
    '{"offsetSeconds":"60"}',
    '{"offsetSeconds":1.5}',
    '{"offsetSeconds":315360001}',
    '{"offsetSeconds":60,"more":1}',
  ])("refuse the clock body %s (400)", async (body) => {
    const { app, movedTo } = serve("all");
    const reply = await post(app, "/sandbox/api/clock", body);
    expect(reply.status).toBe(400);
    expect(await json(reply)).toMatchObject({ success: false, error: expect.any(String) });
    expect(movedTo).toEqual([]);
    expect(clockOffsetSeconds()).toBe(0);
  });

  it.each([
    ["POST", "/api/reset"],
    ["GET", "/api/clock"],
    ["POST", "/api/clock"],
    ["POST", "/api/posts"],
    ["GET", "/api/webhook"],
    ["GET", "/webhook"],
    ["POST", "/webhook"],
    ["POST", "/webhook/settings"],
  ])("do not exist in production: %s %s (404)", async (method, path) => {
    const { app, get } = serve("all", { isDevelopment: false });
    const body = method === "POST" ? '{"offsetSeconds":60}' : null;
    const reply = await app.request(`/sandbox${path}`, { method, body });
    expect([reply.status, await json(reply)]).toEqual([
      404,
      { success: false, error: "Page not found.", code: "NOT_FOUND" },
    ]);
    expect(clockOffsetSeconds()).toBe(0);
    expect((await get("/sandbox/api/posts")).status).toBe(200);
  });

  it("like everything of the sandbox, are gone where it is off (404)", async () => {
    const { app, get } = serve("all", { sandboxEnabled: false });
    expect((await get("/sandbox")).status).toBe(404);
    expect((await get("/sandbox/api/posts")).status).toBe(404);
    expect((await post(app, "/sandbox/api/reset")).status).toBe(404);
  });
});

it("groups a thread below its first post, in order", () => {
  const post = (id: number, replyTo: number | null) => ({ id, replyTo }) as FeedPost;
  const newestFirst = [
    post(9, 8),
    post(8, 4),
    post(7, null),
    post(6, 5),
    post(5, 4),
    post(4, null),
    post(3, 1),
  ];
  expect(
    threadsOf(newestFirst).map(({ post, replies }) => [post.id, replies.map(({ id }) => id)]),
  ).toEqual([
    [7, []],
    [4, [5, 6, 8, 9]],
    [3, []],
  ]);
});
