/** The operations that take an Idempotency-Key. A test compares them with the OpenAPI document. */
export const KEYED_CALLS: ReadonlySet<string> = new Set([
  "/api/v1/pools/{id}/videos",
  "/api/v1/pools/{id}/videos/bulk",
  "/api/v1/short-links",
  "/api/v1/upload",
  "/api/v1/upload/bulk",
  "/api/v1/upload/presign",
  "/api/v1/upload/{id}/retry",
  "/api/v1/webhooks",
]);

/** `randomUUID` is missing on pages without https. */
const newKey = (): string =>
  crypto
    .getRandomValues(new Uint8Array(16))
    .reduce((hex, byte) => hex + byte.toString(16).padStart(2, "0"), "");

/** Gives a call a key of its own, so that it may be repeated; a key of the caller stays. */
export function addKey(request: Request, path: string): void {
  if (request.method !== "POST" || !KEYED_CALLS.has(path)) return;
  if (!request.headers.has("Idempotency-Key")) request.headers.set("Idempotency-Key", newKey());
}
