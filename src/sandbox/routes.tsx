import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { clockOffsetSeconds, holdClock, moveClock, now, releaseClock } from "../core/clock.ts";
import { formatCount } from "../core/counts.ts";
import { AppError, invalidFields, notFound, tooLarge } from "../core/errors.ts";
import type { Deps } from "../deps.ts";
import { renderPage } from "../pages/layout.tsx";
import { readConsentPath } from "./consent-address.ts";
import { FEED_STYLES, FeedPage } from "./feed-page.tsx";
import { createSandboxFetch } from "./fetch.ts";
import { NAME_HEADER } from "./kit/consent.tsx";
import type { FeedTeam } from "./kit/feed-team.ts";
import { MAX_FORM_BYTES, readBody } from "./kit/input.ts";
import type { FeedPost } from "./kit/store.ts";
import { theSandbox } from "./state.ts";
import { createReceiverRoutes } from "./webhook/routes.tsx";

interface SandboxRouteOptions {
  deps(c: Context): Deps;
  /** @throws AppError for a caller without access */
  teamOf(c: Context): Promise<FeedTeam>;
  onClockMoved(c: Context): Promise<void>;
  /** Moves the clock to `at`, then runs the cron schedule `ticks` times with its queue messages. */
  leapTo(c: Context, at: Date, ticks: number): Promise<void>;
}

interface FeedEnv {
  Variables: { feedTeam: FeedTeam };
}

const PAGE_SIZE = 50;

/** Characters that every platform accepts. */
const MAX_TEXT = 280;

const MAX_OFFSET_SECONDS = 10 * 365 * 86_400;

const MAX_TICKS = 60;

const instant = z.iso.datetime().transform((text) => new Date(text));

const clockBody = z.union([
  z.strictObject({
    offsetSeconds: z.int().min(-MAX_OFFSET_SECONDS).max(MAX_OFFSET_SECONDS),
  }),
  z.strictObject({
    at: instant,
    ticks: z.int().min(1).max(MAX_TICKS).default(1),
  }),
]);

const postBody = z.strictObject({
  at: instant.optional(),
  accountId: z.string().max(100),
  text: z.string().min(1).max(MAX_TEXT),
});

/** Safe in a browser; another type could contain a script. */
const SHOWN_TYPES = /^(image\/(jpeg|png|gif|webp|avif)|video\/(mp4|webm|quicktime))$/;

function toWirePost({ id, platform, accountId, uploadId, text, ...post }: FeedPost) {
  return {
    id,
    platform,
    accountId,
    uploadId,
    text,
    media: post.media.map(({ kind, mime, sizeBytes, sha256, alt }) => ({
      kind,
      mime,
      sizeBytes,
      sha256,
      alt,
    })),
    fields: JSON.parse(post.fieldsJson) as Record<string, unknown>,
    received: post.received,
    url: post.url,
    replyTo: post.replyTo,
    comments: post.comments,
    createdAt: post.createdAt,
  };
}

const filterOf = (c: Context) => ({
  platform: c.req.query("platform") || null,
  accountId: c.req.query("accountId") || null,
});

/** Only the feed plays videos. */
function allowOwnVideos(page: Response): Response {
  const policy = page.headers.get("Content-Security-Policy");
  page.headers.set("Content-Security-Policy", `${policy}; media-src 'self'`);
  return page;
}

/** @throws AppError for a large body */
async function readSmall({ req }: Context): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBody(req.raw, MAX_FORM_BYTES);
  if (bytes) return bytes;
  throw tooLarge(`The body is larger than ${formatCount(MAX_FORM_BYTES)} bytes. Send less.`);
}

async function readJson<T>(
  c: Context,
  shape: z.ZodType<T>,
  refusal: { field: string; message: string },
): Promise<T> {
  const bytes = await readSmall(c);
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new AppError("INVALID_JSON", "The request body is not valid JSON.");
  }
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidFields([refusal]);
}

const CLOCK_REFUSAL = {
  field: "offsetSeconds",
  message:
    "Send offsetSeconds alone: whole seconds, at most ten years either way; or at, an instant, with ticks from 1 to 60.",
};

const POST_REFUSAL = {
  field: "text",
  message: `Send accountId, text of 1 to ${MAX_TEXT} characters and, if you like, at, an instant.`,
};

/** NOT_FOUND while the sandbox is off, and in production for development-only routes. */
export function createSandboxRoutes(options: SandboxRouteOptions): Hono {
  const app = new Hono();
  const sandbox = (c: Context) => theSandbox(options.deps(c).sandbox);
  const ofTeam = createMiddleware<FeedEnv>(async (c, next) => {
    c.set("feedTeam", await options.teamOf(c));
    await next();
  });
  const inDevelopment = createMiddleware(async (c, next) => {
    if (!options.deps(c).config.isDevelopment) throw notFound("Page");
    await next();
  });

  app.use(async (c, next) => {
    if (!options.deps(c).config.sandboxEnabled) throw notFound("Page");
    await next();
  });

  app.get("/", ofTeam, async (c) => {
    const filter = { ...filterOf(c), teamId: c.var.feedTeam };
    const before = Number(c.req.query("before")) || null;
    const posts = await sandbox(c).listPosts({ ...filter, before, limit: PAGE_SIZE + 1 });
    const shown = posts.slice(0, PAGE_SIZE);
    const olderThan = posts.length > PAGE_SIZE ? (shown.at(-1)?.id ?? null) : null;
    const origin = options.deps(c).config.publicUrl ?? new URL(c.req.url).origin;
    const { PLATFORM_NAMES: names } = await import("../platforms/registry.ts");
    const page = await renderPage(
      c,
      { title: "Sandbox feed", styles: FEED_STYLES },
      <FeedPage
        {...filter}
        names={names}
        olderThan={olderThan}
        origin={origin}
        posts={shown}
        hasReceiver={options.deps(c).config.isDevelopment}
      />,
    );
    return allowOwnVideos(page);
  });

  app.on(["GET", "POST"], "/consent", async (c) => {
    const deps = options.deps(c);
    const page = await readConsentPath(deps.config.signingKey, new URL(c.req.url).searchParams);
    if (!page) throw notFound("Page");
    const { method } = c.req;
    const headers = new Headers({ "content-type": c.req.header("content-type") ?? "" });
    if (page.name !== null) headers.set(NAME_HEADER, encodeURIComponent(page.name));
    const body = method === "POST" ? await readSmall(c) : null;
    const fetch = createSandboxFetch(deps.sandbox, {
      teamId: page.teamId,
      accountId: null,
      uploadId: null,
      platform: page.platform,
    });
    return fetch(new Request(page.url, { method, headers, body, redirect: "manual" }));
  });

  app.get("/api/posts", ofTeam, async (c) => {
    const filter = { ...filterOf(c), teamId: c.var.feedTeam };
    const posts = await sandbox(c).listPosts(filter);
    c.header("Cache-Control", "no-store");
    return c.json({ success: true, posts: posts.map(toWirePost) });
  });

  app.get("/media/:id{[0-9]{1,15}}", ofTeam, async (c) => {
    const id = Number(c.req.param("id"));
    const media = await sandbox(c).readMedia(id, c.var.feedTeam, c.req.header("range"));
    if (!media) throw notFound("Media");
    const { mime, sizeBytes, range, body } = media;
    if (!body) return c.body(null, 416, { "Content-Range": `bytes */${sizeBytes}` });
    const isShown = SHOWN_TYPES.test(mime);
    const headers: Record<string, string> = {
      "Content-Type": isShown ? mime : "application/octet-stream",
      "Content-Disposition": isShown ? "inline" : "attachment",
      "Content-Length": String(range?.length ?? sizeBytes),
      "Accept-Ranges": "bytes",
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Cache-Control": "private, max-age=3600",
    };
    if (!range) return c.body(body, 200, headers);
    const last = range.offset + range.length - 1;
    return c.body(body, 206, {
      ...headers,
      "Content-Range": `bytes ${range.offset}-${last}/${sizeBytes}`,
    });
  });

  const calls = new Hono();

  calls.post("/api/reset", ofTeam, async (c) => {
    await sandbox(c).reset(c.var.feedTeam);
    return c.json({ success: true });
  });

  const clock = () => ({
    success: true,
    offsetSeconds: clockOffsetSeconds(),
    now: now().toISOString(),
  });

  calls.get("/api/clock", (c) => c.json(clock()));

  calls.post("/api/clock", async (c) => {
    const input = await readJson(c, clockBody, CLOCK_REFUSAL);
    if ("at" in input) await options.leapTo(c, input.at, input.ticks);
    else {
      moveClock(input.offsetSeconds);
      await options.onClockMoved(c);
    }
    return c.json(clock());
  });

  calls.post("/api/posts", async (c) => {
    const { at, accountId, text } = await readJson(c, postBody, POST_REFUSAL);
    if (at) holdClock(at);
    const isMade = await sandbox(c).postByHand(accountId, text).finally(releaseClock);
    if (!isMade) throw notFound("Post of that account");
    return c.json({ success: true });
  });

  // By method, because the public feed shares a path with a development-only call.
  for (const { method, path } of calls.routes) app.on(method, path, inDevelopment);
  const receiver = createReceiverRoutes(options.deps);
  for (const { path } of receiver.routes) app.use(path, inDevelopment);

  return app.route("/", calls).route("/", receiver);
}
