import { Hono } from "hono";
import { namesOwnDomain } from "../../config.ts";
import { judgeProgress, LATE_SECONDS } from "../../core/health.ts";
import { addSeconds, secondsBetween } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { theHeartbeat } from "../../durable/heartbeat.ts";
import { countVisitor } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";
import { latestBackup, warningsAbout } from "../backup/service.ts";
import { oldestDue } from "./repo.ts";

type Check = "ok" | "failing";

export const healthRoutes = new Hono<AppEnv>();

healthRoutes.get("/health", async (c) => {
  const { deps } = c.var;
  await countVisitor(c, "read:health");
  const now = deps.now();
  const [due, storage, pulse] = await Promise.all([
    answer(
      deps.db.run([
        oldestDue({ lately: addSeconds(now, -LATE_SECONDS) }),
        ...(deps.config.backup.isOn ? [latestBackup()] : []),
      ] as const),
    ),
    answer(deps.media.head("health")),
    answer(theHeartbeat(deps.heartbeat).pulse()),
  ]);
  const checks: Record<string, Check> = {
    database: due.check,
    storage: storage.check,
    cron: pulse.check,
  };
  const oldestDueAt = due.value?.[0]?.[0] ?? null;
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
      warnings: [...warningsAbout(due.value?.[1]?.[0], now), ...(await warningsOf(deps, now))],
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

async function answer<T>(request: Promise<T>): Promise<{ check: Check; value: T | null }> {
  try {
    return { check: "ok", value: await request };
  } catch {
    return { check: "failing", value: null };
  }
}
