import { SECOND } from "./time.ts";
import { refusedUrl } from "./url-policy.ts";

/** For webhooks and chats; the spec is silent. */
export const MAX_URL_CHARACTERS = 2_048;

/**
 * A webhook is switched off after this many events in a row that failed all attempts. Source: spec,
 * "Events", delivery rule 3. Spec is silent: test pings and replays do not count.
 */
export const MAX_FAILURES = 3;

/** Returns the reason for a refusal, or null. Every delivery attempt checks again. */
export function refusedTarget(
  url: string,
  { isDevelopment, publicUrl }: { isDevelopment: boolean; publicUrl: string | null },
): string | null {
  const ownHosts = publicUrl && !isDevelopment ? [new URL(publicUrl).host] : [];
  return refusedUrl(url, { allowHttp: isDevelopment, allowLoopback: isDevelopment, ownHosts });
}

/** Failed events that one call sends again. */
export const MAX_REPLAYED = 500;

/** From the connection to the status line. Source: spec, "Time limits". */
export const ANSWER_MS = 10 * SECOND;

/** Source: spec, "Events". */
export const HEADERS = {
  event: "X-Webhook-Event",
  id: "X-Webhook-ID",
  timestamp: "X-Webhook-Timestamp",
  signature: "X-Webhook-Signature",
} as const;
