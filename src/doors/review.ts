import { Hono } from "hono";
import { renderReviewError, reviewPages } from "../features/review/page.tsx";
import { type MakeDeps, prepareDoor } from "../http/door.ts";
import type { AppEnv } from "../http/env.ts";
import { refuseForeignForm } from "../http/pages.tsx";

/** Clients review posts without a sign-in. */
export function createReview(makeDeps: MakeDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  prepareDoor(app, makeDeps);
  app.onError(renderReviewError);
  app.use(refuseForeignForm);
  app.route("/", reviewPages);
  return app;
}
