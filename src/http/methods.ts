import type { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Returns the methods of the path's routes. Middleware does not count. */
export function methodsOf(app: Hono<AppEnv>, path: string): string[] {
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  );
}

export function methodNotAllowed(path: string, method: string, allowed: readonly string[]) {
  const allow = allowed.join(", ");
  return new AppError("METHOD_NOT_ALLOWED", `${path} answers ${allow}, not ${method}.`, {
    headers: { Allow: allow },
  });
}

/** Refuses other methods on a fixed path beside an id, such as `/upload/bulk`. */
export const only = (...allowed: string[]) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { method, path } = c.req;
    if (METHODS.includes(method) && !allowed.includes(method)) {
      throw methodNotAllowed(path, method, allowed);
    }
    await next();
  });
