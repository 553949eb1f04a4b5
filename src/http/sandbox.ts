import { AppError } from "../core/errors.ts";
import { runSchedule } from "../cron/schedule.ts";
import { createSandboxRoutes } from "../sandbox/routes.tsx";
import type { AppContext } from "./env.ts";
import { countCaller } from "./route.ts";

/**
 * Whose posts the feed shows: everybody's in development, in production the team's of the token that
 * came with the request.
 *
 * @throws AppError NOT_FOUND where the sandbox is switched off, UNAUTHORIZED, INSUFFICIENT_SCOPE
 */
async function teamOf(c: AppContext): Promise<number | null> {
  const { deps } = c.var;
  if (!deps.config.sandboxEnabled) throw new AppError("NOT_FOUND", "The sandbox is switched off.");
  if (deps.config.isDevelopment) return null;
  const ctx = await countCaller(c, "read:sandbox");
  await ctx.read("posts:read", []);
  return ctx.actor.teamId;
}

export const sandboxRoutes = createSandboxRoutes({
  deps: (c) => c.var.deps,
  teamOf,
  onClockMoved: (c) => runSchedule(c.var.deps),
});
