import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { HOME_STYLES, HomePage, type Places } from "../pages/home-page.tsx";
import { renderPage } from "../pages/layout.tsx";
import { type AppContext, type AppEnv, publicOrigin } from "./env.ts";

type Question = (c: AppContext) => Promise<boolean>;

export function createHomeRoutes(isSignedIn: Question, isOwned: Question): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/", async (c) => {
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
    c.header("Vary", "Accept, Cookie");
    const type = accepts(c, {
      header: "Accept",
      supports: ["text/html", "application/json"],
      default: "text/html",
    });
    if (type === "application/json") {
      return c.json({ success: true, data: { name: "Akimbo", ...places } });
    }
    if (await isSignedIn(c)) {
      c.header("Cache-Control", "no-store");
      return c.redirect("/app", 303);
    }
    if (!(await isOwned(c))) {
      c.header("Cache-Control", "no-store");
      return c.redirect("/claim", 303);
    }
    return renderPage(
      c,
      { title: "Running", styles: HOME_STYLES },
      <HomePage places={places} isSandboxPublic={isDevelopment} />,
    );
  });
  return routes;
}
