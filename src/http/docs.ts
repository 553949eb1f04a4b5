import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./env.ts";

/** The API reference page. It loads nothing from other origins. */
export const docsRoutes = new Hono<AppEnv>();

/** The page's script needs inline styles and an inline script, and connects only to this origin. */
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

/** Replaces the library's colours that are too faint on its own backgrounds. Source: WCAG 2.2, 1.4.3. */
const READABLE_COLORS = `
.light-mode {
  --scalar-color-2: #565656; --scalar-color-3: #656565; --scalar-color-green: #006b44;
  --scalar-color-yellow: #755800; --scalar-color-red: #c00000; --scalar-color-blue: #0062a8;
  --scalar-color-orange: #9a4200; --scalar-color-purple: #5b3fb0; --scalar-sidebar-color-2: #565656;
  --scalar-sidebar-search-color: #656565;
}
.dark-mode {
  --scalar-color-2: #b4b4b4; --scalar-color-3: #a9a9a9; --scalar-color-green: #38d391;
  --scalar-color-red: #ff8f8f; --scalar-color-blue: #9db0ff; --scalar-color-purple: #c0a8ff;
  --scalar-sidebar-color-2: #b4b4b4; --scalar-sidebar-search-color: #a9a9a9;
}`;

const withPolicy = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.header("Content-Security-Policy", DOCS_POLICY);
  c.header("Cache-Control", "public, max-age=300");
});

docsRoutes.get("/docs", withPolicy, async (c: Context, next) => {
  const { Scalar } = await import("@scalar/hono-api-reference");
  const page = Scalar({
    url: "/api/v1/openapi.json",
    cdn: "/docs/scalar.js",
    pageTitle: "Akimbo API",
    withDefaultFonts: false,
    customCss: READABLE_COLORS,
    hideClientButton: true,
    telemetry: false,
    // Each of these features would send the document to another company's server.
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    authentication: { preferredSecurityScheme: "apiKey" },
  });
  const answer = await page(c, next);
  if (!answer) return;
  // The library cannot set the language, which screen readers need.
  return c.html((await answer.text()).replace(/<html(?=[\s>])(?![^>]* lang=)/i, '<html lang="en"'));
});

docsRoutes.get("/docs/scalar.js", withPolicy, async (c) => {
  const asset = await c.var.deps.assets.fetch(c.req.raw);
  return new Response(asset.body, {
    status: asset.status,
    headers: { "Content-Type": "text/javascript; charset=utf-8" },
  });
});
