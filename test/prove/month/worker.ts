import { leapTo } from "../../../src/cron/leap.ts";
import { createDeps, type Env } from "../../../src/deps.ts";
import { QueuesInMemory } from "../../../src/queue/in-memory.ts";
import worker from "../../../src/worker.ts";
import { type Bill, EMPTY_BILL, type Statement } from "./doors.ts";

export * from "../../../src/worker.ts";

let bill: Bill = { ...EMPTY_BILL };

const { add } = QueuesInMemory.prototype;
QueuesInMemory.prototype.add = function (this: QueuesInMemory, ...message) {
  bill.messages++;
  add.apply(this, message);
};

/** D1's own way to the database, a private detail of the runtime. */
interface Way {
  fetcher: { fetch(url: string, init: RequestInit): Promise<Response> };
}

interface Answer {
  meta?: { rows_read: number; rows_written: number };
}

const metered = new WeakSet<Way>();

function meter(way: Way): void {
  if (metered.has(way)) return;
  metered.add(way);
  const { fetcher } = way;
  way.fetcher = {
    fetch: async (url, init) => {
      const response = await fetcher.fetch(url, init);
      const answers = [await response.clone().json<Answer | Answer[]>()].flat();
      bill.roundTrips++;
      for (const { meta } of answers) {
        bill.rowsRead += meta?.rows_read ?? 0;
        bill.rowsWritten += meta?.rows_written ?? 0;
      }
      return response;
    },
  };
}

const WRITES = ["put", "list", "createMultipartUpload", "resumeMultipartUpload"];
const READS = ["get", "head"];

const withCountedCalls = (bucket: R2Bucket): R2Bucket =>
  new Proxy(bucket, {
    get(target, name) {
      if (WRITES.includes(String(name))) bill.objectWrites++;
      if (READS.includes(String(name))) bill.objectReads++;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const known = new WeakMap<Env, Env>();

function billed(env: Env): Env {
  const database = env.DB as unknown as Way & { alwaysPrimarySession: Way };
  meter(database);
  meter(database.alwaysPrimarySession);
  const same = known.get(env);
  if (same) return same;
  const fresh = { ...env, ...(env.MEDIA ? { MEDIA: withCountedCalls(env.MEDIA) } : {}) };
  known.set(env, fresh);
  return fresh;
}

/** Does something that is not on the bill. */
async function unbilled<T>(work: () => Promise<T>): Promise<T> {
  const before = { ...bill };
  const result = await work();
  bill = before;
  return result;
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Leaps and the batches of the local queue take turns. Beside a leap, a batch would see minutes pass within one of its
 * calls, and its lease would end.
 */
function inTurn(work: () => Promise<void>): Promise<void> {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

/** Akimbo as it is, with a few doors for the harness alone, and with every call counted. */
export default {
  ...worker,
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    switch (new URL(request.url).pathname) {
      case "/month/leap": {
        const { at, ticks } = await request.json<{ at: number; ticks: number }>();
        bill.requests += ticks;
        await inTurn(() => leapTo(createDeps(billed(env)), new Date(at), ticks));
        return Response.json({});
      }
      case "/month/bill": {
        const sum = bill;
        bill = { ...EMPTY_BILL };
        return Response.json(sum);
      }
      case "/month/sql": {
        const statements = await request.json<Statement[]>();
        const results = await unbilled(() =>
          env.DB.batch(statements.map(({ sql, params }) => env.DB.prepare(sql).bind(...params))),
        );
        return Response.json(results.map((one) => one.results));
      }
      default:
        bill.requests++;
        return worker.fetch(request, billed(env), context);
    }
  },
  queue(batch: MessageBatch, env: Env) {
    bill.messages += batch.messages.length;
    return inTurn(async () => {
      const deferred: Promise<unknown>[] = [];
      const context = { waitUntil: (work: Promise<unknown>) => void deferred.push(work) };
      await worker.queue(batch as never, billed(env), context as ExecutionContext);
      await Promise.all(deferred);
    });
  },
} satisfies ExportedHandler<Env>;
