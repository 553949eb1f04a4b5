import { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { requirePlatforms } from "../config.ts";
import { createCaller } from "../features/auth/caller.ts";
import { requireKnownCaller } from "../http/caller.ts";
import { type MakeDeps, prepareDoor } from "../http/door.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../http/env.ts";
import { renderError } from "../http/errors.ts";
import { isSameOrigin } from "../http/same-origin.ts";
import { createSwitch } from "../http/switch.ts";
import { withClaimHint } from "./unclaimed.ts";

const apiCors = cors({
  origin: "*",
  allowMethods: ["GET", "POST", "PATCH", "PUT", "DELETE"],
  allowHeaders: [
    "content-type",
    "authorization",
    "x-api-key",
    "x-api-token",
    "x-team-id",
    "idempotency-key",
  ],
  exposeHeaders: [
    "x-request-id",
    "idempotent-replayed",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
  ],
  maxAge: 86_400,
});

type Router = OpenAPIHono<AppEnv>;

/** `load` runs on the first call of a path below /api/v1 that has one of the beginnings; `*` matches any part. */
type Entry = [beginnings: string | readonly string[], load: () => Promise<Router>];

const OPEN_ROUTERS: Entry[] = [
  ["whitelabel", async () => (await import("../features/connect/link-routes.ts")).linkInviteRoutes],
];

/** The most specific paths stand first. */
const ROUTERS: Entry[] = [
  ["platforms", async () => (await import("../features/platforms/routes.ts")).platformRoutes],
  [
    ["accounts", "pinterest", "tiktok"],
    async () => (await import("../features/logins/routes.ts")).accountExtraRoutes,
  ],
  ["accounts", async () => (await import("../features/accounts/routes.ts")).accountRoutes],
  ["accounts", async () => (await import("../features/disconnect/routes.ts")).disconnectRoutes],
  ["accounts", async () => (await import("../features/connect/routes.ts")).connectRoutes],
  ["whitelabel", async () => (await import("../features/connect/link-routes.ts")).linkRoutes],
  ["upload/review-links", async () => (await import("../features/review/routes.ts")).reviewRoutes],
  ["upload/*", async () => (await import("../features/compose/edit-routes.ts")).editRoutes],
  [
    ["upload/*/approve", "upload/*/request-changes", "upload/*/submit"],
    async () => (await import("../features/approval/routes.ts")).approvalRoutes,
  ],
  [
    "upload/*/unpublish",
    async () => (await import("../features/unpublishing/routes.ts")).unpublishingRoutes,
  ],
  [
    ["upload/bulk", "upload/validate"],
    async () => (await import("../features/compose/bulk-routes.ts")).bulkRoutes,
  ],
  ["upload/import", async () => (await import("../features/importing/routes.ts")).importRoutes],
  ["upload/presign", async () => (await import("../features/presign/routes.ts")).presignRoutes],
  ["upload", async () => (await import("../features/compose/routes.ts")).uploadRoutes],
  [["upload", "posts"], async () => (await import("../features/posts/routes.ts")).postRoutes],
  ["blocks", async () => (await import("../features/blocks/routes.ts")).blockRoutes],
  ["feeds", async () => (await import("../features/feeds/routes.ts")).feedRoutes],
  ["drafts", async () => (await import("../features/drafts/routes.ts")).draftRoutes],
  ["media", async () => (await import("../features/library/routes.ts")).libraryRoutes],
  ["calendar", async () => (await import("../features/calendar/routes.ts")).calendarRoutes],
  ["rehearsals", async () => (await import("../features/rehearsal/routes.ts")).rehearsalRoutes],
  ["limits", async () => (await import("../features/limits/routes.ts")).limitRoutes],
  ["tokens", async () => (await import("../features/tokens/routes.ts")).tokenRoutes],
  ["x-credits", async () => (await import("../features/credits/routes.ts")).creditRoutes],
  ["settings", async () => (await import("../features/settings/routes.ts")).settingsRoutes],
  ["settings/push", async () => (await import("../features/notices/routes.ts")).noticeRoutes],
  ["suggestions", async () => (await import("../features/suggestions/routes.ts")).suggestionRoutes],
  ["teams", async () => (await import("../features/teams/routes.ts")).teamRoutes],
  ["pools", async () => (await import("../features/pools/routes.ts")).poolRoutes],
  ["pools", async () => (await import("../features/pools/item-routes.ts")).poolItemRoutes],
  ["pools", async () => (await import("../features/pools/firing-routes.ts")).poolFiringRoutes],
  ["webhooks", async () => (await import("../features/webhooks/routes.ts")).webhookRoutes],
  ["activity", async () => (await import("../features/activity/routes.ts")).activityRoutes],
  ["events", async () => (await import("../features/events/routes.ts")).eventRoutes],
  ["short-links", async () => (await import("../features/links/routes.ts")).shortLinkRoutes],
  ["domains", async () => (await import("../features/domains/routes.ts")).domainRoutes],
  ["reports", async () => (await import("../features/reports/routes.ts")).reportRoutes],
  ["analytics", async () => (await import("../features/analytics/routes.ts")).analyticsRoutes],
  [["export", "teams"], async () => (await import("../features/leaving/routes.ts")).leavingRoutes],
];

interface Routers {
  open: readonly Router[];
  behindToken: readonly Router[];
  /** Adds the description of the whole API, which no other path needs. */
  describe?: (app: OpenAPIHono<AppEnv>, path: string) => void;
}

/** Path under /api/v1. */
export const DOCUMENT = "openapi.json";

export const ROUTER_TABLE: readonly Entry[] = [...OPEN_ROUTERS, ...ROUTERS];

const beginningsOf = ([beginnings]: Entry): readonly string[] => [beginnings].flat();

const BEGINNINGS = [DOCUMENT, ...ROUTER_TABLE.flatMap(beginningsOf)].sort(
  (one, other) => other.length - one.length,
);

export function beginsWith(path: string, beginning: string): boolean {
  const parts = path.split("/");
  return beginning.split("/").every((part, i) => (part === "*" ? parts[i] : part === parts[i]));
}

/** Returns the longest of the routers' beginnings that matches the path. */
export function beginningOf(path: string): string | null {
  const below = /^\/api\/v1\/(.*)/s.exec(path)?.[1] ?? "";
  return BEGINNINGS.find((beginning) => beginsWith(below, beginning)) ?? null;
}

const loadOf = (requested: string | null, entries: readonly Entry[]): Promise<Router[]> =>
  Promise.all(
    entries
      .filter(
        (entry) =>
          requested === DOCUMENT ||
          (requested !== null &&
            beginningsOf(entry).some((beginning) => beginsWith(requested, beginning))),
      )
      .map(([, load]) => load()),
  );

export async function loadRouters(beginning: string | null): Promise<Routers> {
  const [open, behindToken] = await Promise.all([
    loadOf(beginning, OPEN_ROUTERS),
    loadOf(beginning, ROUTERS),
  ]);
  if (beginning !== DOCUMENT) return { open, behindToken };
  const { describeApi } = await import("../http/openapi.ts");
  return { open, behindToken, describe: describeApi };
}

export function createApiOf(
  makeDeps: MakeDeps,
  { open, behindToken, describe }: Routers,
): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  prepareDoor(app, (c) => {
    const deps = makeDeps(c);
    requirePlatforms(deps.config);
    return deps;
  });
  app.onError(async (error, c) => renderError(await withClaimHint(error, c), c));
  app.use("/api/*", apiCors);
  describe?.(app, `/api/v1/${DOCUMENT}`);
  for (const router of open) app.route("/api/v1", router);
  app.use("/api/*", requireKnownCaller);
  app.use("/api/*", async (c, next) => {
    c.set("createCaller", callerOf(c));
    await next();
  });
  for (const router of behindToken) app.route("/api/v1", router);
  return app;
}

/** Scripts of this instance's pages call as the signed-in person, with the team of their page in X-Team-ID. */
function callerOf(c: AppContext): AppEnv["Variables"]["createCaller"] {
  const cookies = c.req.header("cookie") ?? null;
  if (cookies === null || !isSameOrigin(c)) return createCaller;
  return async (deps, presented, admission) => {
    const { token, teamId } = presented;
    if (token !== null || teamId === null) return createCaller(deps, presented, admission);
    const { createPersonCtx } = await import("../features/auth/signed-in.ts");
    const origin = publicOrigin(deps, c.req.url);
    return createPersonCtx(deps, { cookies, origin, teamId, form: { teamId } }, admission);
  };
}

export const createApi = (makeDeps: MakeDeps) =>
  createSwitch(beginningOf, async (beginning) =>
    createApiOf(makeDeps, await loadRouters(beginning)),
  );
