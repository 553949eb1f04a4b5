import { DurableObject } from "cloudflare:workers";
import { presentToken, type TokenVerdict } from "../core/distinct-tokens.ts";
import { type Quota, takePlace, type WindowVerdict } from "../core/sliding-window.ts";

export interface LimitRequest {
  group: string;
  quota: Quota;
  /** SHA-256 of the token, even of an invalid one. */
  tokenHash: string | null;
  /** Epoch ms. */
  now: number;
}

export interface LimitAnswer {
  window: WindowVerdict;
  token: TokenVerdict | null;
}

interface Snapshot {
  /** Time of writing by the real clock, in epoch ms. */
  writtenAt?: number;
  groups: [string, number[]][];
  tokens: [string, number][];
}

const WRITE_INTERVAL_MS = 30_000;

/**
 * Counts the calls of one address in memory. Counters are stored on a quiet address's first call,
 * and every 30 seconds on a busy one, so a restart forgets at most half a minute.
 */
export class RateLimiter extends DurableObject<unknown> {
  private groups = new Map<string, number[]>();
  private tokens = new Map<string, number>();
  private writtenAt = 0;
  private writeIsPlanned = false;

  constructor(state: DurableObjectState, env: unknown) {
    super(state, env);
    state.blockConcurrencyWhile(async () => {
      const snapshot = await state.storage.get<Snapshot>("counters");
      this.groups = new Map(snapshot?.groups);
      this.tokens = new Map(snapshot?.tokens);
      this.writtenAt = snapshot?.writtenAt ?? 0;
    });
  }

  take(request: LimitRequest): LimitAnswer {
    const place = takePlace(this.groups.get(request.group) ?? [], request.quota, request.now);
    this.groups.set(request.group, place.hits);
    let token: TokenVerdict | null = null;
    if (request.tokenHash) {
      const presented = presentToken(this.tokens, request.tokenHash, request.now);
      this.tokens = presented.seen;
      token = presented.verdict;
    }
    this.planWrite();
    return { window: place.verdict, token };
  }

  private planWrite(): void {
    if (this.writeIsPlanned) return;
    const waitMs = this.writtenAt + WRITE_INTERVAL_MS - Date.now();
    if (waitMs > 0) {
      this.writeIsPlanned = true;
      setTimeout(() => this.write(), Math.min(waitMs, WRITE_INTERVAL_MS));
    } else {
      this.write();
    }
  }

  private write(): void {
    this.writeIsPlanned = false;
    this.writtenAt = Date.now();
    const snapshot: Snapshot = {
      writtenAt: this.writtenAt,
      groups: [...this.groups],
      tokens: [...this.tokens],
    };
    this.ctx.waitUntil(this.ctx.storage.put("counters", snapshot));
  }
}
