import { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { requirePlatforms } from "../config.ts";
import { accountExtraRoutes } from "../features/accounts/extra-routes.ts";
import { accountRoutes } from "../features/accounts/routes.ts";
import { createCaller } from "../features/auth/caller.ts";
import { tokenRoutes } from "../features/auth/routes.ts";
import { linkInviteRoutes, linkRoutes } from "../features/connect/link-routes.ts";
import { connectRoutes } from "../features/connect/routes.ts";
import { creditRoutes } from "../features/credits/routes.ts";
import { eventRoutes } from "../features/events/routes.ts";
import { leavingRoutes } from "../features/leaving/routes.ts";
import { platformRoutes } from "../features/platforms/routes.ts";
import { presignRoutes } from "../features/presign/routes.ts";
import { settingsRoutes } from "../features/settings/routes.ts";
import { suggestionRoutes } from "../features/suggestions/routes.ts";
import { teamRoutes } from "../features/teams/routes.ts";
import { bulkRoutes } from "../features/uploads/bulk-routes.ts";
import { lifecycleRoutes } from "../features/uploads/lifecycle-routes.ts";
import { uploadRoutes } from "../features/uploads/routes.ts";
import { webhookRoutes } from "../features/webhooks/routes.ts";
import { requireKnownCaller } from "../http/caller.ts";
import { type MakeDeps, prepareDoor } from "../http/door.ts";
import type { AppEnv } from "../http/env.ts";
import { describeApi } from "../http/openapi.ts";
import { PLATFORMS } from "../platforms/registry.ts";

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

/** The API: every feature's routes. The most specific paths stand first. */
const ROUTES = [
  platformRoutes,
  accountExtraRoutes,
  accountRoutes,
  connectRoutes,
  linkRoutes,
  lifecycleRoutes,
  bulkRoutes,
  presignRoutes,
  uploadRoutes,
  tokenRoutes,
  creditRoutes,
  settingsRoutes,
  suggestionRoutes,
  teamRoutes,
  webhookRoutes,
  eventRoutes,
  leavingRoutes,
];

/** The routes that need no token. */
const OPEN_ROUTES = [linkInviteRoutes];

/** Creates the app of everything under /api. */
export function createApi(makeDeps: MakeDeps, routes = ROUTES): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  prepareDoor(app, (c) => {
    const deps = makeDeps(c);
    requirePlatforms(deps.config, PLATFORMS);
    return deps;
  });
  app.use("/api/*", apiCors);
  describeApi(app);
  for (const router of OPEN_ROUTES) app.route("/api/v1", router);
  app.use("/api/*", requireKnownCaller);
  app.use("/api/*", async (c, next) => {
    c.set("createCaller", createCaller);
    await next();
  });
  for (const router of routes) app.route("/api/v1", router);
  return app;
}
