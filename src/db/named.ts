import type { Db, Query, Results } from "./client.ts";

/** One statement, several, or none. */
type Asked = Query<unknown> | readonly Query<unknown>[] | null | undefined;

type Answer<A> =
  A extends Query<infer T> ? T : A extends readonly Query<unknown>[] ? Results<A> : null;
type Answers<P> = { [K in keyof P]: Answer<P[K]> };

/** Statements of one round trip, in their order, and how to read their answers. */
export interface Batch<T> {
  queries: readonly Query<unknown>[];
  read(results: readonly unknown[]): T;
}

/**
 * Names statements of which some may be left out. They run in the order of their names; the answer of a
 * statement that is left out is null.
 */
export function named<const P extends Record<string, Asked>>(parts: P): Batch<Answers<P>> {
  const asked = Object.entries<Asked>(parts);
  return {
    queries: asked.flatMap(([, part]) => part ?? []),
    read: (results) => {
      let from = 0;
      const answers = asked.map(([name, part]) => {
        const answered = results.slice(from, from + [part ?? []].flat().length);
        from += answered.length;
        return [name, Array.isArray(part) ? answered : (answered[0] ?? null)];
      });
      return Object.fromEntries(answers) as Answers<P>;
    },
  };
}

/** Runs statements of which some may be left out, in one round trip, and answers by their names. */
export async function runNamed<const P extends Record<string, Asked>>(
  db: Db,
  parts: P,
): Promise<Answers<P>> {
  const { queries, read } = named(parts);
  return read(await db.runAll(queries));
}
