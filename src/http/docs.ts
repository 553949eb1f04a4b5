import { type Context, Hono } from "hono";
import type { AppEnv } from "./env.ts";

/** The reference page, all from our own origin. */
export const docsRoutes = new Hono<AppEnv>();

/** The page's script styles itself and runs an inline starter; it talks to nobody but us. */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

docsRoutes.use("/docs/*", async (c, next) => {
  await next();
  c.header("Content-Security-Policy", DOCS_POLICY);
  c.header("Cache-Control", "public, max-age=300");
});

docsRoutes.get("/docs", async (c: Context, next) => {
  const { Scalar } = await import("@scalar/hono-api-reference");
  const page = Scalar({
    url: "/api/v1/openapi.json",
    cdn: "/docs/scalar.js",
    pageTitle: "Akimbo API",
    withDefaultFonts: false,
    hideClientButton: true,
    telemetry: false,
    // Each of these would take the reader's document to somebody else's server.
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    authentication: { preferredSecurityScheme: "apiKey" },
  });
  return page(c, next);
});

docsRoutes.get("/docs/scalar.js", async (c) => {
  const asset = await c.var.deps.assets.fetch(c.req.raw);
  return new Response(asset.body, {
    status: asset.status,
    headers: { "Content-Type": "text/javascript; charset=utf-8" },
  });
});
