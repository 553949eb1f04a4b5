type Functions<M, N extends keyof M> = {
  [K in N]: M[K] extends (...given: infer A) => infer R
    ? (...given: A) => Promise<Awaited<R>>
    : never;
};

/**
 * Returns the named functions of a module, each of which loads it with its first call: most requests only
 * check what they are given.
 */
export const lazily = <M extends object, N extends keyof M>(
  load: () => Promise<M>,
  ...names: N[]
): Functions<M, N> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      async (...given: unknown[]) =>
        ((await load())[name] as (...given: unknown[]) => unknown)(...given),
    ]),
  ) as Functions<M, N>;
