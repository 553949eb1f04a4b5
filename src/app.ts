import type { MakeDeps } from "./http/door.ts";
import { createSwitch, type Door } from "./http/switch.ts";

type OpenDoor = (makeDeps: MakeDeps) => Promise<Door>;

const openPages: OpenDoor = async (makeDeps) =>
  (await import("./doors/pages.ts")).createPages(makeDeps);

const openConnect: OpenDoor = async (makeDeps) =>
  (await import("./doors/connect.ts")).createConnect(makeDeps);

const openOAuth: OpenDoor = async (makeDeps) =>
  (await import("./doors/oauth.ts")).createOAuth(makeDeps);

export const DOORS = new Map<string, OpenDoor>([
  ["api", async (makeDeps) => (await import("./doors/api.ts")).createApi(makeDeps)],
  ["app", openPages],
  ["authorize", openOAuth],
  ["calendar", async (makeDeps) => (await import("./doors/calendar.ts")).createCalendar(makeDeps)],
  ["claim", async (makeDeps) => (await import("./doors/claim.ts")).createClaim(makeDeps)],
  ["connect", openConnect],
  ["device", openOAuth],
  ["device_authorization", openOAuth],
  ["docs", async (makeDeps) => (await import("./doors/docs.ts")).createDocs(makeDeps)],
  ["invite", openPages],
  ["mcp", async (makeDeps) => (await import("./doors/mcp.ts")).createMcp(makeDeps)],
  ["oauth", openConnect],
  ["privacy", openPages],
  ["register", openOAuth],
  ["report", async (makeDeps) => (await import("./doors/report.ts")).createReports(makeDeps)],
  ["review", async (makeDeps) => (await import("./doors/review.ts")).createReview(makeDeps)],
  ["revoke", openOAuth],
  ["sign-in", openPages],
  ["sandbox", async (makeDeps) => (await import("./doors/sandbox.ts")).createSandbox(makeDeps)],
  ["terms", openPages],
  ["token", openOAuth],
  ["storage", async (makeDeps) => (await import("./doors/storage.ts")).createStorage(makeDeps)],
]);

export const openSite: OpenDoor = async (makeDeps) =>
  (await import("./doors/site.ts")).createSite(makeDeps);

const doorOf = (path: string): OpenDoor => DOORS.get(path.split("/", 2)[1] ?? "") ?? openSite;

export const createApp = (makeDeps: MakeDeps) => createSwitch(doorOf, (open) => open(makeDeps));
