import { renderReportError, reportPages } from "../features/dashboard/analytics/report.tsx";
import { createDoor, type MakeDeps } from "../http/door.ts";

/** Clients read reports without a sign-in. */
export function createReports(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.onError(renderReportError);
  app.route("/", reportPages);
  return app;
}
