import { DurableObject } from "cloudflare:workers";
import { randomHex } from "../core/ids.ts";

/** The permission to send one request to a webhook's endpoint. */
export interface Place {
  id: string;
  webhookId: number;
}

export interface PlaceRequest {
  /** Requested places by webhook. */
  counts: readonly (readonly [webhookId: number, count: number])[];
  most: number;
  /** An unreturned place expires after this time. */
  leaseMs: number;
  /** How long the call waits for a free place. */
  waitMs: number;
}

/**
 * Limits concurrent requests to each endpoint across the instance. Requests last seconds, so a
 * restart may forget the places.
 */
export class DeliveryGate extends DurableObject<unknown> {
  /** Epoch ms of expiry, by webhook and place. */
  private readonly leases = new Map<number, Map<string, number>>();
  private returned = Promise.withResolvers<void>();

  async take(request: PlaceRequest): Promise<Place[]> {
    let places = this.grant(request);
    if (places.length > 0 || request.waitMs === 0) return places;
    const timeout = scheduler.wait(request.waitMs).then(() => true);
    for (let isOver = false; places.length === 0 && !isOver; ) {
      isOver = await Promise.race([timeout, this.returned.promise.then(() => false)]);
      places = this.grant(request);
    }
    return places;
  }

  giveBack(places: readonly Place[]): void {
    for (const { webhookId, id } of places) {
      const leases = this.leases.get(webhookId);
      leases?.delete(id);
      if (leases?.size === 0) this.leases.delete(webhookId);
    }
    this.returned.resolve();
    this.returned = Promise.withResolvers();
  }

  private grant({ counts, most, leaseMs }: PlaceRequest): Place[] {
    const now = Date.now();
    return counts.flatMap(([webhookId, count]) => {
      const leases = this.leases.get(webhookId) ?? new Map<string, number>();
      for (const [id, until] of leases) if (until <= now) leases.delete(id);
      const length = Math.max(0, Math.min(count, most - leases.size));
      const places = Array.from({ length }, () => ({ id: randomHex(8), webhookId }));
      for (const { id } of places) leases.set(id, now + leaseMs);
      if (leases.size > 0) this.leases.set(webhookId, leases);
      return places;
    });
  }
}
