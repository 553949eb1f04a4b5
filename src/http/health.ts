import { sql } from "drizzle-orm";
import { Hono } from "hono";
import { namesOwnDomain } from "../config.ts";
import { secondsBetween } from "../core/time.ts";
import { sqlQuery } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { theHeartbeat } from "../durable/heartbeat.ts";
import { connectors } from "../platforms/registry.ts";
import { describeEnding, endingVersions } from "../platforms/sunsets.ts";
import type { AppEnv } from "./env.ts";
import { countVisitor } from "./route.ts";

/** Work this late, or a cron this quiet, is a fault that somebody should look at. */
const LATE_SECONDS = 5 * 60;

type Check = "ok" | "failing";

/** Whether this instance can do its work: for monitors, without a token. */
export const healthRoutes = new Hono<AppEnv>();

healthRoutes.get("/health", async (c) => {
  const { deps } = c.var;
  await countVisitor(c, "read:health");
  const [oldestDueAt, storage, lastTickAt] = await Promise.all([
    answer(oldestDue(deps)),
    answer(deps.media.head("health")),
    answer(theHeartbeat(deps.heartbeat).lastTickAt()),
  ]);
  const checks: Record<string, Check> = {
    database: oldestDueAt.check,
    storage: storage.check,
    cron: lastTickAt.check,
  };
  const now = deps.now();
  const lateSeconds = oldestDueAt.value ? secondsBetween(oldestDueAt.value, now) : 0;
  const tick = lastTickAt.value ? new Date(lastTickAt.value) : null;
  const isQuiet = tick !== null && secondsBetween(tick, now) > LATE_SECONDS;
  const isLate = lateSeconds > LATE_SECONDS;
  const isDown = Object.values(checks).includes("failing");
  const status = isDown ? "down" : isLate || isQuiet ? "late" : "ok";
  return c.json(
    {
      success: status === "ok",
      status,
      checks,
      oldestDueSeconds: Math.max(0, Math.round(lateSeconds)),
      lastCronTickAt: tick?.toISOString() ?? null,
      warnings: [...endingVersions(now).map(describeEnding), ...domainWarnings(deps)],
      ...(status === "ok" ? {} : { error: explain(isDown, isLate) }),
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

const explain = (isDown: boolean, isLate: boolean): string => {
  if (isDown) return "A binding does not answer.";
  return isLate ? "Due posts have been waiting for too long." : "The cron trigger has stopped.";
};

async function answer<T>(asked: Promise<T>): Promise<{ check: Check; value: T | null }> {
  try {
    return { check: "ok", value: await asked };
  } catch {
    return { check: "failing", value: null };
  }
}

async function oldestDue(deps: Deps): Promise<Date | null> {
  const [[due]] = await deps.db.run([
    sqlQuery(
      sql`SELECT due_at FROM uploads WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
      (row) => new Date(row.due_at as number),
    ),
  ]);
  return due ?? null;
}
