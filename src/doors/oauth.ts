import { CONSENT_PATH, consentPage } from "../features/oauth/consent-page.tsx";
import { DEVICE_PATH, devicePage } from "../features/oauth/device-page.tsx";
import { oauthRoutes } from "../features/oauth/routes.ts";
import { requireKnownCaller } from "../http/caller.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";
import { renderError } from "../http/errors.ts";
import { renderErrorPage } from "../http/pages.tsx";

const PAGES = [CONSENT_PATH, DEVICE_PATH];

const isPage = (path: string): boolean =>
  PAGES.some((page) => path === page || path.startsWith(`${page}/`));

/** Programs call with a token of their own, people answer on a page. */
export function createOAuth(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.onError((error, c) =>
    isPage(c.req.path) ? renderErrorPage(error, c) : renderError(error, c),
  );
  for (const page of PAGES) app.use(`${page}/*`, requireKnownCaller);
  app.route("/", consentPage);
  app.route("/", devicePage);
  app.route("/", oauthRoutes);
  return app;
}
