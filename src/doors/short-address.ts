import { type LinkAddress, SHORT_PATH } from "../core/link-address.ts";

export interface Hosts {
  publicHost: string | null;
  shortHost: string | null;
  isDevelopment: boolean;
}

/** Does not check the variables, because the app that gets the request refuses malformed ones. */
export function hostsOf(env: object): Hosts {
  const { PUBLIC_URL, SHORT_DOMAIN, ENVIRONMENT } = env as Record<string, string | undefined>;
  return {
    publicHost: PUBLIC_URL ? PUBLIC_URL.replace(/^https?:\/\//, "") : null,
    shortHost: SHORT_DOMAIN || null,
    isDevelopment: ENVIRONMENT === "development",
  };
}

/** Matches IP addresses and names outside the public DNS. Source: RFC 6761 and RFC 6762. */
const LOCAL = /^(?:[\d.]+|\[[\da-f:]+\]|[^.:]+|.+\.(?:localhost|local|test|internal))(?::\d+)?$/;

/**
 * Without PUBLIC_URL, every host is the instance's own in production; in development, only local and workers.dev hosts.
 */
function isMain(host: string, { publicHost, isDevelopment }: Hosts): boolean {
  if (publicHost === null && !isDevelopment) return true;
  return host === publicHost || LOCAL.test(host) || host.endsWith(".workers.dev");
}

/** The slug stays percent-encoded. */
export function shortAddressOf(url: string, hosts: Hosts): LinkAddress | null {
  const start = url.indexOf("//") + 2;
  const slash = url.indexOf("/", start);
  const host = url.slice(start, slash);
  const isUnderPath = url.startsWith(SHORT_PATH, slash);
  const isShort = host === hosts.shortHost;
  if (!isShort && isMain(host, hosts)) {
    return isUnderPath ? { host: null, slug: lastPart(url, slash + SHORT_PATH.length) } : null;
  }
  return { host: isShort ? null : host, slug: lastPart(url, slash + 1) };
}

function lastPart(url: string, from: number): string {
  const end = url.slice(from).search(/[?#]/);
  return end < 0 ? url.slice(from) : url.slice(from, from + end);
}
