import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Config } from "../../src/config.ts";
import type { Scope } from "../../src/core/scopes.ts";
import { sha256Hex } from "../../src/core/signature.ts";
import { runSchedule } from "../../src/cron/schedule.ts";
import { createDeps, type Deps, type Role } from "../../src/deps.ts";
import { beginningOf, createApiOf, DOCUMENT, loadRouters } from "../../src/doors/api.ts";
import { toDocument } from "../../src/http/openapi.ts";
import type { Fetch } from "../../src/platforms/connector.ts";
import { consume } from "../../src/queue/consumer.ts";
import type {
  ClicksMessage,
  CollectMessage,
  DeliverMessage,
  JobMessage,
  PublishMessage,
  WebhookMessage,
} from "../../src/queue/messages.ts";
import { Documented, type Told } from "./documented.ts";
import { queueTo } from "./queue.ts";

/** When every test begins, unless it moves the clock. */
/** The one address that answers unless a test scripts the network. */
export const FEED_URL = "https://feed.example/empty";
const EMPTY_FEED = '<rss version="2.0"><channel><title>Empty</title></channel></rss>';

export const START = new Date("2026-12-01T09:00:00.000Z");

interface Sent<T> {
  message: T;
  at: number;
}

const timed = <T>({ message, delaySeconds }: { message: T; delaySeconds: number }): Sent<T> => ({
  message,
  at: Date.now() + delaySeconds * 1_000,
});

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  body: any;
}

export interface Member {
  userId: number;
  teamId: number;
  token: string;
}

const DOCUMENT_PATH = `/api/v1/${DOCUMENT}`;

let documented: Documented | null = null;

/** One service for all harnesses, as an isolate has one: to route its paths anew costs more than most calls. */
const service = createApp((c) => (c.env as { deps: Deps }).deps);

/**
 * The whole service with its real database, storage and Durable Objects. The clock stands still until
 * `advance`, the network is what `network` says, and queue messages wait until `drain`.
 */
export class Harness {
  readonly deps: Deps;
  /** Messages of posts, of the kind of most tests; those of pools know the other. */
  readonly sent: Sent<PublishMessage>[] = [];
  /** Messages of the queue of deliveries. */
  readonly sentDeliveries: Sent<DeliverMessage>[] = [];
  /** Messages of the same queue that wake notices. */
  readonly sentNotices: Sent<Extract<WebhookMessage, { kind: "notify" }>>[] = [];
  /** Messages of collections, which travel with those of posts. */
  readonly sentCollections: Sent<CollectMessage>[] = [];
  readonly logs: object[] = [];
  network: Fetch = async (input) => {
    if (new Request(input).url === FEED_URL) return new Response(EMPTY_FEED);
    throw new Error(`Nothing is scripted for ${new Request(input).url}`);
  };
  private readonly deferred: Promise<unknown>[] = [];

  constructor(overrides: Partial<Deps> = {}) {
    vi.useFakeTimers({ now: START, toFake: ["Date"] });
    const base = createDeps(env, { waitUntil: (work) => this.deferred.push(work) });
    this.deps = {
      ...base,
      fetch: (input, init) => this.network(input, init),
      reaches: async () => true,
      // The first harness of a run may have been made by the real clock.
      startedAt: START,
      wait: async () => {},
      log: (entry) => this.logs.push(entry),
      publishQueue: queueTo<JobMessage>((sent) => {
        this.sent.push(...(sent.map(timed) as Sent<PublishMessage>[]));
      }),
      collectQueue: queueTo<CollectMessage>((sent) => {
        this.sentCollections.push(...sent.map(timed));
      }),
      webhookQueue: queueTo<WebhookMessage>((sent) => {
        for (const { message, at } of sent.map(timed)) {
          if (message.kind === "notify") this.sentNotices.push({ message, at });
          else this.sentDeliveries.push({ message, at });
        }
      }),
      ...overrides,
    };
  }

  /** Moves the clock from message to message of collections until none is left; answers how many. */
  async drainCollections(limit = 200): Promise<number> {
    let delivered = 0;
    for (; delivered < limit && this.sentCollections.length > 0; delivered++) {
      this.sentCollections.sort((a, b) => a.at - b.at);
      const next = this.sentCollections.shift();
      if (!next) break;
      if (next.at > Date.now()) vi.setSystemTime(next.at);
      await this.consume([next.message]);
    }
    return delivered;
  }

  advance(seconds: number): void {
    vi.setSystemTime(Date.now() + seconds * 1_000);
  }

  /** The API with the routers that this path needs, or with all. */
  async api(path = DOCUMENT_PATH) {
    return createApiOf(() => this.deps, await loadRouters(beginningOf(path)));
  }

  request(path: string, init?: RequestInit): Promise<Response> {
    const { deps } = this;
    return service.fetch(new Request(`https://akimbo.test${path}`, init), { deps });
  }

  /** A call to the API as a caller makes it. */
  async call(
    method: string,
    path: string,
    options: {
      token?: string;
      headers?: Record<string, string>;
      json?: unknown;
      body?: BodyInit;
    } = {},
  ): Promise<Answer> {
    const headers = new Headers(options.headers);
    if (options.token) headers.set("x-api-key", options.token);
    let sent = options.body;
    if (options.json !== undefined) {
      sent = typeof options.json === "string" ? options.json : JSON.stringify(options.json);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
    }
    const response = await this.request(`/api/v1${path}`, { method, headers, body: sent });
    const text = new TextDecoder().decode(await response.arrayBuffer());
    refuseLeak(`${method} ${path}`, text);
    const { status } = response;
    const type = response.headers.get("content-type");
    if (type === "image/svg+xml") return { status, headers: response.headers, body: text };
    const isLines = type === "application/x-ndjson";
    const lines = isLines
      ? text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : null;
    const body = lines ?? (text ? JSON.parse(text) : null);
    for (const one of lines ?? [body]) {
      await this.refuseUndocumented({ method, path: `/api/v1${path}`, status, body: one });
    }
    return { status, headers: response.headers, body };
  }

  /** Every answer that any test gets is what the document says of it. */
  private async refuseUndocumented(told: Told): Promise<void> {
    const path = told.path.split("?")[0] ?? "";
    if (told.status < 400 && path === DOCUMENT_PATH) return;
    documented ??= new Documented(toDocument(await this.api()));
    const found = documented.mismatches({ ...told, path });
    if (found.length > 0) throw new Error(`Not as documented: ${found.join("; ")}`);
  }

  /** Runs what was left for after the answers. */
  async settle(): Promise<void> {
    await Promise.all(this.deferred.splice(0));
  }

  /** Delivers the messages whose time has come, as one batch each; answers how many. */
  async deliver(): Promise<number> {
    const due = this.sent.filter(({ at }) => at <= Date.now());
    for (const sent of due) this.sent.splice(this.sent.indexOf(sent), 1);
    for (const { message } of due) await this.consume([message]);
    return due.length;
  }

  /** Delivers the messages of deliveries whose time has come, as one batch; answers how many. */
  async deliverEvents(): Promise<number> {
    await this.settle();
    const due = this.sentDeliveries.filter(({ at }) => at <= Date.now());
    for (const sent of due) this.sentDeliveries.splice(this.sentDeliveries.indexOf(sent), 1);
    if (due.length > 0)
      await this.consume(
        due.map(({ message }) => message),
        "akimbo-webhooks",
      );
    await this.settle();
    return due.length;
  }

  /** Moves the clock from message to message of deliveries until none is left. */
  async drainEvents(limit = 50): Promise<void> {
    await this.settle();
    for (let i = 0; i < limit && this.sentDeliveries.length > 0; i++) {
      const next = Math.min(...this.sentDeliveries.map(({ at }) => at));
      if (next > Date.now()) vi.setSystemTime(next);
      await this.deliverEvents();
    }
  }

  /** Delivers the messages that wake notices whose time has come, as one batch; answers how many. */
  async deliverNotices(): Promise<number> {
    await this.settle();
    const due = this.sentNotices.filter(({ at }) => at <= Date.now());
    for (const sent of due) this.sentNotices.splice(this.sentNotices.indexOf(sent), 1);
    const messages = due.map(({ message }) => message);
    if (messages.length > 0) await this.consume(messages, "akimbo-webhooks");
    await this.settle();
    return due.length;
  }

  /** Moves the clock from message to message of notices until none is left. */
  async drainNotices(limit = 50): Promise<void> {
    await this.settle();
    for (let i = 0; i < limit && this.sentNotices.length > 0; i++) {
      const next = Math.min(...this.sentNotices.map(({ at }) => at));
      if (next > Date.now()) vi.setSystemTime(next);
      await this.deliverNotices();
    }
  }

  /** The cron trigger of this minute. */
  tick(scheduledAt?: Date): Promise<void> {
    return runSchedule(this.deps, scheduledAt);
  }

  /** Moves the clock from message to message until none is left. */
  async drain(limit = 50): Promise<void> {
    for (let i = 0; i < limit && this.sent.length > 0; i++) {
      const next = Math.min(...this.sent.map(({ at }) => at));
      if (next > Date.now()) vi.setSystemTime(next);
      await this.deliver();
    }
  }

  /** Hands messages to the queue consumer; answers those that it wants back. */
  async consume<M extends JobMessage | WebhookMessage | ClicksMessage>(
    messages: M[],
    queue = "akimbo-publish",
  ): Promise<M[]> {
    const retried: M[] = [];
    const batch = {
      queue,
      messages: messages.map((body, i) => ({
        id: String(i),
        timestamp: new Date(),
        body,
        attempts: 1,
        ack: () => {},
        retry: () => retried.push(body),
      })),
      ackAll: () => {},
      retryAll: () => retried.push(...messages),
    } as unknown as MessageBatch;
    await consume(this.deps, batch);
    return retried;
  }
}

/** Internals that no answer may hold, whatever went wrong. */
const LEAKS: Record<string, RegExp> = {
  SQL: /SQLITE_|D1_ERROR|\bSELECT .+ FROM\b|\bINSERT INTO\b|\bUPDATE \w+ SET\b|\bDELETE FROM\b/,
  "a stack frame": /\bat \S+ \(|\.tsx?:\d+|node_modules|TypeError/,
  "a storage key": /media\/\d+\/[0-9a-f]{32}(?![0-9a-f])/,
  "a sealed secret": /\bv1\.\w+\.[\w-]{16}\.[\w-]+/,
  "an API token": /kmb_[0-9a-f]{64}/,
};

/** A new token is told to its maker, and nothing else is told to anybody. */
export function refuseLeak(call: string, text: string): void {
  for (const [what, pattern] of Object.entries(LEAKS)) {
    if (what === "an API token" && call === "POST /tokens") continue;
    const found = pattern.exec(text);
    if (found) throw new Error(`The answer to ${call} shows ${what}: ${found[0]}`);
  }
}

/** The service under a configuration that differs from the one of the other tests. */
export const harnessWith = (config: Partial<Config>): Harness =>
  new Harness({ config: { ...createDeps(env).config, ...config } });

let serial = 0;

/** A person with a team of their own and a token for everything. */
export async function createMember(options: { scopes?: Scope[] } = {}): Promise<Member> {
  const n = ++serial;
  const at = START.getTime();
  const token = nextToken();
  const [user, team] = await env.DB.batch<{ id: number }>([
    env.DB.prepare(
      "INSERT INTO users (email, name, created_at) VALUES (?, 'A person', ?) RETURNING id",
    ).bind(`person-${n}@example.com`, at),
    env.DB.prepare(
      `INSERT INTO teams (name, slug, owner_id, created_at, updated_at)
       VALUES ('A team', ?, last_insert_rowid(), ?, ?) RETURNING id`,
    ).bind(`team-${n}`, at, at),
    env.DB.prepare(
      `INSERT INTO members (team_id, user_id, role, joined_at)
       SELECT id, owner_id, 'OWNER', ? FROM teams WHERE slug = ?`,
    ).bind(at, `team-${n}`),
    env.DB.prepare(
      `INSERT INTO tokens (hash, name, hint, user_id, scopes, created_at, last_used_at)
       SELECT ?, 'test', 'kmb_…', owner_id, ?, ?, ? FROM teams WHERE slug = ?`,
    ).bind(await sha256Hex(token), JSON.stringify(options.scopes ?? ["*"]), at, at, `team-${n}`),
  ]);
  const userId = user?.results[0]?.id ?? 0;
  const teamId = team?.results[0]?.id ?? 0;
  return { userId, teamId, token };
}

/** The person with the oldest account, and the team that they own. */
export async function instanceOwner(): Promise<Member> {
  const first = await env.DB.prepare(
    `SELECT u.id AS userId, t.id AS teamId FROM users u JOIN teams t ON t.owner_id = u.id
      ORDER BY u.id LIMIT 1`,
  ).first<{ userId: number; teamId: number }>();
  if (!first) return createMember();
  return { ...first, token: await createToken(first.userId) };
}

const nextToken = (): string => `kmb_${(++serial).toString(16).padStart(64, "0")}`;

export async function joinTeam(teamId: number, userId: number, role: Role): Promise<void> {
  await env.DB.prepare(
    "INSERT INTO members (team_id, user_id, role, joined_at) VALUES (?, ?, ?, ?)",
  )
    .bind(teamId, userId, role, START.getTime())
    .run();
}

export async function createToken(
  userId: number,
  { scopes = ["*"], teamId = null }: { scopes?: Scope[]; teamId?: number | null } = {},
): Promise<string> {
  const token = nextToken();
  await env.DB.prepare(
    `INSERT INTO tokens (hash, name, hint, user_id, team_id, scopes, created_at, last_used_at)
     VALUES (?1, 'test', 'kmb_…', ?2, ?3, ?4, ?5, ?5)`,
  )
    .bind(await sha256Hex(token), userId, teamId, JSON.stringify(scopes), START.getTime())
    .run();
  return token;
}

/** Connects a sandbox account through the API; its id. */
export async function connectSandbox(
  harness: Harness,
  member: Member,
  name = "Ada",
  platform = "bluesky",
  pageId?: string,
): Promise<string> {
  const answer = await harness.call("POST", "/accounts", {
    token: member.token,
    json: { platform, sandbox: true, name: `${name} ${member.teamId}`, pageId },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

/** Fields of a multipart form; several values of one field are a list. */
export type Fields = Record<string, string | Blob | (string | Blob)[]>;

export const form = (fields: Fields): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) {
      if (one instanceof Blob) data.append(name, one, "file");
      else data.append(name, one);
    }
  }
  return data;
};

afterEach(() => {
  vi.useRealTimers();
});
