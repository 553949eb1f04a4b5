import { AppError } from "../../core/errors.ts";
import { isPlatform, type Platform } from "../../core/platforms.ts";
import type { Ctx, Deps } from "../../deps.ts";
import type { AppCheck } from "../../platforms/login.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import { appKeysOf, withTimeout } from "../accounts/platform-access.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { callbackPath } from "./rules.ts";
import { type PlatformSetup, setupOf } from "./setup.ts";

/** A platform's needs, and how far this instance has them. */
export interface InstanceSetup extends PlatformSetup {
  name: string;
  /** Variables that are not set, by name. */
  missing: readonly string[];
  /** The permissions of APP_SCOPES, which people are asked for in place of the usual ones; null for none. */
  appScopes: readonly string[] | null;
  /** The platform can be asked about the app. */
  isCheckable: boolean;
}

const NOT_THE_OWNER =
  "Only the owner of this instance can see this page. Ask the owner what the platforms need.";

/** @throws AppError FORBIDDEN for anybody but the owner of the instance */
async function requireInstanceOwner(ctx: Ctx): Promise<void> {
  const [[isOwner = false]] = await ctx.read("*", [isInstanceOwner({ user: ctx.user })]);
  if (!isOwner) throw new AppError("FORBIDDEN", NOT_THE_OWNER);
}

/**
 * Tells the owner of the instance of every platform what it needs, in the spec's order, and never the value of a key.
 *
 * @param origin of the instance, as browsers know it
 * @throws AppError FORBIDDEN for anybody else
 */
export async function listSetup(ctx: Ctx, origin: string): Promise<InstanceSetup[]> {
  await requireInstanceOwner(ctx);
  return connectors().map((connector) => {
    const { platform, name, checkApp } = connector;
    const setup = setupOf(connector, origin);
    const wanted = setup.key ? [...setup.variables, setup.key.variable] : setup.variables;
    const missing = wanted.filter((name) => !isSet(ctx, platform, name));
    return {
      ...setup,
      name,
      missing,
      appScopes: ctx.config.appScopes[platform] ?? null,
      isCheckable: checkApp !== undefined && missing.length === 0,
    };
  });
}

const isSet = ({ config }: Pick<Deps, "config">, platform: Platform, variable: string): boolean =>
  config.appKeys[platform] !== undefined || config.halfAppKeys.includes(variable);

/**
 * Asks a platform about the app of this instance.
 *
 * @throws AppError FORBIDDEN for anybody but the owner of the instance, 400 where there is nothing to ask about
 */
export async function checkPlatform(ctx: Ctx, platform: string, origin: string): Promise<AppCheck> {
  await requireInstanceOwner(ctx);
  if (!isPlatform(platform)) throw new AppError(null, "Choose a platform of the list.");
  const connector = connectorOf(platform);
  const { name } = connector;
  if (!connector.checkApp)
    throw new AppError(null, `${name} needs no app: nothing is to be checked.`);
  const app = appKeysOf(ctx, { platform, mode: "live" });
  if (!app) {
    const { variables } = setupOf(connector, origin);
    throw new AppError(null, `Set ${variables.join(" and ")} first, then check again.`);
  }
  return connector.checkApp(withTimeout(ctx.fetch), app, origin + callbackPath(platform));
}
