import type { SQL } from "drizzle-orm";
import { type Config, configOf } from "./config.ts";
import { now } from "./core/clock.ts";
import { type Cipher, createCipher } from "./core/encryption.ts";
import { randomId, timeSortedId } from "./core/ids.ts";
import type { Scope } from "./core/scopes.ts";
import { refusedUrl } from "./core/url-policy.ts";
import { connect, type Db, type Query, type Results } from "./db/client.ts";
import type { DeliveryGate } from "./durable/delivery-gate.ts";
import type { Heartbeat } from "./durable/heartbeat.ts";
import type { RateLimiter } from "./durable/rate-limiter.ts";
import type { Fetch } from "./platforms/connector.ts";
import type {
  ClicksMessage,
  CollectMessage,
  JobMessage,
  WebhookMessage,
} from "./queue/messages.ts";
import type { SandboxState } from "./sandbox/state.ts";

/** The bindings of wrangler.toml; variables and secrets are read by `configOf` alone. */
export interface Env {
  DB: D1Database;
  MEDIA: R2Bucket;
  IMAGES: ImagesBinding;
  ASSETS: Fetcher;
  PUBLISH: Queue<JobMessage>;
  /** The clicks of short links go the same way. */
  WEBHOOKS: Queue<WebhookMessage | ClicksMessage>;
  /** Absent until its owner lets this instance send mail. */
  EMAIL?: SendEmail;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  HEARTBEAT: DurableObjectNamespace<Heartbeat>;
  DELIVERY_GATE: DurableObjectNamespace<DeliveryGate>;
  SANDBOX_STATE: DurableObjectNamespace<SandboxState>;
}

/** Everything the service reaches for: bindings, network, clock, randomness. Tests replace parts. */
export interface Deps {
  config: Config;
  db: Db;
  media: R2Bucket;
  images: ImagesBinding;
  assets: Fetcher;
  publishQueue: Queue<JobMessage>;
  /** The same queue. */
  collectQueue: Queue<CollectMessage>;
  webhookQueue: Queue<WebhookMessage>;
  /** Null: this instance sends no mail. */
  email: SendEmail | null;
  rateLimiter: DurableObjectNamespace<RateLimiter>;
  heartbeat: DurableObjectNamespace<Heartbeat>;
  deliveryGate: DurableObjectNamespace<DeliveryGate>;
  sandbox: DurableObjectNamespace<SandboxState>;
  cipher: Cipher;
  /** The network. Never follows redirects by itself. */
  fetch: Fetch;
  /** Returns true where a host accepts connections at this port. */
  reaches(hostname: string, port: number): Promise<boolean>;
  now(): Date;
  /** When this server started; null in production, where isolates come and go. */
  startedAt: Date | null;
  wait(ms: number): Promise<void>;
  newId(prefix: string): string;
  newEventId(): string;
  /** Work that goes on after the answer has left. */
  defer(work: Promise<unknown>): void;
  log(entry: LogEntry): void;
}

/** One JSON line. Never a secret, never a caption. */
interface LogEntry {
  event: string;
  [field: string]: string | number | boolean | null | undefined;
}

export type Role = "OWNER" | "ADMIN" | "MEMBER";

/** The actor, in one of their teams: the holder of a token, or a person who is signed in. */
export interface Actor {
  /** Null for a person who is signed in. */
  tokenId: number | null;
  userId: number;
  teamId: number;
  /** The token works for this team only. */
  isPinned: boolean;
  role: Role;
  scopes: Scope[];
  /** All their posts wait for approval: they are a member, and the team's owner wants it so. */
  needsApproval: boolean;
}

/** `Deps` and who is asking: what every use-case is given. */
export interface Ctx extends Deps {
  /**
   * The team's id as a SQL value, usable before the caller is known: until then it is the sub-select
   * that finds the team by the token, so that one batch can authenticate and read.
   */
  team: SQL;
  /** As `team`: the caller's own id. */
  user: SQL;
  /** Known once the first `read` has come back; reading it before that is a fault of ours. */
  actor: Actor;
  knownActor(): Actor | null;
  /** Binds a scope that the caller needs for everything from now on, besides what each read asks for. */
  bindScope(scope: Scope): void;
  /**
   * Runs the queries in one round trip, together with the authentication where that is still to be
   * done, and answers only when the caller holds `scope`; null: when the caller is known.
   *
   * @throws AppError UNAUTHORIZED, INSUFFICIENT_SCOPE, FORBIDDEN (not a member of that team),
   * RATE_LIMIT
   */
  read<const Q extends readonly Query<unknown>[]>(
    scope: Scope | null,
    queries: Q,
  ): Promise<Results<Q>>;
}

interface Shared {
  config: Config;
  cipher: Cipher;
  db: Db;
  fetch: Fetch;
  startedAt: Date | null;
}

const sharedByEnv = new WeakMap<object, Shared>();

/** Parsed once per isolate. */
function shared(env: Env): Shared {
  const known = sharedByEnv.get(env);
  if (known) return known;
  const config = configOf(env);
  const fresh: Shared = {
    config,
    cipher: createCipher(config.encryptionKeys),
    db: connect(env.DB),
    fetch: createFetch(config),
    startedAt: config.isDevelopment ? now() : null,
  };
  sharedByEnv.set(env, fresh);
  return fresh;
}

/**
 * The network, with the platforms' origins replaced where development asks for it. Every call is
 * judged here, whoever wrote its address and whenever: a private one is never reached.
 */
export function createFetch(config: Config, network: Fetch = (...call) => fetch(...call)): Fetch {
  const policy = { allowHttp: true, allowLoopback: config.isDevelopment };
  return async (input, init) => {
    const asked = new URL(input instanceof Request ? input.url : input);
    const replacement = config.platformOrigins[asked.origin];
    const url = replacement ? new URL(asked.href.replace(asked.origin, replacement)) : asked;
    const refusal = refusedUrl(url, policy);
    if (refusal) throw new TypeError(`Not fetched: the address ${refusal}.`);
    const options: RequestInit = { redirect: "manual", ...init };
    // The address that was judged, to the letter: nothing reads another one out of what was given.
    if (!(input instanceof Request) && !replacement) return network(url.href, options);
    const request = new Request(input, options);
    return network(replacement ? new Request(url, request) : request);
  };
}

/** Longest wait for a connection that is only tried. */
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

/**
 * The one reader of bindings.
 *
 * @throws ConfigError when a variable or secret is missing, malformed or forbidden here
 */
export function createDeps(env: Env, execution?: Pick<ExecutionContext, "waitUntil">): Deps {
  return {
    ...shared(env),
    media: env.MEDIA,
    images: env.IMAGES,
    assets: env.ASSETS,
    publishQueue: env.PUBLISH,
    collectQueue: env.PUBLISH,
    webhookQueue: env.WEBHOOKS,
    email: env.EMAIL ?? null,
    rateLimiter: env.RATE_LIMITER,
    heartbeat: env.HEARTBEAT,
    deliveryGate: env.DELIVERY_GATE,
    sandbox: env.SANDBOX_STATE,
    reaches,
    now,
    wait: (ms) => scheduler.wait(ms),
    newId: randomId,
    newEventId: () => timeSortedId("evt", now()),
    defer: (work) => execution?.waitUntil(work),
    log: (entry) => console.log(JSON.stringify(entry)),
  };
}
