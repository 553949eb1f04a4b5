import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { HOME_STYLES, HomePage, type Places } from "../pages/home-page.tsx";
import { renderPage } from "../pages/layout.tsx";
import { type AppEnv, publicOrigin } from "./env.ts";

/** The root: a page for people, and the same as JSON for who asks for that. */
export const homeRoutes = new Hono<AppEnv>();

homeRoutes.get("/", async (c) => {
  const { deps } = c.var;
  const origin = publicOrigin(deps, c.req.url);
  const { isDevelopment, sandboxEnabled } = deps.config;
  const places: Places = {
    api: `${origin}/api/v1`,
    docs: `${origin}/docs`,
    openapi: `${origin}/api/v1/openapi.json`,
    health: `${origin}/health`,
    sandbox: sandboxEnabled ? `${origin}/sandbox` : null,
  };
  c.header("Vary", "Accept");
  const wanted = accepts(c, {
    header: "Accept",
    supports: ["text/html", "application/json"],
    default: "text/html",
  });
  if (wanted === "application/json") {
    return c.json({ success: true, data: { name: "Akimbo", ...places } });
  }
  return renderPage(
    c,
    { title: "Running", styles: HOME_STYLES },
    <HomePage places={places} isSandboxPublic={isDevelopment} />,
  );
});
