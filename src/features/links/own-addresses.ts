import type { Config } from "../../config.ts";
import { hostNameOf } from "../../core/hosts.ts";
import { type OwnAddresses, SHORT_PATH } from "./destinations.ts";

type Settings = Pick<Config, "publicUrl" | "shortDomain">;

/** Where the instance's own short links stand. `origin`: the one by which it was called. */
export const ownAddresses = (
  { publicUrl, shortDomain }: Settings,
  origin: string,
): OwnAddresses => ({
  shortHosts: [shortDomain && hostNameOf(shortDomain)],
  mainHosts: [publicUrl ?? origin, origin].map((one) => hostNameOf(new URL(one).host)),
});

/** The address of a link. `host`: its domain's; null for one on the instance's own. */
export function shortUrlOf(
  { shortDomain }: Settings,
  origin: string,
  { host, slug }: { host: string | null; slug: string },
): string {
  if (host !== null) return `https://${host}/${slug}`;
  if (shortDomain !== null) return `${new URL(origin).protocol}//${shortDomain}/${slug}`;
  return `${origin}${SHORT_PATH}${slug}`;
}
