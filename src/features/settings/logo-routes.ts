import { Hono } from "hono";
import { notFound } from "../../core/errors.ts";
import { countVisitor } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";
import { logoKeyOf } from "./rules.ts";

export const logoRoutes = new Hono<AppEnv>();

/** An SVG opened in its own tab must not run scripts. */
const LOGO_HEADERS = {
  "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
  "Cross-Origin-Resource-Policy": "cross-origin",
  // A new logo has a new address, so caching is safe.
  "Cache-Control": "public, max-age=86400",
};

logoRoutes.get("/branding/:teamId{[0-9]{1,15}}/:key{[0-9a-f]{32}}", async (c) => {
  const { media } = c.var.deps;
  const { teamId, key } = c.req.param();
  await countVisitor(c, "media");
  const object = await media.get(logoKeyOf(Number(teamId), key));
  const mime = object?.httpMetadata?.contentType;
  if (!object || !mime) throw notFound("Logo");
  return c.body(object.body, 200, {
    ...LOGO_HEADERS,
    "Content-Type": mime,
    "Content-Length": String(object.size),
    ETag: object.httpEtag,
  });
});
