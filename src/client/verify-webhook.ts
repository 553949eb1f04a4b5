import { isSigned } from "../core/signature.ts";
import type { components } from "./.generated/api.ts";

export interface WebhookOptions {
  /** How old a signature may be. Default: five minutes. */
  toleranceSeconds?: number;
  /** Epoch milliseconds. Default: the clock of the machine. */
  now?: number;
}

/** A request that Akimbo has not signed with this secret, or that is too old. */
export class InvalidWebhook extends Error {
  override readonly name = "InvalidWebhook";
}

const TOLERANCE_SECONDS = 300;

const toText = (body: string | Uint8Array): string =>
  typeof body === "string"
    ? body
    : new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(body);

/**
 * Returns the event that Akimbo has sent.
 *
 * @param body as it came, before any parser
 * @throws InvalidWebhook for a request that is not from Akimbo, or was recorded before
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: WebhookOptions = {},
): Promise<components["schemas"]["Event"]> {
  const timestamp = readHeader(headers, "x-webhook-timestamp");
  if (!/^\d{1,11}$/.test(timestamp)) {
    throw new InvalidWebhook("X-Webhook-Timestamp is missing, or not a number of seconds.");
  }
  const text = toText(body);
  const signature = readHeader(headers, "x-webhook-signature").toLowerCase();
  if (!(await isSigned(secret, `${timestamp}.${text}`, signature))) {
    throw new InvalidWebhook("X-Webhook-Signature does not fit the body and the secret.");
  }
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) {
    const age = `more than ${toleranceSeconds} seconds old, or of the future`;
    throw new InvalidWebhook(`The signature is ${age}.`);
  }
  return JSON.parse(text);
}

function readHeader(
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  name: string,
): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const [, value = ""] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? [];
  return [value].flat()[0] ?? "";
}
