import { request as send } from "node:http";

const CALL_MS = 60_000;

/** The service answered, and the answer is no 2xx. */
export class Refusal extends Error {}

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: object | undefined;
  timeoutMs?: number;
}

/**
 * A call over a connection of its own: one that is kept may be closed from the other side just then.
 *
 * @param body a form, or an object that is sent as JSON
 * @throws Refusal
 */
export async function ask<T>(origin: string, sent: Sent): Promise<T> {
  const { method, path, body, timeoutMs = CALL_MS } = sent;
  const packed = body instanceof FormData ? new Response(body) : Response.json(body ?? {});
  const bytes = body ? Buffer.from(await packed.arrayBuffer()) : Buffer.alloc(0);
  const headers = {
    ...sent.headers,
    ...(body ? { "content-type": packed.headers.get("content-type") ?? "" } : {}),
    "content-length": bytes.length,
  };
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const request = send(origin + path, { method, agent: false, headers }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
    });
    response.on("error", reject);
    response.on("end", () => {
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) resolve(JSON.parse(text) as T);
      else reject(new Refusal(`${method} ${path}: ${statusCode} ${text.slice(0, 500)}`));
    });
  });
  request.on("error", reject);
  request.setTimeout(timeoutMs, () =>
    request.destroy(new Error(`${path} did not answer in ${timeoutMs} ms.`)),
  );
  request.end(bytes);
  return promise;
}
