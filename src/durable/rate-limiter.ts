import { DurableObject } from "cloudflare:workers";
import { presentToken, type TokenVerdict } from "../core/distinct-tokens.ts";
import { type Quota, takePlace, type WindowVerdict } from "../core/sliding-window.ts";
import type { Env } from "../deps.ts";

export interface LimitRequest {
  group: string;
  quota: Quota;
  /** SHA-256 of the token that was presented, valid or not. */
  tokenHash: string | null;
  /** Epoch ms. */
  now: number;
}

export interface LimitAnswer {
  window: WindowVerdict;
  token: TokenVerdict | null;
}

interface Snapshot {
  groups: [string, number[]][];
  tokens: [string, number][];
}

const WRITE_BEHIND_MS = 1_000;

/**
 * The counters of one address, all its groups together. They live in memory and are written behind
 * within a second, so that an eviction forgets nothing that matters and a call costs no write.
 */
export class RateLimiter extends DurableObject<Env> {
  private groups = new Map<string, number[]>();
  private tokens = new Map<string, number>();
  private writeIsPlanned = false;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    state.blockConcurrencyWhile(async () => {
      const snapshot = await state.storage.get<Snapshot>("counters");
      this.groups = new Map(snapshot?.groups);
      this.tokens = new Map(snapshot?.tokens);
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
    this.writeIsPlanned = true;
    setTimeout(() => {
      this.writeIsPlanned = false;
      const snapshot: Snapshot = { groups: [...this.groups], tokens: [...this.tokens] };
      this.ctx.waitUntil(this.ctx.storage.put("counters", snapshot));
    }, WRITE_BEHIND_MS);
  }
}
