import type { SQL } from "drizzle-orm";
import { type Config, configOf, readSettings, type Settings } from "./config.ts";
import { now } from "./core/clock.ts";
import { type Cipher, createCipher } from "./core/encryption.ts";
import { randomId, timeSortedId } from "./core/ids.ts";
import type { OwnKeyName } from "./core/instance-keys.ts";
import { noBucket, noQueue } from "./core/missing-bindings.ts";
import type { Scope } from "./core/scopes.ts";
import { refusedUrl } from "./core/url-policy.ts";
import { connect, type Db, type Query, type Results } from "./db/client.ts";
import type { DeliveryGate } from "./durable/delivery-gate.ts";
import type { Heartbeat } from "./durable/heartbeat.ts";
import type { Installation } from "./durable/installation.ts";
import { ownKeysOf } from "./durable/own-keys.ts";
import type { RateLimiter } from "./durable/rate-limiter.ts";
import type { Fetch } from "./platforms/connector.ts";
import type {
  ClicksMessage,
  CollectMessage,
  JobMessage,
  WebhookMessage,
} from "./queue/messages.ts";
import type { SandboxState } from "./sandbox/state.ts";

/** Bindings of wrangler.toml. `configOf` reads variables and secrets. */
export interface Env {
  DB: D1Database;
  /** Absent in an account without R2. */
  MEDIA?: R2Bucket;
  IMAGES?: ImagesBinding;
  ASSETS: Fetcher;
  /** Absent, like WEBHOOKS, where the deployment could not make queues. */
  PUBLISH?: Queue<JobMessage>;
  /** Clicks of short links use the same queue. */
  WEBHOOKS?: Queue<WebhookMessage | ClicksMessage>;
  /** Absent when the owner has not enabled mail. */
  EMAIL?: SendEmail;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  HEARTBEAT: DurableObjectNamespace<Heartbeat>;
  DELIVERY_GATE: DurableObjectNamespace<DeliveryGate>;
  SANDBOX_STATE: DurableObjectNamespace<SandboxState>;
  DEPLOYED_VERSION?: WorkerVersionMetadata;
  /** Absent in a deployment whose configuration is older than the binding. */
  INSTALLATION?: DurableObjectNamespace<Installation>;
}

export interface Deps {
  config: Config;
  settings(): Settings;
  db: Db;
  media: R2Bucket;
  hasStorage: boolean;
  /** Null without the binding: pictures cannot be converted then. */
  images: ImagesBinding | null;
  assets: Fetcher;
  /** When false, messages are dropped, and the tick of each minute does their work. */
  hasQueues: boolean;
  publishQueue: Queue<JobMessage>;
  /** The same queue as `publishQueue`. */
  collectQueue: Queue<CollectMessage>;
  webhookQueue: Queue<WebhookMessage>;
  email: SendEmail | null;
  rateLimiter: DurableObjectNamespace<RateLimiter>;
  heartbeat: DurableObjectNamespace<Heartbeat>;
  deliveryGate: DurableObjectNamespace<DeliveryGate>;
  sandbox: DurableObjectNamespace<SandboxState>;
  /** The deployed version, by Cloudflare's counting. Null in a local run. */
  deployment: { id: string; at: Date } | null;
  installation: DurableObjectNamespace<Installation> | null;
  /** The keys that the instance made itself. */
  ownKeys: readonly OwnKeyName[];
  cipher: Cipher;
  /** Does not follow redirects. */
  fetch: Fetch;
  /** Returns a fetch that keeps a record of calls to platforms. Absent outside of rehearsals. */
  recordCalls?(network: Fetch): Fetch;
  reaches(hostname: string, port: number): Promise<boolean>;
  now(): Date;
  /** Null in production. */
  startedAt: Date | null;
  wait(ms: number): Promise<void>;
  newId(prefix: string): string;
  newEventId(): string;
  /** Lets work continue after the answer is sent. */
  defer(work: Promise<unknown>): void;
  log(entry: LogEntry): void;
}

/** Logged as JSON. Must contain neither secrets nor captions. */
export interface LogEntry {
  event: string;
  [field: string]: string | number | boolean | null | undefined;
}

export type Role = "OWNER" | "ADMIN" | "MEMBER";

/** A token or a signed-in person, acting in one team. */
export interface Actor {
  /** Null for a signed-in person. */
  tokenId: number | null;
  userId: number;
  /** A person's address, or the token's name. */
  name: string;
  /** Whether the call came through the agent endpoint. */
  isAgent: boolean;
  teamId: number;
  /** Whether the token works only for this team. */
  isPinned: boolean;
  role: Role;
  scopes: Scope[];
  /** The team's owner can require approval of members' posts. */
  needsApproval: boolean;
  /** Whether a person allowed the caller by OAuth. */
  isProgram: boolean;
  /** Ids of the accounts that the caller may use; null for all of the team. */
  accounts: string[] | null;
}

export interface Ctx extends Deps {
  /** SQL for the team's id. Before authentication, a sub-select by token lets one batch authenticate and read. */
  team: SQL;
  /** SQL for the caller's user id, like `team`. */
  user: SQL;
  /** Throws before the first `read` has authenticated the caller. */
  actor: Actor;
  knownActor(): Actor | null;
  /** Requires the scope for all later queries, besides each read's own scope. */
  bindScope(scope: Scope): void;
  /**
   * Runs the queries in one round trip, with the authentication if it is pending. A null scope
   * admits every authenticated caller.
   *
   * @throws AppError UNAUTHORIZED, INSUFFICIENT_SCOPE, FORBIDDEN (not a member of that team),
   * RATE_LIMIT
   */
  read<const Q extends readonly Query<unknown>[]>(
    scope: Scope | null,
    queries: Q,
  ): Promise<Results<Q>>;
}

/** For work that goes on after its call, in the name of a person. Only agent tools bind scopes. */
export const contextFor = (deps: Deps, actor: Actor, toSql: (id: number) => SQL): Ctx => ({
  ...deps,
  team: toSql(actor.teamId),
  user: toSql(actor.userId),
  actor,
  knownActor: () => actor,
  bindScope: () => {},
  read: (_, queries) => deps.db.run(queries),
});

type Shared = Pick<Deps, "config" | "cipher" | "db" | "fetch" | "startedAt" | "deployment">;

const sharedByEnv = new WeakMap<object, Shared>();

function shared(env: Env): Shared {
  const existing = sharedByEnv.get(env);
  if (existing) return existing;
  const config = configOf(env);
  const fresh: Shared = {
    config,
    cipher: createCipher(config.encryptionKeys),
    db: connect(env.DB),
    fetch: createFetch(config),
    startedAt: config.isDevelopment ? now() : null,
    deployment: config.isDevelopment ? null : deploymentOf(env.DEPLOYED_VERSION),
  };
  sharedByEnv.set(env, fresh);
  return fresh;
}

const deploymentOf = (version: WorkerVersionMetadata | undefined): Deps["deployment"] =>
  version?.id ? { id: version.id, at: new Date(version.timestamp) } : null;

/** Checks every address at the time of the call. Development may replace platforms' origins. */
export function createFetch(config: Config, network: Fetch = (...call) => fetch(...call)): Fetch {
  const policy = { allowHttp: true, allowLoopback: config.isDevelopment };
  return async (input, init) => {
    const requested = new URL(input instanceof Request ? input.url : input);
    const replacement = config.platformOrigins[requested.origin];
    const url = replacement
      ? new URL(requested.href.replace(requested.origin, replacement))
      : requested;
    const refusal = refusedUrl(url, policy);
    if (refusal) throw new TypeError(`Not fetched: the address ${refusal}.`);
    const options: RequestInit = { redirect: "manual", ...init };
    // Fetches exactly the address that was checked.
    if (!(input instanceof Request) && !replacement) return network(url.href, options);
    const request = new Request(input, options);
    return network(replacement ? new Request(url, request) : request);
  };
}

/** Longest wait for a connection test. */
const PROBE_MS = 5_000;

async function reaches(hostname: string, port: number): Promise<boolean> {
  const { connect } = await import("cloudflare:sockets");
  const socket = connect({ hostname, port });
  const isOpen = socket.opened.then(
    () => true,
    () => false,
  );
  try {
    const answer = await Promise.race([isOpen, scheduler.wait(PROBE_MS)]);
    if (typeof answer !== "boolean") throw new Error("The connection took too long.");
    return answer;
  } finally {
    void socket.close().catch(() => {});
  }
}

/** @throws ConfigError when a variable or secret is missing, malformed or forbidden */
export function createDeps(env: Env, execution?: Pick<ExecutionContext, "waitUntil">): Deps {
  const { PUBLISH, WEBHOOKS } = env;
  const hasQueues = PUBLISH !== undefined && WEBHOOKS !== undefined;
  return {
    ...shared(env),
    settings: () => readSettings(env),
    media: env.MEDIA ?? noBucket(),
    hasStorage: env.MEDIA !== undefined,
    images: env.IMAGES ?? null,
    assets: env.ASSETS,
    hasQueues,
    publishQueue: hasQueues ? PUBLISH : noQueue(),
    collectQueue: hasQueues ? PUBLISH : noQueue(),
    webhookQueue: hasQueues ? WEBHOOKS : noQueue(),
    email: env.EMAIL ?? null,
    rateLimiter: env.RATE_LIMITER,
    heartbeat: env.HEARTBEAT,
    deliveryGate: env.DELIVERY_GATE,
    sandbox: env.SANDBOX_STATE,
    installation: env.INSTALLATION ?? null,
    ownKeys: ownKeysOf(env),
    reaches,
    now,
    wait: (ms) => scheduler.wait(ms),
    newId: randomId,
    newEventId: () => timeSortedId("evt", now()),
    defer: (work) => execution?.waitUntil(work),
    log: (entry) => console.log(JSON.stringify(entry)),
  };
}
