import { missingKeys, type OwnKeyName } from "../core/instance-keys.ts";
import { bringUpToDate, type Installation, theInstallation } from "./installation.ts";
import { noteOwnKeys } from "./own-keys.ts";

interface Bindings {
  INSTALLATION?: DurableObjectNamespace<Installation>;
}

const completeByEnv = new WeakMap<object, object>();

/**
 * Adds the keys that the instance made itself where variables and secrets lack them. An environment that lacks none
 * is returned as it is, at once; another costs the first request of each isolate one call.
 */
export function completeEnv<E extends Bindings>(env: E): E | Promise<E> {
  const existing = completeByEnv.get(env) as E | undefined;
  if (existing) return existing;
  const names = missingKeys(env);
  if (names.length > 0 && env.INSTALLATION) return addKeys(env, names, env.INSTALLATION);
  completeByEnv.set(env, env);
  return env;
}

async function addKeys<E extends Bindings>(
  env: E,
  names: readonly OwnKeyName[],
  installation: DurableObjectNamespace<Installation>,
): Promise<E> {
  const { keys, isCurrent } = await theInstallation(installation).open();
  const complete = { ...env, ...Object.fromEntries(names.map((name) => [name, keys[name]])) };
  noteOwnKeys(complete, names);
  if (!isCurrent) {
    const { failure } = await bringUpToDate(installation);
    // A call that meets a missing table, the next tick and the page /claim try again.
    if (failure !== null) {
      console.log(JSON.stringify({ event: "migrations.failed", error: failure }));
    }
  }
  // One object for all calls: configuration, clock and caches are kept by the environment.
  const first = completeByEnv.get(env) as E | undefined;
  if (!first) completeByEnv.set(env, complete);
  return first ?? complete;
}
