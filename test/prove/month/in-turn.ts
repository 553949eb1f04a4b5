/** Calls that are on their way at the same time. */
const AT_ONCE = 4;

/** Does the work of each, a few at a time. */
export async function inTurn<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const rest = list.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [i, one] of rest) results[i] = await work(one);
    }),
  );
  return results;
}
