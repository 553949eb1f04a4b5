import type { Platform } from "../../core/platforms.ts";
import type { Deps } from "../../deps.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";

/** Posts in any 24 hours per account of this platform. */
export const dailyCapOf = ({ config }: Pick<Deps, "config">, platform: Platform): number =>
  config.plans.dailyCaps[platform] ?? connectorOf(platform).capabilities.dailyPostCap;

/** By platform, for statements. */
export const dailyCaps = (deps: Pick<Deps, "config">): Record<string, number> =>
  Object.fromEntries(connectors().map(({ platform }) => [platform, dailyCapOf(deps, platform)]));
