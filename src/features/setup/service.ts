import { AppError, notFound } from "../../core/errors.ts";
import { isPlatform, type Platform } from "../../core/platforms.ts";
import type { Ctx } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { AppCheck } from "../../platforms/login.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import type { SetupStep } from "../../platforms/setup-steps.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { callbackPath } from "../connect/rules.ts";
import { appKeysOf, withTimeout } from "../logins/platform-access.ts";
import { allTicks, deleteConfirmations, deleteTick, insertTick } from "./repo.ts";
import {
  type JudgedStep,
  judgeSteps,
  type PlatformSetup,
  setupOf,
  type Tick,
  variablesOf,
} from "./rules.ts";

export interface InstanceSetup extends PlatformSetup {
  name: string;
  missing: readonly string[];
  appScopes: readonly string[] | null;
  isCheckable: boolean;
  steps: readonly JudgedStep[];
}

const NOT_THE_OWNER =
  "Only the owner of this instance can see this page. Ask the owner what the platforms need.";

/** @throws AppError FORBIDDEN for everyone except the instance's owner */
async function readTicks(ctx: Ctx): Promise<Tick[]> {
  const [[isOwner = false], ticks] = await ctx.read("*", [
    isInstanceOwner({ user: ctx.user }),
    allTicks(),
  ]);
  if (!isOwner) throw new AppError("FORBIDDEN", NOT_THE_OWNER);
  return ticks;
}

/**
 * The result never contains a key's value.
 *
 * @throws AppError FORBIDDEN for everyone except the instance's owner
 */
export async function listSetup(ctx: Ctx, origin: string): Promise<InstanceSetup[]> {
  const ticks = await readTicks(ctx);
  return Promise.all(connectors().map((one) => toSetup(ctx, one, { origin, ticks, check: null })));
}

/**
 * @param check what the platform has just said about the app
 * @throws AppError FORBIDDEN for everyone except the instance's owner; NOT_FOUND
 */
export async function getSetup(
  ctx: Ctx,
  platform: string,
  { origin, check = null }: { origin: string; check?: AppCheck | null },
): Promise<InstanceSetup> {
  const ticks = await readTicks(ctx);
  return toSetup(ctx, connectorOf(requirePlatform(platform)), { origin, ticks, check });
}

function requirePlatform(platform: string): Platform {
  if (!isPlatform(platform)) throw notFound("Platform");
  return platform;
}

async function toSetup(
  { config }: Ctx,
  connector: Connector,
  facts: { origin: string; ticks: readonly Tick[]; check: AppCheck | null },
): Promise<InstanceSetup> {
  const { platform, name, checkApp } = connector;
  const setup = setupOf(connector, facts.origin);
  const variables = variablesOf(config);
  const required = setup.key ? [...setup.variables, setup.key.variable] : setup.variables;
  const missing = required.filter((one) => !variables.names?.includes(one));
  return {
    ...setup,
    name,
    missing,
    appScopes: config.appScopes[platform] ?? null,
    isCheckable: checkApp !== undefined && missing.length === 0,
    steps: judgeSteps(connector, await connector.setupSteps(), {
      ...facts,
      variables,
      isAudited: config.auditedPlatforms.includes(platform),
    }),
  };
}

/**
 * Asks the platform about the app's keys, and keeps what it confirms.
 *
 * @throws AppError FORBIDDEN for everyone except the instance's owner, NOT_FOUND, 400 when the check is
 * impossible
 */
export async function checkPlatform(ctx: Ctx, platform: string, origin: string): Promise<AppCheck> {
  await readTicks(ctx);
  const connector = connectorOf(requirePlatform(platform));
  const { name } = connector;
  if (!connector.checkApp)
    throw new AppError(null, `${name} needs no app: nothing is to be checked.`);
  const app = appKeysOf(ctx, { platform: connector.platform, mode: "live" });
  if (!app) {
    const { variables } = setupOf(connector, origin);
    throw new AppError(null, `Set ${variables.join(" and ")} first, then check again.`);
  }
  const redirectUri = origin + callbackPath(platform);
  const check = await connector.checkApp(withTimeout(ctx.fetch), app, redirectUri);
  await keepConfirmations(ctx, connector.platform, await connector.setupSteps(), check);
  return check;
}

async function keepConfirmations(
  ctx: Ctx,
  platform: Platform,
  steps: readonly SetupStep[],
  { verdict }: AppCheck,
): Promise<void> {
  if (verdict === "wrong") await ctx.db.run([deleteConfirmations(platform)]);
  if (verdict !== "right") return;
  const confirmed = steps.filter(({ isChecked }) => isChecked);
  await ctx.db.runAll(
    confirmed.map(({ id }) =>
      insertTick({ platform, step: id, source: "platform", tickedAt: ctx.now() }),
    ),
  );
}

/**
 * Repeating it changes nothing.
 *
 * @throws AppError FORBIDDEN for everyone except the instance's owner; NOT_FOUND for an unknown platform or
 * step
 */
export async function tickStep(
  ctx: Ctx,
  { platform, step, isDone }: { platform: string; step: string; isDone: boolean },
): Promise<void> {
  await readTicks(ctx);
  const connector = connectorOf(requirePlatform(platform));
  const steps = await connector.setupSteps();
  if (!steps.some(({ id }) => id === step)) throw notFound("Step");
  const key = { platform: connector.platform, step };
  await ctx.db.run([
    isDone ? insertTick({ ...key, source: "owner", tickedAt: ctx.now() }) : deleteTick(key),
  ]);
}
