import { DurableObject } from "cloudflare:workers";
import { randomHex } from "../core/ids.ts";

/** The permission to send one request to a webhook's endpoint. */
export interface Permit {
  id: string;
  webhookId: number;
}

export interface PermitRequest {
  /** Requested permits by webhook. */
  counts: readonly (readonly [webhookId: number, count: number])[];
  max: number;
  /** An unreturned permit expires after this time. */
  leaseMs: number;
  /** How long the call waits for a free permit. */
  waitMs: number;
}

/**
 * Limits concurrent requests to each endpoint across the instance. Requests last seconds, so a
 * restart may forget the permits.
 */
export class DeliveryGate extends DurableObject<unknown> {
  /** Epoch ms of expiry, by webhook and permit. */
  private readonly leases = new Map<number, Map<string, number>>();
  private returned = Promise.withResolvers<void>();

  async take(request: PermitRequest): Promise<Permit[]> {
    let permits = this.grant(request);
    if (permits.length > 0 || request.waitMs === 0) return permits;
    const timeout = scheduler.wait(request.waitMs).then(() => true);
    for (let isOver = false; permits.length === 0 && !isOver; ) {
      isOver = await Promise.race([timeout, this.returned.promise.then(() => false)]);
      permits = this.grant(request);
    }
    return permits;
  }

  giveBack(permits: readonly Permit[]): void {
    for (const { webhookId, id } of permits) {
      const leases = this.leases.get(webhookId);
      leases?.delete(id);
      if (leases?.size === 0) this.leases.delete(webhookId);
    }
    this.returned.resolve();
    this.returned = Promise.withResolvers();
  }

  private grant({ counts, max, leaseMs }: PermitRequest): Permit[] {
    const now = Date.now();
    return counts.flatMap(([webhookId, count]) => {
      const leases = this.leases.get(webhookId) ?? new Map<string, number>();
      for (const [id, until] of leases) if (until <= now) leases.delete(id);
      const length = Math.max(0, Math.min(count, max - leases.size));
      const permits = Array.from({ length }, () => ({ id: randomHex(8), webhookId }));
      for (const { id } of permits) leases.set(id, now + leaseMs);
      if (leases.size > 0) this.leases.set(webhookId, leases);
      return permits;
    });
  }
}
