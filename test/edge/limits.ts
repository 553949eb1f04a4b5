/** The plans of an account of Cloudflare Workers. */
export type Plan = "free" | "paid";

/** What an account may have at most, by plan, and the page that says so. */
interface Limit {
  free: number;
  paid: number;
  page: string;
}

const MEBIBYTE = 1_048_576;
const MEGABYTE = 1_000_000;
const GIGABYTE = 1_000_000_000;

const WORKERS = "https://developers.cloudflare.com/workers/platform/limits/";
const D1 = "https://developers.cloudflare.com/d1/platform/limits/";
const QUEUES = "https://developers.cloudflare.com/queues/platform/limits/";
const DURABLE_OBJECTS = "https://developers.cloudflare.com/durable-objects/platform/limits/";
const VERSIONS =
  "https://developers.cloudflare.com/workers/configuration/versions-and-deployments/";

const both = (value: number, page: string): Limit => ({ free: value, paid: value, page });

export const LIMITS = {
  workers: { free: 100, paid: 500, page: WORKERS },
  /** All modules together, without source maps and without compression. */
  scriptBytes: both(64 * MEBIBYTE, WORKERS),
  /** Variables and secrets of one Worker together. */
  textBindings: { free: 64, paid: 128, page: WORKERS },
  textBindingBytes: both(5_120, WORKERS),
  /** Of all Workers of the account together. */
  cronTriggers: { free: 5, paid: 250, page: WORKERS },
  assetFiles: { free: 20_000, paid: 100_000, page: WORKERS },
  assetBytes: both(25 * MEBIBYTE, WORKERS),
  metadataBytes: both(MEBIBYTE, D1),
  /** The free plan cannot set a limit of CPU time at all. */
  cpuMs: { free: 0, paid: 300_000, page: WORKERS },
  deploymentVersions: both(2, VERSIONS),
  /** Only this many of the newest versions can be deployed. */
  deployableVersions: both(100, VERSIONS),
  databases: { free: 10, paid: 50_000, page: D1 },
  databaseBytes: { free: 500 * MEGABYTE, paid: 10 * GIGABYTE, page: D1 },
  statementBytes: both(100_000, D1),
  /** One value, and one row. */
  rowBytes: both(2 * MEGABYTE, D1),
  boundParameters: both(100, D1),
  timeTravelDays: { free: 7, paid: 30, page: D1 },
  queues: both(10_000, QUEUES),
  queueNameLength: both(63, QUEUES),
  batchMessages: both(100, QUEUES),
  batchWaitMs: both(60_000, QUEUES),
  messageRetries: both(100, QUEUES),
  messageBytes: both(128_000, QUEUES),
  /** All messages of one call of `sendBatch` together. */
  sentBatchBytes: both(256_000, QUEUES),
  delaySeconds: both(43_200, QUEUES),
  durableObjectClasses: { free: 100, paid: 500, page: DURABLE_OBJECTS },
} satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

/** Limits that replace those of the plan, so that a test need not fill a database to its limit. */
export type LimitOverrides = Partial<Record<LimitName, number>>;
