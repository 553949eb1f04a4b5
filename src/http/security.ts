import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./env.ts";

const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
  "Strict-Transport-Security": "max-age=31536000",
};

/** For answers other than pages and files. */
const INERT = "default-src 'none'; frame-ancestors 'none'";

/** Pages and files set their own policy and caching. */
export const answerHeaders = createMiddleware<AppEnv>(async (c, next) => {
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
