/** Removes the port and a trailing dot. */
export const hostNameOf = (host: string): string =>
  host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
