import type { Service } from "./service.ts";

const CALL_MS = 60_000;

export class Refusal extends Error {}

/** @throws Refusal when the answer is no 2xx */
export async function call<T>(
  { service, token }: { service: Service; token: string },
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<T> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${service.origin}/api/v1${path}`, {
    method,
    headers: {
      "x-api-key": token,
      ...(key ? { "idempotency-key": key } : {}),
      ...(body && !isForm ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(CALL_MS),
  });
  const text = await response.text();
  if (!response.ok) {
    throw new Refusal(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  }
  return JSON.parse(text) as T;
}
