import type { OwnKeyName } from "../core/instance-keys.ts";

const namesByEnv = new WeakMap<object, readonly OwnKeyName[]>();

export const noteOwnKeys = (env: object, names: readonly OwnKeyName[]): void => {
  namesByEnv.set(env, names);
};

/** The keys of a complete environment that the instance made itself. */
export const ownKeysOf = (env: object): readonly OwnKeyName[] => namesByEnv.get(env) ?? [];
