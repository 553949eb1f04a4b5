import type { Place } from "../features/links/repo/places.ts";

/** Hosts by which an address is known as one of short links. */
export interface Hosts {
  /** The instance's own; null: it is known by its name. */
  publicHost: string | null;
  shortHost: string | null;
  isDevelopment: boolean;
}

/** Reads the variables that say it, as they stand: the door itself refuses a malformed configuration. */
export function hostsOf(env: object): Hosts {
  const { PUBLIC_URL, SHORT_DOMAIN, ENVIRONMENT } = env as Record<string, string | undefined>;
  return {
    publicHost: PUBLIC_URL ? PUBLIC_URL.replace(/^https?:\/\//, "") : null,
    shortHost: SHORT_DOMAIN || null,
    isDevelopment: ENVIRONMENT === "development",
  };
}

/** A machine by its address, or by a name that no registered domain has. Source: RFC 6761 and RFC 6762. */
const LOCAL = /^(?:[\d.]+|\[[\da-f:]+\]|[^.:]+|.+\.(?:localhost|local|test|internal))(?::\d+)?$/;

/**
 * Returns true for a host on which the instance itself stands. In production without PUBLIC_URL that is every
 * host; in development, a machine at hand.
 */
function isMain(host: string, { publicHost, isDevelopment }: Hosts): boolean {
  if (publicHost === null && !isDevelopment) return true;
  return host === publicHost || LOCAL.test(host) || host.endsWith(".workers.dev");
}

/** Where a visitor asks for a short link; `slug` as it stands in the address. */
export function placeOf(url: string, hosts: Hosts): Place | null {
  const start = url.indexOf("//") + 2;
  const slash = url.indexOf("/", start);
  const host = url.slice(start, slash);
  const isUnderPath = url.startsWith("/s/", slash);
  const isShort = host === hosts.shortHost;
  if (!isShort && isMain(host, hosts)) {
    return isUnderPath ? { host: null, slug: lastPart(url, slash + "/s/".length) } : null;
  }
  return { host: isShort ? null : host, slug: lastPart(url, slash + 1) };
}

function lastPart(url: string, from: number): string {
  const end = url.slice(from).search(/[?#]/);
  return end < 0 ? url.slice(from) : url.slice(from, from + end);
}
