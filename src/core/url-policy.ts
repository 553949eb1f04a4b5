/** The rules for a URL that a stranger gave us. */
export interface UrlPolicy {
  /** `http:` as well as `https:`. */
  allowHttp?: boolean;
  /** This machine and any port: development only. */
  allowLoopback?: boolean;
  /** Hosts that are ours: never fetched over the network. */
  ownHosts?: readonly string[];
}

const PUBLIC_PORTS = new Set(["", "80", "443", "8443"]);
const PRIVATE_SUFFIXES = [".local", ".internal", ".home.arpa", ".localhost"];

/**
 * Returns why a URL from outside must not be fetched, or null when it may be. Judges the parsed form only,
 * because `URL` undoes the spellings attackers hide behind (`127.1`, `0x7f000001`, full-width digits).
 */
export function refusedUrl(given: string | URL, policy: UrlPolicy = {}): string | null {
  const url = typeof given === "string" ? URL.parse(given) : given;
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

/** Returns true for a host that is the machine itself. */
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

/** Blocks that are not the public unicast internet. Source: IANA special-purpose registry. */
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
 * All but 2000::/3, which alone is public unicast, and what is special inside it: tunnels that could
 * reach private IPv4, benchmarks, identifiers, documentation. Source: IANA, IPv6 address space and
 * special-purpose registries.
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

/** The address as 128 bits. `URL` has already normalised it, dotted tails included. */
function ipv6ToBigInt(text: string): bigint {
  const [head = "", tail] = text.split("::");
  const groups = (part: string) => (part ? part.split(":") : []);
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(tail === undefined ? 0 : 8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce(
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
