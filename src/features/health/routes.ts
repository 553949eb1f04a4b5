import { Hono } from "hono";
import { namesOwnDomain } from "../../config.ts";
import { judgeProgress, LATE_SECONDS } from "../../core/health.ts";
import { addSeconds, secondsBetween } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { theHeartbeat } from "../../durable/heartbeat.ts";
import { countVisitor } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";
import { describeEnding, endingVersions } from "../../platforms/sunsets.ts";
import { oldestDue } from "./repo.ts";

type Check = "ok" | "failing";

/** Tells monitors, without a token, if this instance can do its work. */
export const healthRoutes = new Hono<AppEnv>();

healthRoutes.get("/health", async (c) => {
  const { deps } = c.var;
  await countVisitor(c, "read:health");
  const now = deps.now();
  const [due, storage, pulse] = await Promise.all([
    answer(deps.db.run([oldestDue({ lately: addSeconds(now, -LATE_SECONDS) })])),
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
      warnings: [...endingVersions(now).map(describeEnding), ...(await domainWarnings(deps))],
      ...(status === "ok" ? {} : { error: explain(isDown, progress === "overdue") }),
    },
    status === "ok" ? 200 : 503,
  );
});

/** Warns of platforms that refuse our files for want of a domain; an owner with an app there means to post there. */
async function domainWarnings({ config }: Deps): Promise<string[]> {
  if (namesOwnDomain(config)) return [];
  const { connectors } = await import("../../platforms/registry.ts");
  return connectors().flatMap(({ platform, verifiedPull }) =>
    verifiedPull && config.appKeys[platform] ? [`${platform}: ${verifiedPull.refusal}`] : [],
  );
}

const toDate = (ms: number | null | undefined): Date | null => (ms == null ? null : new Date(ms));

const explain = (isDown: boolean, isOverdue: boolean): string => {
  if (isDown) return "A binding does not answer.";
  return isOverdue ? "Due posts have been waiting for too long." : "The cron trigger has stopped.";
};

async function answer<T>(asked: Promise<T>): Promise<{ check: Check; value: T | null }> {
  try {
    return { check: "ok", value: await asked };
  } catch {
    return { check: "failing", value: null };
  }
}
