import { Hono } from "hono";
import { healthRoutes } from "../features/health/routes.ts";
import { mediaRoutes } from "../features/media/routes.ts";
import { logoRoutes } from "../features/settings/logo-routes.ts";
import { docsRoutes } from "../http/docs.ts";
import { type MakeDeps, prepareDoor } from "../http/door.ts";
import type { AppEnv } from "../http/env.ts";
import { homeRoutes } from "../http/home.tsx";
import { siteFileRoutes } from "../http/site-files.ts";

/** Creates the app of pages, files and health. */
export function createSite(makeDeps: MakeDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  prepareDoor(app, makeDeps);
  for (const routes of [
    homeRoutes,
    mediaRoutes,
    logoRoutes,
    healthRoutes,
    docsRoutes,
    siteFileRoutes,
  ]) {
    app.route("/", routes);
  }
  app.get("/favicon.ico", (c) => c.body(null, 204));
  return app;
}
