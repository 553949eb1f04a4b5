type Functions<M, N extends keyof M> = {
  [K in N]: M[K] extends (...given: infer A) => infer R
    ? (...given: A) => Promise<Awaited<R>>
    : never;
};

/**
 * Returns the named functions of a module, which is loaded with their first call: most requests only check what
 * they are given. It is looked up once, as the runtime takes longer for that than many a function does.
 */
export function lazily<M extends object, N extends keyof M>(
  load: () => Promise<M>,
  ...names: N[]
): Functions<M, N> {
  let loaded: M | null = null;
  const call = async (name: N, given: unknown[]) => {
    loaded ??= await load();
    return (loaded[name] as (...given: unknown[]) => unknown)(...given);
  };
  return Object.fromEntries(
    names.map((name) => [name, (...given: unknown[]) => call(name, given)]),
  ) as Functions<M, N>;
}
