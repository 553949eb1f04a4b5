import { sql } from "drizzle-orm";
import { Hono } from "hono";
import { namesOwnDomain } from "../../config.ts";
import { judgeProgress, LATE_SECONDS } from "../../core/health.ts";
import { addSeconds, secondsBetween } from "../../core/time.ts";
import { sqlQuery } from "../../db/client.ts";
import { instant } from "../../db/columns.ts";
import { valueReader } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { theHeartbeat } from "../../durable/heartbeat.ts";
import { countVisitor } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";
import { connectors } from "../../platforms/registry.ts";
import { describeEnding, endingVersions } from "../../platforms/sunsets.ts";

type Check = "ok" | "failing";

/** Whether this instance can do its work: for monitors, without a token. */
export const healthRoutes = new Hono<AppEnv>();

healthRoutes.get("/health", async (c) => {
  const { deps } = c.var;
  await countVisitor(c, "read:health");
  const now = deps.now();
  const [oldestDueAt, storage, pulse] = await Promise.all([
    answer(oldestDue(deps, now)),
    answer(deps.media.head("health")),
    answer(theHeartbeat(deps.heartbeat).pulse()),
  ]);
  const checks: Record<string, Check> = {
    database: oldestDueAt.check,
    storage: storage.check,
    cron: pulse.check,
  };
  const lastTickAt = toDate(pulse.value?.lastTickAt);
  const progress = judgeProgress(
    {
      oldestDueAt: oldestDueAt.value,
      lastTickAt,
      steadySince: toDate(pulse.value?.steadySince),
      startedAt: deps.startedAt,
    },
    now,
  );
  const isDown = Object.values(checks).includes("failing");
  const status = isDown ? "down" : progress === "ok" ? "ok" : "late";
  const dueSeconds = oldestDueAt.value ? secondsBetween(oldestDueAt.value, now) : 0;
  return c.json(
    {
      success: status === "ok",
      status,
      checks,
      oldestDueSeconds: Math.max(0, Math.round(dueSeconds)),
      lastCronTickAt: lastTickAt?.toISOString() ?? null,
      warnings: [...endingVersions(now).map(describeEnding), ...domainWarnings(deps)],
      ...(status === "ok" ? {} : { error: explain(isDown, progress === "overdue") }),
    },
    status === "ok" ? 200 : 503,
  );
});

/** An owner with an app at the platform means to post there. */
const domainWarnings = ({ config }: Deps): string[] =>
  namesOwnDomain(config)
    ? []
    : connectors().flatMap(({ platform, verifiedPull }) =>
        verifiedPull && config.appKeys[platform] ? [`${platform}: ${verifiedPull.refusal}`] : [],
      );

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

/**
 * When the oldest job became due that is not in somebody's hands. A job may take long, by the size of its
 * files or the speed of its platform, and is not late while it is worked on or gets on.
 */
async function oldestDue(deps: Deps, now: Date): Promise<Date | null> {
  const lately = addSeconds(now, -LATE_SECONDS).getTime();
  const [[due]] = await deps.db.run([
    sqlQuery(
      sql`SELECT due_at FROM uploads WHERE due_at IS NOT NULL
          AND (lease_until IS NULL OR lease_until <= ${lately})
          AND (status <> 'processing' OR progressed_at IS NULL OR progressed_at <= ${lately})
        ORDER BY due_at LIMIT 1`,
      valueReader(instant("due_at").notNull()),
    ),
  ]);
  return due ?? null;
}
