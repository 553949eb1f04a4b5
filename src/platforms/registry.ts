import { PLATFORMS, type Platform } from "../core/platforms.ts";
import { bluesky } from "./bluesky/index.ts";
import type { Connector } from "./connector.ts";
import { discord } from "./discord/index.ts";
import { facebook } from "./facebook/index.ts";
import { googleBusiness } from "./google_business/index.ts";
import { instagram } from "./instagram/index.ts";
import { linkedin } from "./linkedin/index.ts";
import { mastodon } from "./mastodon/index.ts";
import { pinterest } from "./pinterest/index.ts";
import { telegram } from "./telegram/index.ts";
import { threads } from "./threads/index.ts";
import { tiktok } from "./tiktok/index.ts";
import { x } from "./x/index.ts";
import { youtube } from "./youtube/index.ts";

const CONNECTORS: Readonly<Record<Platform, Connector>> = {
  tiktok,
  instagram,
  facebook,
  youtube,
  linkedin,
  pinterest,
  bluesky,
  threads,
  x,
  mastodon,
  telegram,
  discord,
  google_business: googleBusiness,
};

const IN_ORDER: readonly Connector[] = PLATFORMS.map((platform) => CONNECTORS[platform]);

export const connectors = (): readonly Connector[] => IN_ORDER;

export const connectorOf = (platform: Platform): Connector => CONNECTORS[platform];

export const PLATFORM_NAMES: ReadonlyMap<Platform, string> = new Map(
  IN_ORDER.map(({ platform, name }) => [platform, name]),
);

export const platformName = (platform: Platform): string => connectorOf(platform).name;
