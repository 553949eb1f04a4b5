/** The name of a host without its port and the dot at its end. */
export const hostNameOf = (host: string): string =>
  host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
