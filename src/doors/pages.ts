import { Hono } from "hono";
import { homePage } from "../features/dashboard/home.tsx";
import { type MakeDeps, prepareDoor } from "../http/door.ts";
import type { AppEnv } from "../http/env.ts";
import { refuseCrossSite, renderErrorPage } from "../http/pages.tsx";

/** Creates the app of the sign-in and of the pages behind it. */
export function createPages(makeDeps: MakeDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  prepareDoor(app, makeDeps);
  app.onError(renderErrorPage);
  app.use(refuseCrossSite);
  for (const routes of [homePage]) app.route("/", routes);
  return app;
}
