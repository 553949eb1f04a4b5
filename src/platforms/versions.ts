import type { Platform } from "../core/platforms.ts";
import type { ApiVersion } from "./connector.ts";
import { connectors } from "./registry.ts";

/** The versions of all platform APIs in use, to be replaced before they end. */
export const VERSIONS = Object.fromEntries(
  connectors().map(({ platform, apiVersion }) => [platform, apiVersion]),
) as Record<Platform, ApiVersion>;
