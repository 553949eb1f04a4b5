import { appendFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { Account } from "./account.ts";
import { AGENT } from "./front.ts";
import type { LogLine } from "./log.ts";
import { Refusal } from "./refusal.ts";
import { INNER_WORKER, listRunning, type Running, runtimeOptions } from "./worker-options.ts";

export interface QueryResult {
  success: true;
  results: Record<string, unknown>[];
  meta: {
    duration?: number;
    rows_read?: number;
    rows_written?: number;
    size_after?: number;
    [name: string]: unknown;
  };
}

export interface Message {
  id: string;
  timestamp: number;
  attempts: number;
  format: string;
  /** Base64. */
  body: string;
}

/** What a handler of a queue decided about its messages. */
export interface BatchOutcome {
  outcome: string;
  ackAll: boolean;
  retryBatch: { retry: boolean; delaySeconds?: number };
  explicitAcks: string[];
  retryMessages: { msgId: string; delaySeconds?: number }[];
}

/** A running call may take this long to end before the runtime is started anew. Under load on a busy machine they do. */
const DRAIN_MS = 120_000;
/** Work that a call left behind gets this long. */
const GRACE_MS = 300;

const OK = 200;

/** Calls do not share connections: a restart of the runtime closes all of them. */
function post(url: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent: AGENT }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on("error", reject);
    });
    outgoing.on("error", reject).end(body);
  });
}

/**
 * Runs what is deployed. Another deployment starts the runtime anew: new requests wait for it, running ones end before.
 * At Cloudflare, old isolates run beside new ones instead.
 */
export class Runner {
  private readonly account: Account;
  private readonly takeMessages: (request: Request) => Promise<Response>;
  private miniflare: Miniflare | null = null;
  private running: Running[] = [];
  private addresses = new Map<string, string>();
  private current: string | null = null;
  private settling: Promise<void> = Promise.resolve();
  private inFlight = 0;
  private onIdle: (() => void) | null = null;

  constructor(account: Account, takeMessages: (request: Request) => Promise<Response>) {
    this.account = account;
    this.takeMessages = takeMessages;
  }

  /** What the runtime depends on; it starts anew when this changes. */
  private signature(running: Running[]): string {
    const { databases, buckets } = this.account.state;
    return JSON.stringify([
      databases.map(({ uuid }) => uuid),
      Object.keys(buckets),
      running.map(({ worker, percentage }) => [worker, percentage]),
    ]);
  }

  /** Runs once everything that is deployed does. */
  ready(): Promise<void> {
    const settled = this.settling.then(() => this.settle());
    this.settling = settled.catch(() => {});
    return settled;
  }

  private async settle(): Promise<void> {
    const running = listRunning(this.account);
    const signature = this.signature(running);
    if (this.miniflare && signature === this.current) return;
    await this.drain();
    const options = convertV4MiniflareOptions(
      runtimeOptions(this.account, running, {
        node: this.takeMessages,
        log: (line) => this.log(line),
      }),
    );
    if (this.miniflare) await this.miniflare.setOptions(options);
    else this.miniflare = new Miniflare(options);
    await this.miniflare.ready;
    this.addresses.clear();
    for (const worker of [INNER_WORKER, ...running.map((one) => one.worker)]) {
      this.addresses.set(worker, (await this.miniflare.unsafeGetDirectURL(worker)).origin);
    }
    this.running = running;
    this.current = signature;
  }

  private async drain(): Promise<void> {
    if (!this.miniflare) return;
    if (this.inFlight > 0) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, DRAIN_MS);
        this.onIdle = () => {
          clearTimeout(late);
          resolve();
        };
      });
      this.onIdle = null;
    }
    if (this.running.length > 0) await new Promise((resolve) => setTimeout(resolve, GRACE_MS));
  }

  /** Counts a call in, so that it ends before the runtime does. */
  async use<T>(work: (running: Running[]) => Promise<T>): Promise<T> {
    await this.ready();
    this.inFlight++;
    try {
      return await work(this.running);
    } finally {
      this.inFlight--;
      if (this.inFlight === 0) this.onIdle?.();
    }
  }

  /** The address of a Worker's own socket. */
  address(worker: string): string {
    const address = this.addresses.get(worker);
    if (!address) throw new Error(`${worker} does not run.`);
    return address;
  }

  /** Asks the edge's own Worker, within `use`. */
  private async ask<T>(name: string, body: object): Promise<T> {
    const { status, text } = await post(
      `${this.address(INNER_WORKER)}/${name}`,
      JSON.stringify(body),
    );
    const answer = JSON.parse(text) as T & { thrown?: string };
    if (status !== OK) throw new Error(answer.thrown);
    return answer;
  }

  /** @throws Refusal with the database's own message */
  async query(id: string, queries: { sql: string; params?: unknown[] }[]): Promise<QueryResult[]> {
    type Answer = QueryResult[] | { success: false; error: string };
    const answer = await this.use(() => this.ask<Answer>("query", { id, queries }));
    if (Array.isArray(answer)) return answer;
    throw new Refusal(7_500, answer.error, 400, "storage");
  }

  /** The statements that build the database anew. */
  async dump(
    id: string,
    options: { no_schema?: boolean; no_data?: boolean; tables?: string[] },
  ): Promise<string[]> {
    const params = [options.no_schema ? 1 : 0, options.no_data ? 1 : 0, ...(options.tables ?? [])];
    const sql = "PRAGMA miniflare_d1_export(?,?,?);";
    const answer = await this.use(() =>
      this.ask<{ results: [string[]] }>("query", { id, queries: [{ sql, params }] }),
    );
    return answer.results[0];
  }

  /** `body` is base64; the answer's is null for an object that is not there. */
  object(
    method: "put" | "get" | "delete",
    what: { bucket: string; key: string; body?: string },
  ): Promise<{ body: string | null }> {
    return this.use(() => this.ask("object", { method, ...what }));
  }

  /** Within `use`, which says the Worker. */
  deliver(worker: string, queue: string, messages: Message[]): Promise<BatchOutcome> {
    const metrics = { backlogCount: 0, backlogBytes: 0 };
    return this.ask("queue", { worker, queue, messages, metrics });
  }

  /** Within `use`, which says the Worker. */
  schedule(worker: string, cron: string, at: Date): Promise<{ outcome: string }> {
    return this.ask("scheduled", { worker, cron, time: at.getTime() });
  }

  /** Works on files of the storage while nothing has them open. */
  async whileStopped(work: () => void): Promise<void> {
    const stopped = this.settling.then(async () => {
      await this.drain();
      await this.miniflare?.dispose();
      this.miniflare = null;
      work();
    });
    this.settling = stopped.catch(() => {});
    await stopped;
  }

  async stop(): Promise<void> {
    await this.miniflare?.dispose();
    this.miniflare = null;
  }

  private log({ timestamp, level, message }: LogLine): void {
    const line = JSON.stringify({ timestamp, level, message });
    appendFileSync(join(this.account.folder, "log.jsonl"), `${line}\n`);
  }
}
