import { Hono } from "hono";
import { notFound } from "../../core/errors.ts";
import { countVisitor } from "../../http/caller.ts";
import { type AppEnv, publicOrigin } from "../../http/env.ts";
import { findFeedFile } from "./feeds.ts";

export const feedRoutes = new Hono<AppEnv>();

const opaque = (etag: string): string => etag.trim().replace(/^W\//, "");

/** Source: RFC 9110, 13.1.2: weak and strong tags are compared alike. */
const isNamed = (header: string | undefined, etag: string): boolean =>
  (header ?? "").split(",").some((one) => one.trim() === "*" || opaque(one) === opaque(etag));

feedRoutes.get("/calendar/:file{.+\\.ics}", async (c) => {
  await countVisitor(c, "read:calendar-feed");
  const token = c.req.param("file").slice(0, -".ics".length);
  const { deps } = c.var;
  const file = await findFeedFile(deps, publicOrigin(deps, c.req.url), token);
  if (!file) throw notFound("Calendar");
  c.header("ETag", file.etag);
  c.header("Cache-Control", "private, no-cache");
  c.header("X-Robots-Tag", "noindex");
  if (isNamed(c.req.header("if-none-match"), file.etag)) return c.body(null, 304);
  c.header("Content-Type", "text/calendar; charset=utf-8");
  c.header("Content-Disposition", 'inline; filename="akimbo.ics"');
  return c.body(file.text);
});
