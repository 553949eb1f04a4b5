import { linkPages } from "../features/connect/link-page.tsx";
import { consentPages } from "../features/connect/pages.tsx";
import { deletionPage } from "../features/withdrawals/page.tsx";
import { withdrawalRoutes } from "../features/withdrawals/routes.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";
import { refuseCrossSite, renderErrorPage } from "../http/pages.tsx";

/** Pages that connect accounts need no sign-in. */
export function createConnect(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.onError(renderErrorPage);
  // These routes precede the check of the origin, because platforms' servers call them.
  app.route("/", withdrawalRoutes);
  app.use(refuseCrossSite);
  app.route("/", consentPages);
  app.route("/", deletionPage);
  app.route("/", linkPages);
  return app;
}
