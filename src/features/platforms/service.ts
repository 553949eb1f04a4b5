import { PLATFORMS, type Platform } from "../../core/platforms.ts";
import type { Ctx } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";

export async function readConnectors(ctx: Ctx, platform?: Platform): Promise<Connector[]> {
  await ctx.read("posts:read", []);
  return (platform ? [platform] : PLATFORMS).map(connectorOf);
}
