import { runPlain } from "../../db/plain.ts";
import type { ClicksMessage, LinkClick } from "../../queue/messages.ts";
import { BOT } from "./evaluate.ts";
import { storeClicks } from "./repo/clicks.ts";

/** Clicks are collected this long; an isolate that ends earlier loses them. */
const WINDOW_MS = 50;
/** After this time, the visit that was to send the clicks counts as lost. */
const LOST_MS = 1_000;
/** Keeps a message below 64 KB, billed as one operation. Source: Queues, "Pricing". */
const MAX_CLICKS = 1_000;

export interface ClickStore {
  /** Null without queues: clicks are written to the database at once. */
  queue: Pick<Queue<ClicksMessage>, "send"> | null;
  database: Pick<D1Database, "prepare">;
  wait(ms: number): Promise<void>;
  log(entry: { event: string; [field: string]: string | number }): void;
}

interface PendingClick {
  click: LinkClick;
  agent: string;
}

export class ClickLog {
  private pending: PendingClick[] = [];
  private openedAt: number | null = null;

  /** Returns work to await after the response; null when another visit sends the click. */
  add(store: ClickStore, pending: PendingClick, now: number): Promise<void> | null {
    this.pending.push(pending);
    if (this.pending.length >= MAX_CLICKS) return this.flush(store);
    if (this.openedAt !== null && Math.abs(now - this.openedAt) < LOST_MS) return null;
    this.openedAt = now;
    return store.wait(WINDOW_MS).then(() => this.flush(store));
  }

  private async flush(store: ClickStore): Promise<void> {
    const pending = this.pending;
    this.pending = [];
    this.openedAt = null;
    if (pending.length > 0) {
      const clicks = await markBots(pending);
      await send(store, { kind: "clicks", id: crypto.randomUUID(), clicks });
    }
  }
}

/** Bots are recognized after the response: the expressions cost more than the redirect. */
async function markBots(pending: readonly PendingClick[]): Promise<LinkClick[]> {
  const { isBot } = await import("./bots.ts");
  const agents = new Set(pending.map(({ agent }) => agent));
  const bots = new Set([...agents].filter(isBot));
  return pending.map(({ click, agent }) => {
    if (!bots.has(agent)) return click;
    const [linkId, at, country, , ...rule] = click;
    return [linkId, at, country, BOT, ...rule];
  });
}

/** The message's id prevents double counting. */
async function send(store: ClickStore, message: ClicksMessage): Promise<void> {
  for (let tries = 0; store.queue && tries < 2; tries++) {
    try {
      await store.queue.send(message);
      return;
    } catch (error) {
      store.log({ event: "clicks.not_sent", error: String(error) });
    }
  }
  try {
    await runPlain(store.database, storeClicks([message]));
  } catch (error) {
    store.log({ event: "clicks.lost", clicks: message.clicks.length, error: String(error) });
  }
}
