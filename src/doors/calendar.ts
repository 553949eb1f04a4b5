import { feedRoutes } from "../features/calendar/feed-routes.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";

/** Other calendars read feeds without a sign-in. */
export function createCalendar(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.route("/", feedRoutes);
  return app;
}
