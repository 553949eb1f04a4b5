import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Account, Queue } from "./account.ts";
import { chooseVersion } from "./choose-version.ts";
import type { BatchOutcome, Message, Runner } from "./runner.ts";

/** What a consumer has when its settings do not say. @see https://developers.cloudflare.com/queues/configuration/configure-queues/ */
const DEFAULTS = { batchSize: 10, waitMs: 5_000, retries: 3 };
const POLL_MS = 1_000;
const FAILED: BatchOutcome = {
  outcome: "exception",
  ackAll: false,
  retryBatch: { retry: true },
  explicitAcks: [],
  retryMessages: [],
};

interface Row {
  seq: number;
  id: string;
  format: string;
  body: Uint8Array;
  sent_at: number;
  attempts: number;
}

interface Sent {
  format: string;
  delaySeconds: number;
  body: Buffer;
}

/** The queues of an account. A message is on disk before its sender is answered, and a killed edge delivers it again. */
export class QueueBroker {
  private readonly account: Account;
  private readonly database: DatabaseSync;
  private readonly busy = new Set<string>();
  private runner: Runner | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(account: Account) {
    this.account = account;
    this.database = new DatabaseSync(join(account.folder, "queues.sqlite"));
    this.database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS messages (seq INTEGER PRIMARY KEY, queue TEXT NOT NULL, id TEXT NOT NULL,
        format TEXT NOT NULL, body BLOB NOT NULL, sent_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0) STRICT;
      CREATE INDEX IF NOT EXISTS due ON messages (queue, due_at)`);
  }

  start(runner: Runner): void {
    this.runner = runner;
    this.timer = setInterval(() => this.deliverAll(), POLL_MS);
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.database.close();
  }

  /** The messages of each queue that wait. */
  backlog(): Record<string, number> {
    const rows = this.database.prepare(
      "SELECT queue, count(*) AS count FROM messages GROUP BY queue",
    );
    return Object.fromEntries(rows.all().map(({ queue, count }) => [String(queue), Number(count)]));
  }

  /** Answers the runtime's binding of a queue. */
  async take(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const name = url.searchParams.get("queue") ?? "";
    if (url.pathname === "/metrics") return Response.json(this.metrics(name));
    const delay = Number(
      request.headers.get("x-msg-delay-secs") ??
        this.account.findQueue(name)?.settings.delivery_delay ??
        0,
    );
    const messages = await readMessages(request, url.pathname, delay);
    const refusal = this.findRefusal(name, messages);
    if (refusal) return new Response(refusal.text, { status: refusal.status });
    const now = Date.now();
    const insert = this.database.prepare(
      "INSERT INTO messages (queue, id, format, body, sent_at, due_at) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.database.exec("BEGIN");
    for (const { format, body, delaySeconds } of messages) {
      const id = randomBytes(16).toString("hex");
      insert.run(name, id, format, body, now, now + delaySeconds * 1_000);
    }
    this.database.exec("COMMIT");
    setImmediate(() => this.deliverAll());
    return Response.json({ metadata: { metrics: this.metrics(name) } });
  }

  private findRefusal(name: string, messages: Sent[]): { status: number; text: string } | null {
    const { account } = this;
    if (!account.findQueue(name)) return { status: 404, text: "QueueNotFound" };
    if (messages.length > account.limit("batchMessages")) {
      return { status: 413, text: `batch message count of ${messages.length} exceeds limit` };
    }
    const largest = Math.max(0, ...messages.map(({ body }) => body.length));
    const total = messages.reduce((sum, { body }) => sum + body.length, 0);
    if (largest > account.limit("messageBytes")) {
      return { status: 413, text: `message length of ${largest} bytes exceeds limit` };
    }
    if (messages.length > 1 && total > account.limit("sentBatchBytes")) {
      return { status: 413, text: `batch size of ${total} bytes exceeds limit` };
    }
    const max = account.limit("delaySeconds");
    if (messages.some(({ delaySeconds }) => !(delaySeconds >= 0 && delaySeconds <= max))) {
      return { status: 400, text: `message delay must be 0 to ${max} seconds` };
    }
    return null;
  }

  private metrics(queue: string) {
    const row = this.database
      .prepare(
        "SELECT count(*) AS count, total(length(body)) AS bytes, min(sent_at) AS oldest FROM messages WHERE queue = ?",
      )
      .get(queue);
    return {
      backlogCount: Number(row?.count),
      backlogBytes: Number(row?.bytes),
      oldestMessageTimestamp: Number(row?.oldest ?? 0),
    };
  }

  private deliverAll(): void {
    for (const queue of this.account.state.queues) {
      if (!queue.consumer || this.busy.has(queue.queue_name)) continue;
      this.busy.add(queue.queue_name);
      void this.deliver(queue)
        .catch((error: unknown) => console.error(error))
        .finally(() => this.busy.delete(queue.queue_name));
    }
  }

  /** Delivers batches until no message is due. */
  private async deliver({ queue_name: name }: Queue): Promise<void> {
    for (;;) {
      const consumer = this.account.findQueue(name)?.consumer;
      if (!consumer || !this.runner) return;
      const { batch_size = DEFAULTS.batchSize, max_wait_time_ms: waitMs = DEFAULTS.waitMs } =
        consumer.settings;
      const rows = this.database
        .prepare(
          "SELECT seq, id, format, body, sent_at, attempts FROM messages WHERE queue = ? AND due_at <= ? ORDER BY seq LIMIT ?",
        )
        .all(name, Date.now(), Math.max(1, batch_size)) as unknown as Row[];
      const [oldest] = rows;
      if (!oldest) return;
      const isFull = rows.length >= batch_size;
      if (!isFull && Date.now() - oldest.sent_at < waitMs && oldest.attempts === 0) return;
      const outcome = await this.hand(name, consumer.script, rows).catch((error: unknown) => {
        console.error(error);
        return FAILED;
      });
      this.settle(name, rows, outcome);
    }
  }

  private async hand(name: string, script: string, rows: Row[]): Promise<BatchOutcome> {
    const { runner } = this;
    if (!runner) return FAILED;
    return runner.use(async (running) => {
      const ofScript = running.filter((one) => one.script.name === script);
      const chosen = chooseVersion(ofScript, {});
      if (!chosen) return FAILED;
      const messages: Message[] = rows.map(({ id, format, body, sent_at, attempts }) => ({
        id,
        format,
        body: Buffer.from(body).toString("base64"),
        timestamp: sent_at,
        attempts: attempts + 1,
      }));
      return runner.deliver(chosen.worker, name, messages);
    });
  }

  private settle(name: string, rows: Row[], outcome: BatchOutcome): void {
    const consumer = this.account.findQueue(name)?.consumer;
    const { max_retries = DEFAULTS.retries, retry_delay = 0 } = consumer?.settings ?? {};
    const retried = new Map(outcome.retryMessages.map((one) => [one.msgId, one.delaySeconds]));
    const acked = new Set(outcome.explicitAcks);
    const isWhole = outcome.retryBatch.retry || outcome.outcome !== "ok";
    const now = Date.now();
    this.database.exec("BEGIN");
    for (const { seq, id, attempts } of rows) {
      const isRetried = retried.has(id) || (isWhole && !acked.has(id) && !outcome.ackAll);
      if (!isRetried) {
        this.database.prepare("DELETE FROM messages WHERE seq = ?").run(seq);
      } else if (attempts < max_retries) {
        const delay = retried.get(id) ?? outcome.retryBatch.delaySeconds ?? retry_delay;
        this.database
          .prepare("UPDATE messages SET attempts = attempts + 1, due_at = ? WHERE seq = ?")
          .run(now + delay * 1_000, seq);
      } else if (consumer?.dead_letter_queue) {
        this.database
          .prepare("UPDATE messages SET queue = ?, attempts = 0, due_at = ? WHERE seq = ?")
          .run(consumer.dead_letter_queue, now, seq);
      } else {
        this.database.prepare("DELETE FROM messages WHERE seq = ?").run(seq);
      }
    }
    this.database.exec("COMMIT");
  }
}

interface BatchBody {
  messages: { contentType?: string; delaySecs?: number; body: string }[];
}

async function readMessages(request: Request, path: string, delay: number): Promise<Sent[]> {
  if (path === "/message") {
    const format = request.headers.get("x-msg-fmt") ?? "v8";
    return [{ format, delaySeconds: delay, body: Buffer.from(await request.arrayBuffer()) }];
  }
  const { messages } = (await request.json()) as BatchBody;
  return messages.map(({ contentType = "v8", delaySecs = delay, body }) => ({
    format: contentType,
    delaySeconds: delaySecs,
    body: Buffer.from(body, "base64"),
  }));
}
