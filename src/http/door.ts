import type { Hono } from "hono";
import { matchedRoutes } from "hono/route";
import { ConfigError } from "../config.ts";
import { AppError } from "../core/errors.ts";
import { randomHex } from "../core/ids.ts";
import type { Deps } from "../deps.ts";
import { dropUnreadBody } from "./body.ts";
import type { AppContext, AppEnv } from "./env.ts";
import { renderError } from "./errors.ts";
import { methodNotAllowed, methodsOf } from "./methods.ts";
import { answerHeaders } from "./security.ts";

export type MakeDeps = (c: AppContext) => Deps;

/** Returns the route's pattern for the log, because a path may contain secrets. */
const routeOf = (c: AppContext): string | null =>
  matchedRoutes(c).findLast(({ method }) => method !== "ALL")?.path ?? null;

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
