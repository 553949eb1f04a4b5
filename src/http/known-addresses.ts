import { MAX_DISTINCT_TOKENS, TOKEN_WINDOW_MS } from "../core/distinct-tokens.ts";
import type { LimitGroup } from "../core/quotas.ts";
import type { LimitAnswer } from "../durable/rate-limiter.ts";

/** Addresses remembered at a time; all are forgotten when there are more. */
const MAX_ADDRESSES = 10_000;

/** A stretch of time in epoch ms. The clock of development can be moved back before `from`. */
interface Span {
  from: number;
  until: number;
}

interface Address {
  /** Hashes of the tokens that it may present, and when that is sure. */
  tokens: Map<string, Span>;
  /** When it may present no other token. */
  closed: Span | null;
  /** Windows without a place, and when that is sure. */
  full: Map<LimitGroup, Span & { answer: LimitAnswer }>;
}

const isIn = (span: Span | null | undefined, now: number): boolean =>
  !!span && span.from <= now && now < span.until;

/**
 * The limiter's answers that stay true for a while, as one isolate has heard them: nothing has to be
 * asked, read or parsed for whoever is refused by them again.
 */
export class KnownAddresses {
  private readonly addresses = new Map<string, Address>();

  /** @param tokenHash the token that the call presented, if any */
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
      // The last second is the limiter's to judge, which knows it to the millisecond.
      const until = now + (window.resetSeconds - 1) * 1_000;
      address.full.set(group, { from: now, until, answer });
    }
    if (token && !token.allowed) {
      const closed = { from: now, until: now + token.retryAfterSeconds * 1_000 };
      address.closed = closed;
      for (const hash of token.known) {
        if (!this.isFamiliar(key, hash, now)) address.tokens.set(hash, closed);
      }
    } else if (token && tokenHash) {
      if (address.tokens.size >= MAX_DISTINCT_TOKENS) forgetPast(address.tokens, now);
      address.tokens.set(tokenHash, { from: now, until: now + TOKEN_WINDOW_MS });
    }
  }

  /** True for a token that the address may surely present. */
  isFamiliar(key: string, tokenHash: string, now: number): boolean {
    return isIn(this.addresses.get(key)?.tokens.get(tokenHash), now);
  }

  /** Seconds until another token may be presented; null where this one may. */
  closedSeconds(key: string, tokenHash: string, now: number): number | null {
    const closed = this.addresses.get(key)?.closed;
    if (!closed || !isIn(closed, now) || this.isFamiliar(key, tokenHash, now)) return null;
    return Math.ceil((closed.until - now) / 1_000);
  }

  /** The limiter's answer about a window that is surely still full. */
  fullWindow(key: string, group: LimitGroup, now: number): LimitAnswer | null {
    const full = this.addresses.get(key)?.full.get(group);
    if (!full || !isIn(full, now)) return null;
    const { window } = full.answer;
    const passedMs = now - full.from;
    const resetSeconds = Math.ceil((window.resetSeconds * 1_000 - passedMs) / 1_000);
    return { window: { ...window, resetSeconds }, token: null };
  }

  private open(key: string): Address {
    const known = this.addresses.get(key);
    if (known) return known;
    if (this.addresses.size >= MAX_ADDRESSES) this.addresses.clear();
    const address: Address = { tokens: new Map(), closed: null, full: new Map() };
    this.addresses.set(key, address);
    return address;
  }
}

function forgetPast(spans: Map<string, Span>, now: number): void {
  for (const [hash, span] of spans) if (!isIn(span, now)) spans.delete(hash);
}
