import { env } from "cloudflare:workers";
import type { Harness } from "./harness.ts";

/** One statement as the database saw it. */
export interface Statement {
  sql: string;
  params: unknown[];
  rowsRead: number;
  rowsWritten: number;
}

/** Everything that some work cost. The database counts rows as it bills them: exact, and repeatable. */
export interface Costs {
  /** The statements of each call to the database, in order: a batch is one call. */
  roundTrips: Statement[][];
  rowsRead: number;
  rowsWritten: number;
  /** Messages of each call to the queue, in order. */
  queueSends: number[];
  /** Calls to object storage by name: "get", "put", "delete", … */
  storageCalls: string[];
  /** Calls to platforms: method and path. */
  fetches: string[];
}

interface RawStatement {
  sql: string;
  params?: unknown[];
}

interface RawResult {
  meta: { rows_read: number; rows_written: number };
}

/**
 * The door below D1's API, a private detail of the runtime that is known here and nowhere else. Every
 * statement passes it once, however it was sent.
 */
interface Door {
  fetcher: { fetch(url: string, init: { body: string }): Promise<Response> };
}

const doors = (): Door[] => {
  const database = env.DB as unknown as Door & { alwaysPrimarySession: Door };
  return [database, database.alwaysPrimarySession];
};

function meterDatabase(onCall: (statements: Statement[]) => void): () => void {
  const restores = doors().map((door) => {
    const { fetcher } = door;
    door.fetcher = {
      fetch: async (url, init) => {
        const response = await fetcher.fetch(url, init);
        const results = [await response.clone().json<RawResult | RawResult[]>()].flat();
        const statements = [JSON.parse(init.body) as RawStatement | RawStatement[]].flat();
        onCall(
          statements.map(({ sql, params = [] }, i) => ({
            sql,
            params,
            rowsRead: results[i]?.meta?.rows_read ?? 0,
            rowsWritten: results[i]?.meta?.rows_written ?? 0,
          })),
        );
        return response;
      },
    };
    return () => {
      door.fetcher = fetcher;
    };
  });
  return () => {
    for (const restore of restores) restore();
  };
}

/** The same object, whose method calls are told by name. */
function tellCalls<T extends object>(target: T, onCall: (method: string) => void): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        onCall(String(name));
        return value.apply(object, args);
      };
    },
  });
}

/** Does `work`, and what it has left for after its answer; what both cost together. */
export async function measure<T>(
  harness: Harness,
  work: () => Promise<T>,
): Promise<{ costs: Costs; result: T }> {
  const roundTrips: Statement[][] = [];
  const queueSends: number[] = [];
  const storageCalls: string[] = [];
  const fetches: string[] = [];

  const { deps } = harness;
  const { publishQueue, media, fetch } = deps;
  deps.media = tellCalls(media, (method) => storageCalls.push(method));
  deps.publishQueue = {
    send: (message: Parameters<typeof publishQueue.send>[0], options?: QueueSendOptions) => {
      queueSends.push(1);
      return publishQueue.send(message, options);
    },
    sendBatch: (messages: Parameters<typeof publishQueue.sendBatch>[0]) => {
      const all = [...messages];
      queueSends.push(all.length);
      return publishQueue.sendBatch(all);
    },
  } as typeof publishQueue;
  deps.fetch = (input, init) => {
    const request = new Request(input, init);
    fetches.push(`${request.method} ${new URL(request.url).pathname}`);
    return fetch(request);
  };
  const restoreDatabase = meterDatabase((statements) => roundTrips.push(statements));
  try {
    const result = await work();
    await harness.settle();
    const statements = roundTrips.flat();
    const total = (count: (statement: Statement) => number) =>
      statements.reduce((sum, statement) => sum + count(statement), 0);
    const costs: Costs = {
      roundTrips,
      rowsRead: total(({ rowsRead }) => rowsRead),
      rowsWritten: total(({ rowsWritten }) => rowsWritten),
      queueSends,
      storageCalls,
      fetches,
    };
    return { costs, result };
  } finally {
    restoreDatabase();
    Object.assign(deps, { publishQueue, media, fetch });
  }
}
