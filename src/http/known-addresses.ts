import { MAX_DISTINCT_TOKENS, TOKEN_WINDOW_MS } from "../core/distinct-tokens.ts";
import type { LimitGroup } from "../core/quotas.ts";
import type { LimitAnswer } from "../durable/rate-limiter.ts";

/** Above this size, all addresses are forgotten. */
const MAX_ADDRESSES = 10_000;

/** In epoch ms. In development, the clock may be set back before `from`. */
interface Span {
  from: number;
  until: number;
}

interface Address {
  /** How long each accepted token stays accepted, by the token's hash. */
  tokens: Map<string, Span>;
  /** The time in which the address may use no new token. */
  closed: Span | null;
  /** Full rate-limit windows, and how long they stay full. */
  full: Map<LimitGroup, Span & { answer: LimitAnswer }>;
}

const isIn = (span: Span | null | undefined, now: number): boolean =>
  !!span && span.from <= now && now < span.until;

/** Caches refusals per isolate, so that a refused caller causes no further work. */
export class KnownAddresses {
  private readonly addresses = new Map<string, Address>();

  learn(
    key: string,
    group: LimitGroup,
    tokenHash: string | null,
    answer: LimitAnswer,
    now: number,
  ): void {
    const address = this.open(key);
    const { window, token } = answer;
    if (!window.allowed) {
      // The refusal is cached for a second less, because only the limiter knows the exact end.
      const until = now + (window.resetSeconds - 1) * 1_000;
      address.full.set(group, { from: now, until, answer });
    }
    if (token && !token.allowed) {
      const closed = { from: now, until: now + token.retryAfterSeconds * 1_000 };
      address.closed = closed;
      for (const hash of token.knownHashes) {
        if (!this.isFamiliar(key, hash, now)) address.tokens.set(hash, closed);
      }
    } else if (token && tokenHash) {
      if (address.tokens.size >= MAX_DISTINCT_TOKENS) forgetPast(address.tokens, now);
      address.tokens.set(tokenHash, { from: now, until: now + TOKEN_WINDOW_MS });
    }
  }

  /** Whether the limiter would accept the token. */
  isFamiliar(key: string, tokenHash: string, now: number): boolean {
    return isIn(this.addresses.get(key)?.tokens.get(tokenHash), now);
  }

  /** Null when the address may use the token now. */
  closedSeconds(key: string, tokenHash: string, now: number): number | null {
    const closed = this.addresses.get(key)?.closed;
    if (!closed || !isIn(closed, now) || this.isFamiliar(key, tokenHash, now)) return null;
    return Math.ceil((closed.until - now) / 1_000);
  }

  fullWindow(key: string, group: LimitGroup, now: number): LimitAnswer | null {
    const full = this.addresses.get(key)?.full.get(group);
    if (!full || !isIn(full, now)) return null;
    const { window } = full.answer;
    const passedMs = now - full.from;
    const resetSeconds = Math.ceil((window.resetSeconds * 1_000 - passedMs) / 1_000);
    return { window: { ...window, resetSeconds }, token: null };
  }

  private open(key: string): Address {
    const existing = this.addresses.get(key);
    if (existing) return existing;
    if (this.addresses.size >= MAX_ADDRESSES) this.addresses.clear();
    const address: Address = { tokens: new Map(), closed: null, full: new Map() };
    this.addresses.set(key, address);
    return address;
  }
}

function forgetPast(spans: Map<string, Span>, now: number): void {
  for (const [hash, span] of spans) if (!isIn(span, now)) spans.delete(hash);
}
