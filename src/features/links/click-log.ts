import type { ClicksMessage, LinkClick } from "../../queue/messages.ts";
import { storeClicks } from "./repo/clicks.ts";

/** How long clicks wait for others to go with. An isolate that ends in between takes them with it. */
const WINDOW_MS = 50;
/** A window that is open for longer was lost with the visit that had opened it. */
const LOST_MS = 1_000;
/** Clicks of one message: within the 64 KB that a queue counts as one operation. Source: Queues, "Pricing". */
const MAX_CLICKS = 1_000;

/** Ways of storing clicks. */
export interface ClickStore {
  queue: Pick<Queue<ClicksMessage>, "send">;
  database: Pick<D1Database, "prepare">;
  wait(ms: number): Promise<void>;
  log(entry: { event: string; [field: string]: string | number }): void;
}

/** Clicks of one isolate on their way: many are one message, and no visitor waits for it. */
export class ClickLog {
  private pending: LinkClick[] = [];
  private openedAt: number | null = null;

  /** Notes a click. Returns the work that is left, to be awaited after the answer was sent; null when none is left. */
  add(store: ClickStore, click: LinkClick, now: number): Promise<void> | null {
    this.pending.push(click);
    if (this.pending.length >= MAX_CLICKS) return this.flush(store);
    if (this.openedAt !== null && Math.abs(now - this.openedAt) < LOST_MS) return null;
    this.openedAt = now;
    return store.wait(WINDOW_MS).then(() => this.flush(store));
  }

  private async flush(store: ClickStore): Promise<void> {
    const clicks = this.pending;
    this.pending = [];
    this.openedAt = null;
    if (clicks.length > 0) {
      await send(store, { kind: "clicks", id: crypto.randomUUID(), clicks });
    }
  }
}

/** A send whose fate is unknown may be repeated, and stored here too: its id counts it once. */
async function send(store: ClickStore, message: ClicksMessage): Promise<void> {
  for (let tries = 0; tries < 2; tries++) {
    try {
      await store.queue.send(message);
      return;
    } catch (error) {
      store.log({ event: "clicks.not_sent", error: String(error) });
    }
  }
  const { sql, params } = storeClicks([message]);
  try {
    await store.database
      .prepare(sql)
      .bind(...params)
      .run();
  } catch (error) {
    store.log({ event: "clicks.lost", clicks: message.clicks.length, error: String(error) });
  }
}
