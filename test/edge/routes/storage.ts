import { newId, type Queue } from "../account.ts";
import { pageOf, type Route } from "../api.ts";
import { Refusal } from "../refusal.ts";

const noBucket = () => new Refusal(10_006, "The specified bucket does not exist.", 404, "storage");

const noObject = () => new Refusal(10_007, "The specified key does not exist.", 404, "storage");

/** @see https://developers.cloudflare.com/r2/buckets/create-buckets/ */
const BUCKET_NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
/** @see https://developers.cloudflare.com/queues/platform/limits/ */
const QUEUE_NAME = /^[a-zA-Z0-9]([a-zA-Z0-9_-]*[a-zA-Z0-9])?$/;

export const STORAGE_ROUTES: Route[] = [
  [
    "GET /r2/buckets",
    ({ account }) => ({
      result: {
        buckets: Object.entries(account.state.buckets).map(([name, { creation_date }]) => ({
          name,
          creation_date,
        })),
      },
    }),
  ],
  [
    "POST /r2/buckets",
    ({ account }, call) => {
      const { name } = call.json<{ name: string }>();
      if (!BUCKET_NAME.test(name)) {
        throw new Refusal(10_005, "The specified bucket name is not valid.", 400, "storage");
      }
      if (account.state.buckets[name]) {
        throw new Refusal(
          10_004,
          "The bucket you tried to create already exists, and you own it.",
          409,
          "storage",
        );
      }
      account.state.buckets[name] = { cors: null, creation_date: new Date().toISOString() };
      return { result: { name } };
    },
  ],
  [
    "GET /r2/buckets/:",
    ({ account }, { params: [name = ""] }) => {
      const bucket = account.state.buckets[name];
      if (!bucket) throw noBucket();
      return { result: { name, creation_date: bucket.creation_date } };
    },
  ],
  [
    "GET /r2/buckets/:/cors",
    ({ account }, { params: [name = ""] }) => {
      const bucket = account.state.buckets[name];
      if (!bucket) throw noBucket();
      if (!bucket.cors)
        throw new Refusal(10_059, "The CORS configuration does not exist.", 404, "storage");
      return { result: bucket.cors };
    },
  ],
  [
    "PUT /r2/buckets/:/cors",
    ({ account }, call) => {
      const bucket = account.state.buckets[call.params[0] ?? ""];
      if (!bucket) throw noBucket();
      bucket.cors = call.json<object>();
      return { result: {} };
    },
  ],
  [
    "DELETE /r2/buckets/:/cors",
    ({ account }, { params: [name = ""] }) => {
      const bucket = account.state.buckets[name];
      if (!bucket) throw noBucket();
      bucket.cors = null;
      return { result: {} };
    },
  ],
  [
    "PUT /r2/buckets/:/objects/*",
    async ({ account, runner }, { params: [bucket = "", key = ""], body }) => {
      if (!account.state.buckets[bucket]) throw noBucket();
      await runner.object("put", { bucket, key, body: body.toString("base64") });
      return { result: { key } };
    },
  ],
  [
    "GET /r2/buckets/:/objects/*",
    async ({ account, runner }, { params: [bucket = "", key = ""] }) => {
      if (!account.state.buckets[bucket]) throw noBucket();
      const { body } = await runner.object("get", { bucket, key });
      if (body === null) throw noObject();
      return { raw: { body: Buffer.from(body, "base64") } };
    },
  ],
  [
    "DELETE /r2/buckets/:/objects/*",
    async ({ account, runner }, { params: [bucket = "", key = ""] }) => {
      if (!account.state.buckets[bucket]) throw noBucket();
      await runner.object("delete", { bucket, key });
      return { result: { key } };
    },
  ],
];

const shown = (queue: Queue, producers: { script: string; type: string }[]) => ({
  queue_id: queue.queue_id,
  queue_name: queue.queue_name,
  created_on: queue.created_on,
  modified_on: queue.created_on,
  settings: queue.settings,
  producers,
  producers_total_count: producers.length,
  consumers: queue.consumer
    ? [
        {
          ...queue.consumer,
          service: queue.consumer.script,
          environment: "production",
          queue_name: queue.queue_name,
        },
      ]
    : [],
  consumers_total_count: queue.consumer ? 1 : 0,
});

interface ConsumerForm {
  type: string;
  script_name?: string;
  dead_letter_queue?: string;
  settings?: NonNullable<Queue["consumer"]>["settings"];
}

export const QUEUE_ROUTES: Route[] = [
  [
    "GET /queues",
    ({ account }, { query }) => {
      const names = query.getAll("name");
      const matches = account.state.queues.filter(
        ({ queue_name }) => names.length === 0 || names.includes(queue_name),
      );
      const producersOf = (name: string) =>
        account.state.scripts.flatMap((script) =>
          script.versions.at(-1)?.bindings.some(({ queue_name }) => queue_name === name)
            ? [{ script: script.name, type: "worker" }]
            : [],
        );
      return pageOf(
        matches.map((queue) => shown(queue, producersOf(queue.queue_name))),
        query,
        100,
      );
    },
  ],
  [
    "POST /queues",
    ({ account }, call) => {
      const { queue_name: name, settings = {} } = call.json<{
        queue_name: string;
        settings?: Queue["settings"];
      }>();
      const isValid = QUEUE_NAME.test(name) && name.length <= account.limit("queueNameLength");
      if (!isValid) {
        throw new Refusal(
          11_003,
          `Queue name ${name} is invalid: it must have 1 to ${account.limit("queueNameLength")} letters, digits, dashes and underscores.`,
        );
      }
      if (account.findQueue(name)) {
        throw new Refusal(11_009, `Queue name ${name} already exists on this account.`, 409);
      }
      if (account.state.queues.length >= account.limit("queues")) {
        throw new Refusal(
          11_008,
          `Queue limit reached: your account allows ${account.limit("queues")} queues.`,
          403,
        );
      }
      const queue: Queue = {
        queue_id: newId(),
        queue_name: name,
        created_on: new Date().toISOString(),
        consumer: null,
        settings,
      };
      account.state.queues.push(queue);
      return { result: shown(queue, []) };
    },
  ],
  [
    "POST /queues/:/consumers",
    ({ account }, call) => {
      const queue = queueById(account.state.queues, call.params[0]);
      if (queue.consumer) {
        throw new Refusal(
          11_004,
          `Queue ${queue.queue_name} already has a consumer. A queue can only have one consumer.`,
          409,
        );
      }
      queue.consumer = { consumer_id: newId(), ...toConsumer(account, call.json()) };
      return { result: queue.consumer };
    },
  ],
  [
    "PUT /queues/:/consumers/:",
    ({ account }, call) => {
      const queue = queueById(account.state.queues, call.params[0]);
      const consumer_id = queue.consumer?.consumer_id;
      if (!consumer_id || consumer_id !== call.params[1]) {
        throw new Refusal(11_000, `Queue ${queue.queue_name} has no consumer of this id.`, 404);
      }
      queue.consumer = { consumer_id, ...toConsumer(account, call.json()) };
      return { result: queue.consumer };
    },
  ],
  [
    "DELETE /queues/:/consumers/:",
    ({ account }, call) => {
      queueById(account.state.queues, call.params[0]).consumer = null;
      return { result: {} };
    },
  ],
];

function queueById(queues: Queue[], id: string | undefined): Queue {
  const queue = queues.find(({ queue_id }) => queue_id === id);
  if (!queue) throw new Refusal(11_000, `Queue ${id} not found.`, 404);
  return queue;
}

/** @throws Refusal for a script without a queue handler, and for settings past their limits */
function toConsumer(
  account: Parameters<Route[1]>[0]["account"],
  { type, script_name: name = "", dead_letter_queue: dead, settings = {} }: ConsumerForm,
) {
  const script = account.script(name);
  if (!script.versions.at(-1)?.handlers.includes("queue")) {
    throw new Refusal(
      11_001,
      "Queue consumer is missing a queue handler. Export a queue handler from your Worker.",
    );
  }
  const bounds = [
    ["batch_size", settings.batch_size, account.limit("batchMessages")],
    ["max_wait_time_ms", settings.max_wait_time_ms, account.limit("batchWaitMs")],
    ["max_retries", settings.max_retries, account.limit("messageRetries")],
    ["retry_delay", settings.retry_delay, account.limit("delaySeconds")],
  ] as const;
  for (const [field, value, max] of bounds) {
    if (value !== undefined && (value < 0 || value > max)) {
      throw new Refusal(
        10_004,
        `Parameter ${field} is malformed: it must be between 0 and ${max}.`,
      );
    }
  }
  if (dead && !account.findQueue(dead)) {
    throw new Refusal(11_000, `Queue ${dead} not found.`, 404);
  }
  return { type, script: name, dead_letter_queue: dead ?? null, settings };
}
