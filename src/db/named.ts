import type { Db, Query, Results } from "./client.ts";

type Part = Query<unknown> | readonly Query<unknown>[] | null | undefined;

type Answer<A> =
  A extends Query<infer T> ? T : A extends readonly Query<unknown>[] ? Results<A> : null;
type Answers<P> = { [K in keyof P]: Answer<P[K]> };

export interface Batch<T> {
  queries: readonly Query<unknown>[];
  read(results: readonly unknown[]): T;
}

/** Statements run in the order of the object's properties. The answer of an omitted statement is null. */
export function named<const P extends Record<string, Part>>(parts: P): Batch<Answers<P>> {
  const entries = Object.entries<Part>(parts);
  return {
    queries: entries.flatMap(([, part]) => part ?? []),
    read: (results) => {
      let from = 0;
      const answers = entries.map(([name, part]) => {
        const answered = results.slice(from, from + [part ?? []].flat().length);
        from += answered.length;
        return [name, Array.isArray(part) ? answered : (answered[0] ?? null)];
      });
      return Object.fromEntries(answers) as Answers<P>;
    },
  };
}

export async function runNamed<const P extends Record<string, Part>>(
  db: Db,
  parts: P,
): Promise<Answers<P>> {
  const { queries, read } = named(parts);
  return read(await db.runAll(queries));
}
