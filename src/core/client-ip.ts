/**
 * The key under which a caller's address is counted: an IPv4 address as it is, an IPv6 address by its
 * /64, because one subscriber has a whole /64 to choose from.
 */
export function clientKey(address: string | null): string {
  if (!address) return "unknown";
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (ipv4) return ipv4;
  const [head = "", tail] = address.toLowerCase().split("::");
  const left = head ? head.split(":") : [];
  const right = tail ? tail.split(":") : [];
  const zeros = Array<string>(tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length));
  const groups = [...left, ...zeros.fill("0"), ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}

/** True for the key of this machine's own address, by `clientKey`. */
export const isLoopbackKey = (key: string): boolean =>
  /^127\.\d+\.\d+\.\d+$/.test(key) || key === clientKey("::1");
