import { AppError } from "../../core/errors.ts";
import { isPlatform, type Platform } from "../../core/platforms.ts";
import type { Ctx, Deps } from "../../deps.ts";
import type { AppCheck } from "../../platforms/login.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { callbackPath } from "../connect/rules.ts";
import { appKeysOf, withTimeout } from "../logins/platform-access.ts";
import { type PlatformSetup, setupOf } from "./rules.ts";

export interface InstanceSetup extends PlatformSetup {
  name: string;
  missing: readonly string[];
  appScopes: readonly string[] | null;
  isCheckable: boolean;
}

const NOT_THE_OWNER =
  "Only the owner of this instance can see this page. Ask the owner what the platforms need.";

/** @throws AppError FORBIDDEN */
async function requireInstanceOwner(ctx: Ctx): Promise<void> {
  const [[isOwner = false]] = await ctx.read("*", [isInstanceOwner({ user: ctx.user })]);
  if (!isOwner) throw new AppError("FORBIDDEN", NOT_THE_OWNER);
}

/**
 * The result never contains a key's value.
 *
 * @throws AppError FORBIDDEN for everyone except the instance's owner
 */
export async function listSetup(ctx: Ctx, origin: string): Promise<InstanceSetup[]> {
  await requireInstanceOwner(ctx);
  return connectors().map((connector) => {
    const { platform, name, checkApp } = connector;
    const setup = setupOf(connector, origin);
    const required = setup.key ? [...setup.variables, setup.key.variable] : setup.variables;
    const missing = required.filter((name) => !isSet(ctx, platform, name));
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
 * @throws AppError FORBIDDEN for everyone except the instance's owner, 400 when the check is
 * impossible
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
