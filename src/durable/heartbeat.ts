import { DurableObject } from "cloudflare:workers";
import { LATE_SECONDS } from "../core/health.ts";
import { SECOND } from "../core/time.ts";
import { countMinute, type Minutes } from "../core/uptime.ts";

const GAP_MS = LATE_SECONDS * SECOND;

interface Pulse {
  lastTickAt: number | null;
  steadySince: number | null;
  minutes: Minutes | undefined;
}

/** Remembers cron's last run for `/health`, without a database write per minute. */
export class Heartbeat extends DurableObject<unknown> {
  async beat(at: number): Promise<void> {
    const { lastTickAt, minutes } = await this.pulse();
    const { storage } = this.ctx;
    // A clock that was set back counts as a gap too.
    const hasGap = lastTickAt === null || Math.abs(at - lastTickAt) > GAP_MS;
    const tick = { lastTickAt: at, minutes: countMinute(minutes, at) };
    await storage.put(hasGap ? { ...tick, steadySince: at } : tick);
  }

  /** Epoch ms of the last tick, and of the first tick after the last gap. */
  async pulse(): Promise<Pulse> {
    const { storage } = this.ctx;
    const stored = await storage.get<unknown>(["lastTickAt", "steadySince", "minutes"]);
    return {
      lastTickAt: (stored.get("lastTickAt") as number | undefined) ?? null,
      steadySince: (stored.get("steadySince") as number | undefined) ?? null,
      minutes: stored.get("minutes") as Minutes | undefined,
    };
  }
}

export const theHeartbeat = (namespace: DurableObjectNamespace<Heartbeat>) =>
  namespace.getByName("cron");
