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

const CONNECTORS: Record<Platform, Connector> = {
  tiktok,
  instagram,
  facebook,
  youtube,
  linkedin,
  pinterest,
  bluesky,
  threads,
  x,
};

export const connectorOf = (platform: Platform): Connector => CONNECTORS[platform];

export const connectors = (): Connector[] => Object.values(CONNECTORS);
