type Functions<M, N extends keyof M> = {
  [K in N]: M[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never;
};

/**
 * Loads the module at the first call, because most requests need few, and keeps it, because `import()` takes longer
 * than many functions.
 */
export function lazily<M extends object, N extends keyof M>(
  load: () => Promise<M>,
  ...names: N[]
): Functions<M, N> {
  let loaded: M | null = null;
  const call = async (name: N, args: unknown[]) => {
    loaded ??= await load();
    return (loaded[name] as (...args: unknown[]) => unknown)(...args);
  };
  return Object.fromEntries(
    names.map((name) => [name, (...args: unknown[]) => call(name, args)]),
  ) as Functions<M, N>;
}
