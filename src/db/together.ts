import type { Db, Query } from "./client.ts";

interface Call {
  queries: readonly Query<unknown>[];
  resolve(results: unknown[]): void;
  reject(error: unknown): void;
}

/** After a failed batch, sends the calls one by one, so that none fails because of another. */
async function send(db: Db, calls: readonly Call[]): Promise<void> {
  const [only, ...others] = calls;
  if (only && others.length === 0) {
    await db.runAll(only.queries).then(only.resolve, only.reject);
    return;
  }
  try {
    const results = await db.runAll(calls.flatMap(({ queries }) => queries));
    for (const { queries, resolve } of calls) resolve(results.splice(0, queries.length));
  } catch {
    for (const { queries, resolve, reject } of calls) {
      await db.runAll(queries).then(resolve, reject);
    }
  }
}

/**
 * Runs functions concurrently and merges their database calls: once each of them waits or is done,
 * their statements go out as one batch.
 */
export function runTogether<T>(
  db: Db,
  works: readonly ((db: Db) => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  let running = works.length;
  let waiting: Call[] = [];
  const sendOnceAllWait = () => {
    if (waiting.length === 0 || waiting.length < running) return;
    const calls = waiting;
    waiting = [];
    void send(db, calls);
  };
  const runAll = <R>(queries: readonly Query<R>[]) =>
    new Promise<R[]>((resolve, reject) => {
      const call = { queries, resolve: resolve as Call["resolve"], reject };
      waiting.push(call);
      sendOnceAllWait();
    });
  const joined: Db = {
    runAll,
    run: async (queries) => (await runAll<unknown>(queries)) as never,
  };
  const doing = works.map(async (work) => {
    try {
      return await work(joined);
    } finally {
      running--;
      sendOnceAllWait();
    }
  });
  return Promise.allSettled(doing);
}
