import type { Deps } from "../../src/deps.ts";

type Results = unknown[];

/** Runs a batch, or does not; sees its statements and parameters as JSON. */
export type Around = (run: () => Promise<Results>, text: string) => Promise<Results>;

/** Has every batch pass by `around`. The function that comes back ends it. */
export function aroundBatches({ deps }: { deps: Deps }, around: Around): () => void {
  const { db } = deps;
  const runAll: typeof db.runAll = (queries) =>
    around(() => db.runAll(queries), JSON.stringify(queries)) as never;
  deps.db = { runAll, run: runAll as unknown as typeof db.run };
  return () => {
    deps.db = db;
  };
}

/** Loses the database's answer to every batch that stores a post. The returned function ends it. */
export const loseStoredAnswers = (harness: { deps: Deps }): (() => void) =>
  aroundBatches(harness, async (run, text) => {
    const results = await run();
    if (text.includes('"INSERT INTO uploads')) {
      throw new Error("D1_ERROR: Network connection lost.");
    }
    return results;
  });

/** The same dependencies, whose second call to the database waits for others, who come between the two. */
export function delaySecondCall(deps: Deps, until: Promise<unknown>): Deps {
  const delayed = { deps: { ...deps } };
  let calls = 0;
  const around: Around = async (run) => {
    if (++calls === 2) await until;
    return run();
  };
  aroundBatches(delayed, around);
  return delayed.deps;
}
