import type { Deps } from "../deps.ts";

/**
 * Subrequests of one tick: each call to the database, the network, the storage, the queue or the mail is one.
 * Source: Cloudflare, "Workers limits" and "D1 limits", free plan.
 */
const MAX_SUBREQUESTS = 50;

/** Calls that are made after the chores: the rounds that are done, and the heartbeat. */
const KEPT_BACK = 2;

/** The calls that a tick may still make. */
export interface Budget {
  /** The same dependencies, whose calls are counted. */
  deps: Deps;
  /** Returns true where so many calls more are within the limit. */
  allows(calls: number): boolean;
}

/** Counts the calls of a tick. */
export function countCalls(deps: Deps): Budget {
  let spent = 0;
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value = Reflect.get(object, name);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          spent++;
          return value.apply(object, given);
        };
      },
    });
  return {
    deps: {
      ...deps,
      db: counted(deps.db),
      media: counted(deps.media),
      publishQueue: counted(deps.publishQueue),
      collectQueue: counted(deps.collectQueue),
      webhookQueue: counted(deps.webhookQueue),
      email: deps.email && counted(deps.email),
      fetch: (input, init) => {
        spent++;
        return deps.fetch(input, init);
      },
    },
    allows: (calls) => spent + calls <= MAX_SUBREQUESTS - KEPT_BACK,
  };
}
