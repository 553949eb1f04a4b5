import { Hono } from "hono";
import { sessionToken } from "../features/auth/cookie.ts";
import { healthRoutes } from "../features/health/routes.ts";
import { mediaRoutes } from "../features/media/routes.ts";
import { fileRoutes } from "../features/presign/file-routes.ts";
import { logoRoutes } from "../features/settings/logo-routes.ts";
import { type MakeDeps, prepareDoor } from "../http/door.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../http/env.ts";
import { createHomeRoutes } from "../http/home.tsx";
import { llmsRoutes } from "../http/llms.ts";
import { siteFileRoutes } from "../http/site-files.ts";

/** True for a cookie with our signature. Whether its session still lives is not checked. */
async function isSignedIn({ req, var: { deps } }: AppContext): Promise<boolean> {
  const cookies = req.header("cookie") ?? null;
  const origin = publicOrigin(deps, req.url);
  return (await sessionToken(cookies, origin, deps.config.signingKey)) !== null;
}

export function createSite(makeDeps: MakeDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  prepareDoor(app, makeDeps);
  const homeRoutes = createHomeRoutes(isSignedIn);
  for (const routes of [
    homeRoutes,
    mediaRoutes,
    fileRoutes,
    logoRoutes,
    healthRoutes,
    llmsRoutes,
    siteFileRoutes,
  ]) {
    app.route("/", routes);
  }
  app.get("/favicon.ico", (c) => c.body(null, 204));
  return app;
}
