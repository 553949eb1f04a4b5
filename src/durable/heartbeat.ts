import { DurableObject } from "cloudflare:workers";
import type { Env } from "../deps.ts";

/** Remembers when cron last ran, so that `/health` can tell without a database write a minute. */
export class Heartbeat extends DurableObject<Env> {
  async beat(at: number): Promise<void> {
    await this.ctx.storage.put("lastTickAt", at);
  }

  async lastTickAt(): Promise<number | null> {
    return (await this.ctx.storage.get<number>("lastTickAt")) ?? null;
  }
}

export const theHeartbeat = (namespace: DurableObjectNamespace<Heartbeat>) =>
  namespace.getByName("cron");
