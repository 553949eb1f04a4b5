import { DurableObject } from "cloudflare:workers";
import { LATE_SECONDS } from "../core/health.ts";
import { SECOND } from "../core/time.ts";

/** Longer between two ticks, and cron has been away. */
const GAP_MS = LATE_SECONDS * SECOND;

/** Remembers when cron ran, so that `/health` can tell without a database write a minute. */
export class Heartbeat extends DurableObject<unknown> {
  async beat(at: number): Promise<void> {
    const { lastTickAt } = await this.pulse();
    const { storage } = this.ctx;
    // A clock that was set back is a gap too.
    const hasGap = lastTickAt === null || Math.abs(at - lastTickAt) > GAP_MS;
    await storage.put(hasGap ? { lastTickAt: at, steadySince: at } : { lastTickAt: at });
  }

  /** Epoch milliseconds of the last tick, and of the first one after the last gap. */
  async pulse(): Promise<{ lastTickAt: number | null; steadySince: number | null }> {
    const known = await this.ctx.storage.get<number>(["lastTickAt", "steadySince"]);
    return {
      lastTickAt: known.get("lastTickAt") ?? null,
      steadySince: known.get("steadySince") ?? null,
    };
  }
}

export const theHeartbeat = (namespace: DurableObjectNamespace<Heartbeat>) =>
  namespace.getByName("cron");
