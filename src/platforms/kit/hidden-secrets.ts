import type { Fetch } from "../connector.ts";

export const withoutSecret = (text: string, secret: string): string =>
  text.replaceAll(secret, "[hidden]");

/** For addresses that contain a login: errors of the network may repeat the address. */
export const hidingFetch =
  (fetch: Fetch, secret: string): Fetch =>
  async (...call) => {
    try {
      return await fetch(...call);
    } catch (error) {
      if (error instanceof Error) {
        for (const name of ["message", "stack"] as const) {
          const value = withoutSecret(error[name] ?? "", secret);
          Object.defineProperty(error, name, { value, configurable: true, writable: true });
        }
      }
      throw error;
    }
  };
