import { createMiddleware } from "hono/factory";
import type * as z from "zod";
import type { AppEnv } from "./env.ts";
import { jsonBody } from "./route.ts";

/** Clients name the type of a body that they then do not send: that is no broken JSON. */
export const withoutBody = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.raw.body === null && c.req.header("content-type")) {
    const headers = new Headers(c.req.raw.headers);
    headers.delete("content-type");
    c.req.raw = new Request(c.req.raw, { headers });
  }
  await next();
});

/** A body that may be left out. */
export const optionalBody = <T extends z.ZodType>(schema: T) => ({
  ...jsonBody(schema),
  required: false,
});
