/** An IPv6 address counts by its /64, because one subscriber can use all of it. */
export function clientKey(address: string | null): string {
  if (!address) return "unknown";
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (ipv4) return ipv4;
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head ? head.split(":") : [];
  const after = tail ? tail.split(":") : [];
  const zeros = Array<string>(
    tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length),
  );
  const groups = [...before, ...zeros.fill("0"), ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}

/** An IPv6 address becomes its /64, written out. Returns null without a valid address. */
export function networkOf(address: string | null): string | null {
  if (!address || !/^[\da-f:.]{2,45}$/i.test(address)) return null;
  const [prefix = "", length] = clientKey(address).split("::/");
  if (length === undefined) return prefix;
  const groups = prefix.split(":").map((group) => group.padStart(4, "0"));
  return [...groups, ...Array<string>(4).fill("0000")].join(":");
}

export const isLoopbackKey = (key: string): boolean =>
  /^127\.\d+\.\d+\.\d+$/.test(key) || key === clientKey("::1");
