import { ask } from "../ask.ts";
import type { Service } from "./service.ts";

/** @throws Refusal when the answer is no 2xx */
export const call = <T>(
  { service, token }: { service: Service; token: string },
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<T> =>
  ask(service.origin, {
    method,
    path: `/api/v1${path}`,
    headers: { "x-api-key": token, ...(key ? { "idempotency-key": key } : {}) },
    body,
  });
