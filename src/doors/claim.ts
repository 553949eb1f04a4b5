import { claimPage } from "../features/claim/page.tsx";
import { createDoor, type MakeDeps } from "../http/door.ts";
import { refuseCrossSite, renderErrorPage } from "../http/pages.tsx";

export function createClaim(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.onError(renderErrorPage);
  app.use(refuseCrossSite);
  app.route("/", claimPage);
  return app;
}
