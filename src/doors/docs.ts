import { guidePages } from "../features/guides/page.tsx";
import { docsRoutes } from "../http/docs.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";
import { renderError } from "../http/errors.ts";
import { renderErrorPage } from "../http/pages.tsx";

export function createDocs(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  // An instance with invalid settings renders no pages.
  app.onError((error, c) => (c.var.deps ? renderErrorPage(error, c) : renderError(error, c)));
  app.route("/", docsRoutes);
  app.route("/", guidePages);
  return app;
}
