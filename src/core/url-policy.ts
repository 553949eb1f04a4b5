export interface UrlPolicy {
  allowHttp?: boolean;
  /** Allows this machine and any port, in development. */
  allowLoopback?: boolean;
  /** Hosts of this instance, which it must not call. */
  ownHosts?: readonly string[];
}

const PUBLIC_PORTS = new Set(["", "80", "443", "8443"]);
const PRIVATE_SUFFIXES = [".local", ".internal", ".home.arpa", ".localhost"];

/**
 * Returns why a URL must not be fetched, or null. Judges the parsed form, because `URL` normalizes disguised addresses
 * such as `0x7f000001`.
 */
export function refusedUrl(address: string | URL, policy: UrlPolicy = {}): string | null {
  const url = typeof address === "string" ? URL.parse(address) : address;
  if (!url) return "is not a URL";
  const allowsHttp = policy.allowHttp || policy.allowLoopback;
  if (url.protocol !== "https:" && !(allowsHttp && url.protocol === "http:")) {
    return allowsHttp ? "must be an http or https URL" : "must be an https URL";
  }
  if (url.username || url.password) return "must not contain a user name or password";
  const host = url.hostname.toLowerCase();
  if (policy.ownHosts?.includes(url.host)) return "must not point back at this service";
  if (policy.allowLoopback && isLoopback(host)) return null;
  if (!PUBLIC_PORTS.has(url.port)) return "must use port 80, 443 or 8443";
  return refusedHost(host);
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function refusedHost(host: string): string | null {
  const isPrivate = "must not point at a private network";
  if (host.startsWith("[")) return isPublicIpv6(host.slice(1, -1)) ? null : isPrivate;
  if (/^[\d.]+$/.test(host)) return isPublicIpv4(host) ? null : isPrivate;
  if (host.endsWith(".")) return "must not have a host name that ends in a dot";
  if (!host.includes(".")) return isPrivate;
  return PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix)) ? isPrivate : null;
}

/** Source: IANA special-purpose registry. */
const BLOCKED_IPV4: [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

function ipv4ToNumber(text: string): number {
  return text.split(".").reduce((value, part) => value * 256 + Number(part), 0);
}

function isPublicIpv4(text: string): boolean {
  const address = ipv4ToNumber(text);
  return !BLOCKED_IPV4.some(([block, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor(ipv4ToNumber(block) / size);
  });
}

/**
 * Everything outside 2000::/3, and special blocks in it: tunnels to private IPv4, benchmarks,
 * identifiers, documentation. Source: IANA, IPv6 registries.
 */
const BLOCKED_IPV6: [string, number][] = [
  ["::", 3],
  ["4000::", 2],
  ["8000::", 1],
  ["2001::", 32],
  ["2001:2::", 48],
  ["2001:10::", 28],
  ["2001:20::", 28],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

/** Expects an address that `URL` has normalized. */
function ipv6ToBigInt(text: string): bigint {
  const [head = "", tail] = text.split("::");
  const groups = (part: string) => (part ? part.split(":") : []);
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(tail === undefined ? 0 : 8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].reduce(
    (value, group) => (value << 16n) | BigInt(Number.parseInt(group, 16)),
    0n,
  );
}

function isPublicIpv6(text: string): boolean {
  const address = ipv6ToBigInt(text);
  return !BLOCKED_IPV6.some(([block, bits]) => {
    const shift = BigInt(128 - bits);
    return address >> shift === ipv6ToBigInt(block) >> shift;
  });
}
