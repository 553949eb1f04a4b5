import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Account, Consumer } from "./account.ts";
import { chooseVersion } from "./choose-version.ts";
import type { BatchOutcome, Message, Runner } from "./runner.ts";

/** What a consumer has when its settings do not say. @see https://developers.cloudflare.com/queues/configuration/configure-queues/ */
const DEFAULTS = { batchSize: 10, waitMs: 5_000, retries: 3 };
const POLL_MS = 1_000;
/** Batches of one queue that are on their way at once. Cloudflare has up to 250, by load. */
const CONCURRENT_BATCHES = 5;
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
  due_at: number;
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
  /** The batches of each queue that are on their way, by the numbers of their messages. */
  private readonly underWay = new Map<string, Set<number[]>>();
  private runner: Runner | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isStopped = false;

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
    this.isStopped = true;
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
    setImmediate(() => {
      if (this.runner && !this.isStopped) this.deliverAll();
    });
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
    for (const { queue_name, consumer } of this.account.state.queues) {
      if (!consumer) continue;
      for (let batch = this.takeBatch(queue_name, consumer); batch; ) {
        void this.deliver(queue_name, consumer.script, batch);
        batch = this.takeBatch(queue_name, consumer);
      }
    }
  }

  /** Messages that are due, and enough of them or old enough; null for none. */
  private takeBatch(queue: string, { settings }: Consumer): Row[] | null {
    const batches = this.underWay.get(queue) ?? new Set();
    if (batches.size >= CONCURRENT_BATCHES) return null;
    const { batch_size = DEFAULTS.batchSize, max_wait_time_ms = DEFAULTS.waitMs } = settings;
    const now = Date.now();
    const rows = this.database
      .prepare(
        `SELECT seq, id, format, body, sent_at, due_at, attempts FROM messages
        WHERE queue = ? AND due_at <= ? AND seq NOT IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ?`,
      )
      .all(
        queue,
        now,
        JSON.stringify([...batches].flat()),
        Math.max(1, batch_size),
      ) as unknown as Row[];
    const isFull = rows.length >= batch_size;
    const isOld = rows.some(({ due_at }) => now - due_at >= max_wait_time_ms);
    return rows.length > 0 && (isFull || isOld) ? rows : null;
  }

  private async deliver(queue: string, script: string, rows: Row[]): Promise<void> {
    const batches = this.underWay.get(queue) ?? new Set();
    this.underWay.set(queue, batches);
    const numbers = rows.map(({ seq }) => seq);
    batches.add(numbers);
    const outcome = await this.hand(queue, script, rows).catch((error: unknown) => {
      console.error(error);
      return FAILED;
    });
    batches.delete(numbers);
    if (this.isStopped) return;
    this.settle(queue, rows, outcome);
    this.deliverAll();
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
