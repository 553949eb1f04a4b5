import type { Platform } from "../core/platforms.ts";
import { bluesky } from "./bluesky/index.ts";
import type { Connector } from "./connector.ts";
import { facebook } from "./facebook/index.ts";
import { instagram } from "./instagram/index.ts";
import { linkedin } from "./linkedin/index.ts";
import { pinterest } from "./pinterest/index.ts";
import { threads } from "./threads/index.ts";
import { tiktok } from "./tiktok/index.ts";
import { x } from "./x/index.ts";
import { youtube } from "./youtube/index.ts";

/** Every platform, in the spec's order. Source: spec, "What the service does". */
const CONNECTORS: readonly Connector[] = [
  tiktok,
  instagram,
  facebook,
  youtube,
  linkedin,
  pinterest,
  bluesky,
  threads,
  x,
];

const byPlatform = new Map(CONNECTORS.map((connector) => [connector.platform, connector]));

export const PLATFORMS: readonly Platform[] = [...byPlatform.keys()];

/** Every platform and its own spelling of its name. */
export const PLATFORM_NAMES: ReadonlyMap<Platform, string> = new Map(
  CONNECTORS.map(({ platform, name }) => [platform, name]),
);

/** Returns how the platform spells its name; the given name for one that is not known. */
export const platformName = (platform: Platform): string =>
  PLATFORM_NAMES.get(platform) ?? platform;

export const connectors = (): readonly Connector[] => CONNECTORS;

/** @throws Error when there is no such platform */
export function connectorOf(platform: Platform): Connector {
  const connector = byPlatform.get(platform);
  if (!connector) throw new Error(`There is no platform ${platform}.`);
  return connector;
}
