import { notFound } from "../core/errors.ts";
import { sessionToken } from "../features/auth/cookie.ts";
import { isOwned } from "../features/auth/repo/people.ts";
import { healthRoutes } from "../features/health/routes.ts";
import { mediaRoutes } from "../features/media/routes.ts";
import { wellKnownRoutes } from "../features/oauth/metadata-routes.ts";
import { fileRoutes } from "../features/presign/file-routes.ts";
import { logoRoutes } from "../features/settings/logo-routes.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../http/env.ts";
import { createHomeRoutes } from "../http/home.tsx";
import { llmsRoutes } from "../http/llms.ts";

async function isSignedIn({ req, var: { deps } }: AppContext): Promise<boolean> {
  const cookies = req.header("cookie") ?? null;
  const origin = publicOrigin(deps, req.url);
  return (await sessionToken(cookies, origin, deps.config.signingKey)) !== null;
}

/** Loads the authentication only for calls with a token. */
const createCaller: AppEnv["Variables"]["createCaller"] = async (...presented) =>
  (await import("../features/auth/caller.ts")).createCaller(...presented);

export function createSite(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.route(
    "/",
    createHomeRoutes(isSignedIn, ({ var: { deps } }) => isOwned(deps)),
  );
  app.use("/health", async (c, next) => {
    c.set("createCaller", createCaller);
    await next();
  });
  for (const routes of [
    mediaRoutes,
    fileRoutes,
    logoRoutes,
    healthRoutes,
    llmsRoutes,
    wellKnownRoutes,
  ]) {
    app.route("/", routes);
  }
  app.get("/:file{\\w+\\.txt}", (c) => {
    const { siteFiles } = c.var.deps.config;
    const file = siteFiles.find(({ name }) => name === c.req.param("file"));
    if (!file) throw notFound("File");
    return c.text(file.text);
  });
  app.get("/favicon.ico", (c) => c.body(null, 204));
  return app;
}
