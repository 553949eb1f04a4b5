import { Hono } from "hono";
import { namesOwnDomain } from "../../config.ts";
import { AppError } from "../../core/errors.ts";
import { judgeProgress, LATE_SECONDS } from "../../core/health.ts";
import { addSeconds, secondsBetween } from "../../core/time.ts";
import { uptimeAt } from "../../core/uptime.ts";
import { VERSION } from "../../core/version.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { theHeartbeat } from "../../durable/heartbeat.ts";
import { countCaller, countVisitor, presentsToken } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";
import { latestBackup, warningsAbout } from "../backup/service.ts";
import { missingBindings } from "../claim/checks.ts";
import { drawBadge, type Status } from "./badge.ts";
import { databaseSize, oldestDue } from "./repo.ts";
import { stateOf } from "./rules.ts";

type Check = "ok" | "failing";

export const healthRoutes = new Hono<AppEnv>();

const statusCode = (status: Status) => (status === "ok" ? 200 : 503);

healthRoutes.get("/health", async (c) => {
  const { deps } = c.var;
  const ctx = presentsToken(c) ? await countCaller(c, null, "read:health") : null;
  if (!ctx) await countVisitor(c, "read:health");
  const now = deps.now();
  const { status, size, backup, ...state } = await readState(deps, ctx, now);
  return c.json(
    {
      success: status === "ok",
      status,
      ...state,
      warnings: [...warningsAbout(backup, now), ...(await warningsOf(deps, now))],
      version: VERSION,
      deployment: deps.deployment?.id ?? null,
      ...(size ? { database: stateOf(deps.config, size, now) } : {}),
    },
    statusCode(status),
  );
});

/** Long enough for pages with many readers, short enough to tell of a failure. */
const BADGE_SECONDS = 60;

/** Calls of which no cache keeps the answer cost one look at the database within this time. */
const KEPT_MS = 10_000;

const badges = new WeakMap<Deps["config"], { svg: string; drawnAt: number }>();

healthRoutes.get("/health.svg", async (c) => {
  await countVisitor(c, "read:health");
  c.header("Cache-Control", `public, max-age=${BADGE_SECONDS}`);
  c.header("Content-Type", "image/svg+xml");
  return c.body(await badgeOf(c.var.deps));
});

async function badgeOf(deps: Deps): Promise<string> {
  const now = deps.now();
  const kept = badges.get(deps.config);
  // A development clock can be moved back.
  if (kept && Math.abs(now.getTime() - kept.drawnAt) < KEPT_MS) return kept.svg;
  const { status, uptime } = await readState(deps, null, now);
  const svg = drawBadge(status, uptime);
  badges.set(deps.config, { svg, drawnAt: now.getTime() });
  return svg;
}

/** @param ctx of a caller with a token. The answer has the size of the database only for such a caller. */
async function readState(deps: Deps, ctx: Ctx | null, now: Date) {
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
  const { oldestDueAt = null, size = null, backup } = database.value ?? {};
  const lastTickAt = toDate(pulse.value?.lastTickAt);
  const steadySince = toDate(pulse.value?.steadySince);
  const signs = { oldestDueAt, lastTickAt, steadySince, startedAt: deps.startedAt };
  const progress = judgeProgress(signs, now);
  const isDown = Object.values(checks).includes("failing");
  const status: Status = isDown ? "down" : progress === "ok" ? "ok" : "late";
  const dueSeconds = oldestDueAt ? secondsBetween(oldestDueAt, now) : 0;
  const minutes = pulse.value?.minutes;
  return {
    status,
    checks,
    oldestDueSeconds: Math.max(0, Math.round(dueSeconds)),
    lastCronTickAt: lastTickAt?.toISOString() ?? null,
    uptime: minutes ? uptimeAt(minutes, now.getTime()) : null,
    size,
    backup,
    ...(status === "ok" ? {} : { error: explain(isDown, progress === "overdue") }),
  };
}

/**
 * Warns of API versions that end soon, and of platforms that need the instance's own domain. Loads platforms lazily.
 */
async function warningsOf(deps: Deps, now: Date): Promise<string[]> {
  const { config } = deps;
  const [{ connectors }, { describeEnding, endingVersions }] = await Promise.all([
    import("../../platforms/registry.ts"),
    import("../../platforms/sunsets.ts"),
  ]);
  const lacks = missingBindings(deps).map(({ text }) => text);
  const endings = [...lacks, ...endingVersions(now).map(describeEnding)];
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
  const backups = deps.config.backup.isOn ? [latestBackup()] : [];
  if (ctx) {
    const size = databaseSize(now);
    const [[oldestDueAt = null], sizes, [backup] = []] = await ctx.read(null, [
      due,
      size,
      ...backups,
    ] as const);
    return { oldestDueAt, size: sizes, backup };
  }
  const [[oldestDueAt = null], [backup] = []] = await deps.db.run([due, ...backups] as const);
  return { oldestDueAt, size: null, backup };
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
