import { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { matchedRoutes } from "hono/route";
import { ConfigError } from "./config.ts";
import { AppError } from "./core/errors.ts";
import { randomHex } from "./core/ids.ts";
import type { Deps } from "./deps.ts";
import { accountExtraRoutes } from "./features/accounts/extra-routes.ts";
import { accountRoutes } from "./features/accounts/routes.ts";
import { tokenRoutes } from "./features/auth/routes.ts";
import { creditRoutes } from "./features/credits/routes.ts";
import { mediaRoutes } from "./features/media/routes.ts";
import { platformRoutes } from "./features/platforms/routes.ts";
import { bulkRoutes } from "./features/uploads/bulk-routes.ts";
import { lifecycleRoutes } from "./features/uploads/lifecycle-routes.ts";
import { uploadRoutes } from "./features/uploads/routes.ts";
import { dropUnreadBody } from "./http/body.ts";
import { docsRoutes } from "./http/docs.tsx";
import type { AppContext, AppEnv } from "./http/env.ts";
import { renderError } from "./http/errors.ts";
import { healthRoutes } from "./http/health.ts";
import { homeRoutes } from "./http/home.tsx";
import { methodsOf } from "./http/methods.ts";
import { describeApi } from "./http/openapi.ts";
import { sandboxRoutes } from "./http/sandbox.ts";
import { answerHeaders } from "./http/security.ts";
import { siteFileRoutes } from "./http/site-files.ts";

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

/** The pattern that answered: a path itself may carry what no log should hold. */
const routeOf = (c: AppContext): string | null =>
  matchedRoutes(c).findLast(({ method }) => method !== "ALL")?.path ?? null;

/** Everything that answers HTTP. `makeDeps` is called once per request. */
export function createApp(makeDeps: (c: AppContext) => Deps) {
  const app = new OpenAPIHono<AppEnv>();

  app.onError(renderError);
  app.notFound((c) => {
    const methods = methodsOf(app, c.req.path);
    if (methods.length === 0) {
      throw new AppError(
        "NOT_FOUND",
        `Nothing is at ${c.req.path}. The API is described at /docs.`,
      );
    }
    const allow = methods.join(", ");
    throw new AppError(
      "METHOD_NOT_ALLOWED",
      `${c.req.path} answers ${allow}, not ${c.req.method}.`,
      {
        headers: { Allow: allow },
      },
    );
  });

  app.use(answerHeaders);
  app.use(async (c, next) => {
    c.set("requestId", randomHex(8));
    try {
      c.set("deps", makeDeps(c));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new AppError("UNAVAILABLE", error.message);
    }
    const startedAt = Date.now();
    await next();
    c.var.deps.log({
      event: "request",
      requestId: c.var.requestId,
      method: c.req.method,
      route: routeOf(c),
      teamId: c.var.ctx?.knownActor()?.teamId ?? null,
      status: c.res.status,
      ms: Date.now() - startedAt,
    });
  });
  app.use(dropUnreadBody);

  app.use("/api/*", apiCors);
  app.route("/api/v1", platformRoutes);
  app.route("/api/v1", accountExtraRoutes);
  app.route("/api/v1", accountRoutes);
  app.route("/api/v1", lifecycleRoutes);
  app.route("/api/v1", bulkRoutes);
  app.route("/api/v1", uploadRoutes);
  app.route("/api/v1", tokenRoutes);
  app.route("/api/v1", creditRoutes);
  app.route("/", homeRoutes);
  app.route("/", mediaRoutes);
  app.route("/", healthRoutes);
  app.route("/", docsRoutes);
  app.route("/", siteFileRoutes);
  app.route("/sandbox", sandboxRoutes);
  app.get("/favicon.ico", (c) => c.body(null, 204));
  describeApi(app);
  return app;
}
