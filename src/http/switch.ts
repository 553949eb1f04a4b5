import { getPath } from "hono/utils/url";

/** Something that answers requests, such as a Hono app. */
export interface Door {
  fetch(request: Request, env?: object, execution?: ExecutionContext): Response | Promise<Response>;
}

/**
 * Creates a door with others behind it, each opened by the first request for it.
 *
 * @param keyOf tells by the path which of them answers; a few keys, whatever paths callers think of
 */
export function createSwitch<K>(keyOf: (path: string) => K, open: (key: K) => Promise<Door>) {
  const opened = new Map<K, Door>();
  return {
    async fetch(request: Request, env?: object, execution?: ExecutionContext): Promise<Response> {
      const key = keyOf(getPath(request));
      // Two first requests may both open it; a shared promise would end with the request that began it.
      const door = opened.get(key) ?? (await open(key));
      opened.set(key, door);
      return door.fetch(request, env, execution);
    },
  };
}
