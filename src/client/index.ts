import createClient, { type Client } from "openapi-fetch";
import type { components, operations, paths } from "./.generated/api.ts";
import { type EventOptions, readEvents } from "./events.ts";
import { addKey } from "./idempotency.ts";
import { withRetries } from "./retry.ts";
import { type StoredFile, type UploadOptions, upload } from "./upload.ts";
import { type WaitOptions, waitFor } from "./wait-for.ts";

export { AkimboError, type FieldError } from "./error.ts";
export { InvalidWebhook, verifyWebhook, type WebhookOptions } from "./verify-webhook.ts";
export { WaitTimeout } from "./wait-for.ts";
export type { components, EventOptions, operations, paths, StoredFile, UploadOptions, WaitOptions };

/** API objects, such as `Schemas["Upload"]`. */
export type Schemas = components["schemas"];

export interface Akimbo extends Client<paths> {
  /**
   * Sends a file of up to 10 GiB straight to storage, large ones in parts. Its `bucketUrl` is the `video` or `photo`
   * of a post.
   *
   * @throws AkimboError
   */
  upload(file: Blob, options?: UploadOptions): Promise<StoredFile>;
  /**
   * Waits until a post is published, has failed, or waits for its time or for a person.
   *
   * @param post its number, or the answer to the call that made it
   * @throws WaitTimeout, AkimboError
   */
  waitFor(post: number | { uploadId: number }, options?: WaitOptions): Promise<Schemas["Upload"]>;
  /**
   * Yields the team's events, oldest first.
   *
   * @throws AkimboError
   */
  events(options?: EventOptions): AsyncGenerator<Schemas["Event"], void, void>;
}

export interface AkimboOptions {
  /** Such as https://akimbo.example.workers.dev. */
  url: string;
  /** kmb_ and 64 hexadecimal digits. */
  token: string;
  /** Used instead of the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
  /**
   * How often a call is repeated where that is safe: after 429 as Retry-After says; after a lost connection or a
   * failure of the server only what reads, and what has an Idempotency-Key. Default: 4.
   */
  retries?: number;
}

const RETRIES = 4;

/**
 * Creates a client of an instance. Each call returns the `response`, and either `data` or the API's `error`. Calls
 * that take an Idempotency-Key get one.
 *
 * @example
 * const akimbo = createAkimbo({ url, token });
 * const { data, error } = await akimbo.GET("/api/v1/accounts");
 */
export function createAkimbo({
  url,
  token,
  fetch = (request) => globalThis.fetch(request),
  retries = RETRIES,
}: AkimboOptions): Akimbo {
  const headers = { "x-api-key": token };
  const send = withRetries(fetch, { retries });
  const client = createClient<paths>({ baseUrl: url, headers, fetch: (request) => send(request) });
  client.use({ onRequest: ({ request, schemaPath }) => addKey(request, schemaPath) });
  return Object.assign(client, {
    upload: (file: Blob, options?: UploadOptions) => upload(client, send, file, options),
    waitFor: (post: number | { uploadId: number }, options?: WaitOptions) =>
      waitFor(client, typeof post === "number" ? post : post.uploadId, options),
    events: (options?: EventOptions) => readEvents(client, options),
  });
}

/**
 * Makes the form of an operation that takes files: pass this function to the call as `bodySerializer`. A list becomes a
 * repeated field, and fields that are undefined or null are left out.
 */
export function toForm(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) {
      if (one instanceof File) form.append(name, one, one.name);
      else if (one instanceof Blob) form.append(name, one, "file");
      else if (one !== undefined && one !== null) form.append(name, String(one));
    }
  }
  return form;
}
