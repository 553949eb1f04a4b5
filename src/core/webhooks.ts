import { refusedUrl } from "./url-policy.ts";

/** Longest URL of a webhook, or of a chat. Spec is silent. */
export const MAX_URL_CHARACTERS = 2_048;

/**
 * Events in a row that fail all attempts until the webhook is switched off. Source: spec, "Events", delivery rule 3. Spec is
 * silent: test pings and replays count neither way, as they are sent at somebody's wish.
 */
export const MAX_FAILURES = 3;

/** Returns why nothing is sent to an address; null where it is. Asked again at every attempt. */
export function refusedTarget(
  url: string,
  { isDevelopment, publicUrl }: { isDevelopment: boolean; publicUrl: string | null },
): string | null {
  const ownHosts = publicUrl && !isDevelopment ? [new URL(publicUrl).host] : [];
  return refusedUrl(url, { allowHttp: isDevelopment, allowLoopback: isDevelopment, ownHosts });
}
