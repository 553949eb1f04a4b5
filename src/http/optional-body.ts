import { createMiddleware } from "hono/factory";
import type * as z from "zod";
import type { AppEnv } from "./env.ts";
import { jsonBody } from "./route.ts";

/** Some clients send a content type without a body, which is not broken JSON. */
export const withoutBody = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.raw.body === null && c.req.header("content-type")) {
    const headers = new Headers(c.req.raw.headers);
    headers.delete("content-type");
    c.req.raw = new Request(c.req.raw, { headers });
  }
  await next();
});

export const optionalBody = <T extends z.ZodType>(schema: T) => ({
  ...jsonBody(schema),
  required: false,
});
