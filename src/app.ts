import type { Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { MakeDeps } from "./http/door.ts";
import type { AppEnv } from "./http/env.ts";

type OpenDoor = (makeDeps: MakeDeps) => Promise<Hono<AppEnv>>;

const openPages: OpenDoor = async (makeDeps) =>
  (await import("./doors/pages.ts")).createPages(makeDeps);

const openConnect: OpenDoor = async (makeDeps) =>
  (await import("./doors/connect.ts")).createConnect(makeDeps);

/** Doors by the first part of a path, each loaded by its first request. */
const DOORS: Record<string, OpenDoor> = {
  api: async (makeDeps) => (await import("./doors/api.ts")).createApi(makeDeps),
  app: openPages,
  connect: openConnect,
  invite: openPages,
  oauth: openConnect,
  privacy: openPages,
  "sign-in": openPages,
  sandbox: async (makeDeps) => (await import("./doors/sandbox.ts")).createSandbox(makeDeps),
  storage: async (makeDeps) => (await import("./doors/storage.ts")).createStorage(makeDeps),
};
const openSite: OpenDoor = async (makeDeps) =>
  (await import("./doors/site.ts")).createSite(makeDeps);

/** Everything that answers HTTP. */
export function createApp(makeDeps: MakeDeps) {
  const opened = new Map<OpenDoor, Hono<AppEnv>>();
  return {
    async fetch(request: Request, env?: object, execution?: ExecutionContext): Promise<Response> {
      const [, name = ""] = getPath(request).split("/", 2);
      const open = DOORS[name] ?? openSite;
      // Two first requests may both open it; a shared promise would end with the request that began it.
      const door = opened.get(open) ?? (await open(makeDeps));
      opened.set(open, door);
      return door.fetch(request, env, execution);
    },
  };
}
