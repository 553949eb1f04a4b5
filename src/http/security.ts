import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./env.ts";

const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
  "Strict-Transport-Security": "max-age=31536000",
};

/** What is no page and no file cannot be anything in a browser. */
const INERT = "default-src 'none'; frame-ancestors 'none'";

/** Headers of every answer, refusals included. A page or a file sets its own policy and caching. */
export const answerHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(ALWAYS)) c.header(name, value);
  if (c.var.requestId) c.header("X-Request-Id", c.var.requestId);
  if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "private, no-store");
  if (!c.res.headers.has("Content-Security-Policy")) c.header("Content-Security-Policy", INERT);
  const limits = await c.var.limitHeaders;
  for (const [name, value] of Object.entries(limits ?? {})) c.header(name, value);
});
