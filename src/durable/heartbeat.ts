import { DurableObject } from "cloudflare:workers";
import { LATE_SECONDS } from "../core/health.ts";
import { SECOND } from "../core/time.ts";

const GAP_MS = LATE_SECONDS * SECOND;

/** Remembers cron's last run for `/health`, without a database write per minute. */
export class Heartbeat extends DurableObject<unknown> {
  async beat(at: number): Promise<void> {
    const { lastTickAt } = await this.pulse();
    const { storage } = this.ctx;
    // A clock that was set back counts as a gap too.
    const hasGap = lastTickAt === null || Math.abs(at - lastTickAt) > GAP_MS;
    await storage.put(hasGap ? { lastTickAt: at, steadySince: at } : { lastTickAt: at });
  }

  /** Epoch ms of the last tick, and of the first tick after the last gap. */
  async pulse(): Promise<{ lastTickAt: number | null; steadySince: number | null }> {
    const stored = await this.ctx.storage.get<number>(["lastTickAt", "steadySince"]);
    return {
      lastTickAt: stored.get("lastTickAt") ?? null,
      steadySince: stored.get("steadySince") ?? null,
    };
  }
}

export const theHeartbeat = (namespace: DurableObjectNamespace<Heartbeat>) =>
  namespace.getByName("cron");
