import type { Hono } from "hono";
import type { PageEnv } from "../features/auth/signed-in.ts";
import { composePage } from "../features/composer/page.tsx";
import { accountPage } from "../features/dashboard/account.tsx";
import { accountsPage } from "../features/dashboard/accounts.tsx";
import { activityPage } from "../features/dashboard/activity/page.tsx";
import { analyticsPage } from "../features/dashboard/analytics/page.tsx";
import { postFiguresPage } from "../features/dashboard/analytics/post.tsx";
import { appsPage } from "../features/dashboard/apps.tsx";
import { blocksPage } from "../features/dashboard/blocks.tsx";
import { calendarPage } from "../features/dashboard/calendar.tsx";
import { connectionPages } from "../features/dashboard/connection-pages.tsx";
import { feedsPage } from "../features/dashboard/feeds.tsx";
import { homePage } from "../features/dashboard/home.tsx";
import { importPage } from "../features/dashboard/import.tsx";
import { invitePage } from "../features/dashboard/invite.tsx";
import { islandFiles } from "../features/dashboard/island-routes.ts";
import { mePage } from "../features/dashboard/me.tsx";
import { mediaPage } from "../features/dashboard/media.tsx";
import { mediaFilePage } from "../features/dashboard/media-file.tsx";
import { poolItemsPage } from "../features/dashboard/pools/item-page.tsx";
import { poolsPage } from "../features/dashboard/pools/list.tsx";
import { poolPage } from "../features/dashboard/pools/page.tsx";
import { privacyPage } from "../features/dashboard/privacy.tsx";
import { pushWorker } from "../features/dashboard/push-routes.ts";
import { reviewsPage } from "../features/dashboard/reviews.tsx";
import { settingsPage } from "../features/dashboard/settings.tsx";
import { setupPage } from "../features/dashboard/setup.tsx";
import { linkCodes } from "../features/dashboard/short-links/code.tsx";
import { domainsPage } from "../features/dashboard/short-links/domains.tsx";
import { shortLinkPage } from "../features/dashboard/short-links/link.tsx";
import { shortLinksPage } from "../features/dashboard/short-links/list.tsx";
import { suggestionsPage } from "../features/dashboard/suggestions.tsx";
import { teamPage } from "../features/dashboard/team.tsx";
import { termsPage } from "../features/dashboard/terms.tsx";
import { tokensPage } from "../features/dashboard/tokens.tsx";
import { uploadPage } from "../features/dashboard/upload.tsx";
import { uploadsPage } from "../features/dashboard/uploads.tsx";
import { versionPage } from "../features/dashboard/version.tsx";
import { webhookAttemptPage } from "../features/dashboard/webhooks/attempt.tsx";
import { webhooksPage } from "../features/dashboard/webhooks/page.tsx";
import { webhookSignaturePage } from "../features/dashboard/webhooks/signature.tsx";
import { signInPages } from "../features/sign-in/page.tsx";
import { requireKnownCaller } from "../http/caller.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";
import { refuseCrossSite, renderErrorPage } from "../http/pages.tsx";

const BEHIND_SIGN_IN = [
  homePage,
  calendarPage,
  analyticsPage,
  postFiguresPage,
  composePage,
  uploadsPage,
  importPage,
  blocksPage,
  feedsPage,
  uploadPage,
  reviewsPage,
  poolsPage,
  poolPage,
  poolItemsPage,
  mediaPage,
  mediaFilePage,
  accountsPage,
  accountPage,
  connectionPages,
  webhookSignaturePage,
  webhooksPage,
  webhookAttemptPage,
  shortLinksPage,
  domainsPage,
  linkCodes,
  shortLinkPage,
  tokensPage,
  teamPage,
  activityPage,
  mePage,
  settingsPage,
  appsPage,
  versionPage,
  setupPage,
  suggestionsPage,
];

/** Pages in `behindSignIn` are shown only to signed-in people. */
export function createPages(
  makeDeps: MakeDeps,
  behindSignIn: readonly Hono<PageEnv>[] = BEHIND_SIGN_IN,
) {
  const app = createDoor(makeDeps);
  app.onError(renderErrorPage);
  app.use(refuseCrossSite);
  app.route("/", signInPages);
  app.route("/", privacyPage);
  app.route("/", termsPage);
  app.route("/", invitePage);
  app.route("/", pushWorker);
  app.route("/", islandFiles);
  for (const page of behindSignIn) {
    const places = new Set(page.routes.map(({ method, path }) => `${method} ${path}`));
    for (const place of places) {
      const [method = "", path = ""] = place.split(" ");
      app.on(method, path, requireKnownCaller);
    }
    app.route("/", page);
  }
  return app;
}
