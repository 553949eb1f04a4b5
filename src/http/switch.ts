import { getPath } from "hono/utils/url";

export interface Door {
  fetch(request: Request, env?: object, execution?: ExecutionContext): Response | Promise<Response>;
}

/** @param keyOf must have few results, whatever paths callers send */
export function createSwitch<K>(keyOf: (path: string) => K, open: (key: K) => Promise<Door>) {
  const opened = new Map<K, Door>();
  return {
    async fetch(request: Request, env?: object, execution?: ExecutionContext): Promise<Response> {
      const key = keyOf(getPath(request));
      // Concurrent first requests may load the same app: a shared promise would be cancelled with its request.
      const door = opened.get(key) ?? (await open(key));
      opened.set(key, door);
      return door.fetch(request, env, execution);
    },
  };
}
