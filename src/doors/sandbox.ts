import { AppError } from "../core/errors.ts";
import { runSchedule } from "../cron/schedule.ts";
import { createCaller } from "../features/auth/caller.ts";
import { COOKIE_PREFIX } from "../features/auth/cookie.ts";
import { countPerson } from "../features/auth/signed-in.ts";
import { countCaller } from "../http/caller.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";
import type { AppContext } from "../http/env.ts";
import { refuseCrossSite, refuseOtherSites } from "../http/pages.tsx";
import type { FeedTeam } from "../sandbox/kit/feed-team.ts";
import { createSandboxRoutes } from "../sandbox/routes.tsx";

/**
 * Production shows only the posts of the caller's team.
 *
 * @throws AppError NOT_FOUND while the sandbox is off, UNAUTHORIZED, INSUFFICIENT_SCOPE
 */
async function teamOf(c: AppContext): Promise<FeedTeam> {
  const { deps } = c.var;
  if (!deps.config.sandboxEnabled) {
    throw new AppError("NOT_FOUND", "The sandbox is switched off on this instance.");
  }
  if (deps.config.isDevelopment) return "all";
  const isPerson = c.req.header("cookie")?.includes(`${COOKIE_PREFIX}.session_token`) ?? false;
  const ctx = isPerson
    ? await countPerson(c, "read:sandbox")
    : await countCaller(c, "posts:read", "read:sandbox");
  await ctx.read("posts:read", []);
  return ctx.actor.teamId;
}

export function createSandbox(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.use(async (c, next) => {
    c.set("createCaller", createCaller);
    await next();
  });
  const routes = createSandboxRoutes({
    deps: (c) => c.var.deps,
    teamOf,
    onClockMoved: (c) => runSchedule(c.var.deps),
    leapTo: async (c, at, ticks) => {
      const { leapTo } = await import("../cron/leap.ts");
      await leapTo(c.var.deps, at, ticks);
    },
  });
  app.use(refuseOtherSites);
  app.use("/sandbox/webhook/settings", refuseCrossSite);
  app.route("/sandbox", routes);
  return app;
}
