import { Hono } from "hono";
import { namesOwnDomain } from "../../config.ts";
import { AppError } from "../../core/errors.ts";
import { judgeProgress, LATE_SECONDS } from "../../core/health.ts";
import { addSeconds, secondsBetween } from "../../core/time.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { theHeartbeat } from "../../durable/heartbeat.ts";
import { countCaller, countVisitor, presentsToken } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";
import { databaseSize, oldestDue } from "./repo.ts";
import { stateOf } from "./rules.ts";

type Check = "ok" | "failing";

export const healthRoutes = new Hono<AppEnv>();

healthRoutes.get("/health", async (c) => {
  const { deps } = c.var;
  const now = deps.now();
  const ctx = presentsToken(c) ? await countCaller(c, null, "read:health") : null;
  if (!ctx) await countVisitor(c, "read:health");
  const [database, storage, pulse] = await Promise.all([
    answer(readDatabase(deps, ctx, now)),
    answer(deps.media.head("health")),
    answer(theHeartbeat(deps.heartbeat).pulse()),
  ]);
  const checks: Record<string, Check> = {
    database: database.check,
    storage: storage.check,
    cron: pulse.check,
  };
  const { oldestDueAt = null, size = null } = database.value ?? {};
  const lastTickAt = toDate(pulse.value?.lastTickAt);
  const progress = judgeProgress(
    {
      oldestDueAt,
      lastTickAt,
      steadySince: toDate(pulse.value?.steadySince),
      startedAt: deps.startedAt,
    },
    now,
  );
  const isDown = Object.values(checks).includes("failing");
  const status = isDown ? "down" : progress === "ok" ? "ok" : "late";
  const dueSeconds = oldestDueAt ? secondsBetween(oldestDueAt, now) : 0;
  return c.json(
    {
      success: status === "ok",
      status,
      checks,
      oldestDueSeconds: Math.max(0, Math.round(dueSeconds)),
      lastCronTickAt: lastTickAt?.toISOString() ?? null,
      warnings: await warningsOf(deps, now),
      ...(size ? { database: stateOf(deps.config, size, now) } : {}),
      ...(status === "ok" ? {} : { error: explain(isDown, progress === "overdue") }),
    },
    status === "ok" ? 200 : 503,
  );
});

/**
 * Warns of API versions that end soon, and of platforms that need the instance's own domain. Loads platforms lazily.
 */
async function warningsOf({ config }: Deps, now: Date): Promise<string[]> {
  const [{ connectors }, { describeEnding, endingVersions }] = await Promise.all([
    import("../../platforms/registry.ts"),
    import("../../platforms/sunsets.ts"),
  ]);
  const endings = endingVersions(now).map(describeEnding);
  if (namesOwnDomain(config)) return endings;
  const refusals = connectors().flatMap(({ platform, verifiedPull }) =>
    verifiedPull && config.appKeys[platform] ? [`${platform}: ${verifiedPull.refusal}`] : [],
  );
  return [...endings, ...refusals];
}

const toDate = (ms: number | null | undefined): Date | null => (ms == null ? null : new Date(ms));

const explain = (isDown: boolean, isOverdue: boolean): string => {
  if (isDown) return "A part of the service does not answer: see `checks`.";
  return isOverdue ? "Due posts have been waiting for too long." : "The cron trigger has stopped.";
};

/** The size is for callers with a token, who are authenticated in the same round trip. */
async function readDatabase(deps: Deps, ctx: Ctx | null, now: Date) {
  const due = oldestDue({ lately: addSeconds(now, -LATE_SECONDS) });
  if (ctx) {
    const [[oldestDueAt = null], size] = await ctx.read(null, [due, databaseSize(now)]);
    return { oldestDueAt, size };
  }
  const [[oldestDueAt = null]] = await deps.db.run([due]);
  return { oldestDueAt, size: null };
}

/** @throws AppError for a refused caller */
async function answer<T>(request: Promise<T>): Promise<{ check: Check; value: T | null }> {
  try {
    return { check: "ok", value: await request };
  } catch (error) {
    if (error instanceof AppError) throw error;
    return { check: "failing", value: null };
  }
}
