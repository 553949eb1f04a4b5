import { Hono } from "hono";
import { AppError } from "../../core/errors.ts";
import type { AppEnv } from "../../http/env.ts";

/** Scripts of pages, built into the assets. They hold nothing of a team. */
export const islandFiles = new Hono<AppEnv>();

islandFiles.get("/app/islands/:file{[A-Za-z0-9-]+\\.js}", async (c) => {
  const { status, body, headers } = await c.var.deps.assets.fetch(c.req.raw);
  if (status === 404) {
    await body?.cancel();
    throw new AppError("NOT_FOUND", "This version has no such script. Load the page again.");
  }
  const etag = headers.get("ETag");
  return new Response(body, {
    status,
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "public, no-cache",
      ...(etag ? { ETag: etag } : {}),
    },
  });
});
