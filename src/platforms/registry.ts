import type { Platform } from "../core/platforms.ts";
import { bluesky } from "./bluesky/index.ts";
import type { Connector } from "./connector.ts";
import { instagram } from "./instagram/index.ts";
import { tiktok } from "./tiktok/index.ts";

const CONNECTORS: Partial<Record<Platform, Connector>> = { bluesky, instagram, tiktok };

/** Null while a platform of the spec has no connector. */
export function findConnector(platform: Platform): Connector | null {
  return CONNECTORS[platform] ?? null;
}

export const connectors = (): Connector[] => Object.values(CONNECTORS);
