interface Producer {
  binding: string;
  queue: string;
}

interface Consumer {
  queue: string;
  dead_letter_queue?: string;
}

interface Database {
  binding: string;
  database_name: string;
  database_id: string;
}

interface Bucket {
  binding: string;
  bucket_name: string;
}

/** What the programs of the folder read of a configuration of wrangler. */
export interface RepoConfig {
  name: string;
  vars: Record<string, string>;
  d1_databases: Database[];
  r2_buckets: Bucket[];
  queues: { producers: Producer[]; consumers: Consumer[] };
  [key: string]: unknown;
}

/** `akimbo-publish` where there is no name; the Worker knows a queue by the end of its name. */
function queueName(found: string | undefined, expected: string): string {
  const end = expected.replace(/^akimbo-/, "");
  if (!found) return expected;
  return found.endsWith(end) ? found : `${found}-${end}`;
}

/** What belongs to the release, whatever wrangler.jsonc says. */
const RELEASED = [
  "main",
  "no_bundle",
  "rules",
  "upload_source_maps",
  "compatibility_date",
  "compatibility_flags",
  "assets",
  "images",
  "durable_objects",
  "migrations",
  "triggers",
];

function named<T extends { binding: string }>(
  list: readonly Partial<T>[] | undefined,
  binding: string,
): Partial<T> {
  return (list ?? []).find((one) => one.binding === binding) ?? {};
}

/**
 * The configuration of this release, with what wrangler.jsonc says about your account: names, ids, variables, routes.
 * A name that the provisioning lost is the default again.
 */
export function mergeConfig(defaults: RepoConfig, own: Partial<RepoConfig>): RepoConfig {
  const queues = new Map(
    defaults.queues.producers.map(({ binding, queue }) => [
      queue,
      queueName(named<Producer>(own.queues?.producers, binding).queue, queue),
    ]),
  );
  const rename = (queue: string) => queues.get(queue) ?? queue;
  return {
    ...defaults,
    ...own,
    ...Object.fromEntries(RELEASED.map((key) => [key, defaults[key]])),
    name: own.name || defaults.name,
    vars: { ...defaults.vars, ...own.vars },
    d1_databases: defaults.d1_databases.map((one) => {
      const { database_name: name, database_id: id } = named<Database>(
        own.d1_databases,
        one.binding,
      );
      return { ...one, database_name: name || one.database_name, database_id: id || "" };
    }),
    r2_buckets: defaults.r2_buckets.map((one) => ({
      ...one,
      bucket_name: named<Bucket>(own.r2_buckets, one.binding).bucket_name || one.bucket_name,
    })),
    queues: {
      producers: defaults.queues.producers.map((one) => ({ ...one, queue: rename(one.queue) })),
      consumers: defaults.queues.consumers.map((one) => ({
        ...one,
        queue: rename(one.queue),
        ...(one.dead_letter_queue ? { dead_letter_queue: rename(one.dead_letter_queue) } : {}),
      })),
    },
  };
}
