import { renderReviewError, reviewPages } from "../features/review/page.tsx";
import { createDoor, type MakeDeps } from "../http/door.ts";
import { refuseForeignForm } from "../http/pages.tsx";

/** Clients review posts without a sign-in. */
export function createReview(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.onError(renderReviewError);
  app.use(refuseForeignForm);
  app.route("/", reviewPages);
  return app;
}
