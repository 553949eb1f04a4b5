import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { ConfigError } from "../config.ts";
import { AppError } from "../core/errors.ts";
import { randomHex } from "../core/ids.ts";
import type { Deps } from "../deps.ts";
import { dropUnreadBody } from "./body.ts";
import type { AppContext, AppEnv } from "./env.ts";
import { renderError } from "./errors.ts";
import { methodNotAllowed, methodsOf } from "./methods.ts";

export type MakeDeps = (c: AppContext) => Deps;

/** Returns the route's pattern for the log, because a path may contain secrets. */
const routeOf = (c: AppContext): string | null =>
  matchedRoutes(c).findLast(({ method }) => method !== "ALL")?.path ?? null;

const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
  "Strict-Transport-Security": "max-age=31536000",
};

/** For answers other than pages and files. */
const INERT = "default-src 'none'; frame-ancestors 'none'";

/** Pages and files set their own policy and caching. */
const answerHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const limits = await c.var.limitHeaders;
  const headers = new Headers(c.res.headers);
  const referrer = headers.get("Referrer-Policy");
  for (const [name, value] of Object.entries({ ...ALWAYS, ...limits })) headers.set(name, value);
  if (referrer) headers.set("Referrer-Policy", referrer);
  if (c.var.requestId) headers.set("X-Request-Id", c.var.requestId);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private, no-store");
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", INERT);
  // One copy of the response is cheaper than setting each header on it.
  const { status, body } = c.res;
  c.res = undefined;
  c.res = new Response(body, { status, headers });
});

export function createDoor(makeDeps: MakeDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  prepareDoor(app, makeDeps);
  return app;
}

export function prepareDoor(app: Hono<AppEnv>, makeDeps: MakeDeps): void {
  app.onError(renderError);
  app.notFound((c) => {
    const methods = methodsOf(app, c.req.path);
    if (methods.length === 0) {
      throw new AppError(
        "NOT_FOUND",
        `Nothing is at ${c.req.path}. The API is described at /docs.`,
      );
    }
    throw methodNotAllowed(c.req.path, c.req.method, methods);
  });

  app.use(answerHeaders);
  app.use(async (c, next) => {
    c.set("requestId", randomHex(8));
    try {
      c.set("deps", makeDeps(c));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new AppError("UNAVAILABLE", error.message);
    }
    const startedAt = Date.now();
    await next();
    c.var.deps.log({
      event: "request",
      requestId: c.var.requestId,
      method: c.req.method,
      route: routeOf(c),
      teamId: c.var.ctx?.knownActor()?.teamId ?? null,
      status: c.res.status,
      ms: Date.now() - startedAt,
    });
  });
  app.use(dropUnreadBody);
}
