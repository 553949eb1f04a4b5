import { CONSENT_PATH, consentPage } from "../features/oauth/consent-page.tsx";
import { oauthRoutes } from "../features/oauth/routes.ts";
import { requireKnownCaller } from "../http/caller.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";
import { renderError } from "../http/errors.ts";
import { renderErrorPage } from "../http/pages.tsx";

/** Programs call with a token of their own, people answer on a page. */
export function createOAuth(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.onError((error, c) =>
    c.req.path.startsWith(CONSENT_PATH) ? renderErrorPage(error, c) : renderError(error, c),
  );
  app.use(`${CONSENT_PATH}/*`, requireKnownCaller);
  app.route("/", consentPage);
  app.route("/", oauthRoutes);
  return app;
}
