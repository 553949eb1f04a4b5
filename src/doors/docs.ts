import { Hono } from "hono";
import { guidePages } from "../features/guides/page.tsx";
import { docsRoutes } from "../http/docs.ts";
import { type MakeDeps, prepareDoor } from "../http/door.ts";
import type { AppEnv } from "../http/env.ts";
import { renderError } from "../http/errors.ts";
import { renderErrorPage } from "../http/pages.tsx";

/** Creates the app of the API reference and the guides. */
export function createDocs(makeDeps: MakeDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  prepareDoor(app, makeDeps);
  // Without its settings an instance has no pages: it says what is missing as every other door does.
  app.onError((error, c) => (c.var.deps ? renderErrorPage(error, c) : renderError(error, c)));
  app.route("/", docsRoutes);
  app.route("/", guidePages);
  return app;
}
