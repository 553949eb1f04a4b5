import { AppError, notFound } from "../../core/errors.ts";
import { isPlatform, otherAppOf, type Platform } from "../../core/platforms.ts";
import type { Query, Results } from "../../db/client.ts";
import type { Ctx } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { callbackPath } from "../connect/rules.ts";
import { appKeysOf, withTimeout } from "../logins/platform-access.ts";
import { brandingOfOperator } from "../settings/repo.ts";
import { allTicks, deleteConfirmation, deleteTick, insertTick } from "./repo.ts";
import {
  type AppChecks,
  appsWithKeys,
  checkOf,
  findProblems,
  type JudgedStep,
  judgeSteps,
  type PlatformSetup,
  scopeRefusals,
  setupOf,
  type Tick,
  variablesOf,
} from "./rules.ts";

export interface InstanceSetup extends PlatformSetup {
  name: string;
  missing: readonly string[];
  appScopes: readonly string[] | null;
  scopeRefusals: readonly string[];
  /** Variables that the app for pages lacks. */
  missingOfPages: readonly string[];
  /** At least one app has its keys. */
  isSetUp: boolean;
  isCheckable: boolean;
  steps: readonly JudgedStep[];
}

const NOT_THE_OWNER =
  "Only the owner of this instance can see this page. Ask the owner what the platforms need.";

/** @throws AppError FORBIDDEN unless the caller is the instance's owner */
async function readStored<const Q extends readonly Query<unknown>[]>(ctx: Ctx, also: Q) {
  const [[isOwner = false], ticks, [branding = null], ...others] = await ctx.read("*", [
    isInstanceOwner({ user: ctx.user }),
    allTicks(),
    brandingOfOperator(),
    ...also,
  ]);
  if (!isOwner) throw new AppError("FORBIDDEN", NOT_THE_OWNER);
  const hasContact = Boolean(branding?.name || branding?.link);
  return { ticks, hasContact, others: others as Results<Q> };
}

const readTicks = async (ctx: Ctx): Promise<Tick[]> => (await readStored(ctx, [])).ticks;

/**
 * The result contains no key's value. `hasContact`: `/privacy` and `/terms` name the operator.
 *
 * @param also queries of the page, whose results are `others`
 * @throws AppError FORBIDDEN unless the caller is the instance's owner
 */
export async function listSetup<const Q extends readonly Query<unknown>[]>(
  ctx: Ctx,
  origin: string,
  also: Q,
): Promise<{ platforms: InstanceSetup[]; hasContact: boolean; others: Results<Q> }> {
  const { ticks, hasContact, others } = await readStored(ctx, also);
  const facts = { origin, ticks, checks: {} };
  const platforms = await Promise.all(connectors().map((one) => toSetup(ctx, one, facts)));
  return { platforms, hasContact, others };
}

/** @throws AppError FORBIDDEN unless the caller is the instance's owner; NOT_FOUND */
export async function getSetup(
  ctx: Ctx,
  platform: string,
  { origin, checks = {} }: { origin: string; checks?: AppChecks },
): Promise<InstanceSetup> {
  const ticks = await readTicks(ctx);
  return toSetup(ctx, connectorOf(requirePlatform(platform)), { origin, ticks, checks });
}

function requirePlatform(platform: string): Platform {
  if (!isPlatform(platform)) throw notFound("Platform");
  return platform;
}

async function toSetup(
  { config }: Ctx,
  connector: Connector,
  facts: { origin: string; ticks: readonly Tick[]; checks: AppChecks },
): Promise<InstanceSetup> {
  const { platform, name, checkApp } = connector;
  const setup = setupOf(connector, facts.origin);
  const variables = variablesOf(config);
  const steps = await connector.setupSteps();
  const isMissing = (one: string) => !variables.names?.includes(one);
  const { consent } = connector;
  const allowed = [...(consent?.required ?? []), ...(consent?.optional ?? [])];
  const required = setup.key ? [...setup.variables, setup.key.variable] : setup.variables;
  const missing = required.filter(isMissing);
  const isSetUp =
    missing.length === 0 || appsWithKeys(connector, (app) => app in config.appKeys).length > 0;
  return {
    ...setup,
    name,
    missing,
    appScopes: config.appScopes[platform]?.filter((scope) => allowed.includes(scope)) ?? null,
    scopeRefusals: scopeRefusals(connector, config.appScopes),
    missingOfPages: setup.pages?.variables.filter(isMissing) ?? [],
    isSetUp,
    isCheckable: checkApp !== undefined && isSetUp && steps.some(({ isChecked }) => isChecked),
    steps: judgeSteps(connector, steps, {
      ...facts,
      variables,
      isAudited: config.auditedPlatforms.includes(platform),
    }),
  };
}

/** Mistakes that prevent connecting accounts, without those that only a platform can tell. */
export async function listMistakes(
  { config }: Pick<Ctx, "config">,
  origin: string,
): Promise<{ platform: Platform; name: string; message: string }[]> {
  const variables = variablesOf(config);
  const mistakes = connectors().map(async (connector) => {
    const { platform, name, setupSteps } = connector;
    const facts = { origin, variables, checks: {} };
    const problems = findProblems(connector, await setupSteps(), facts);
    const messages = problems.flatMap((one) => (one.isFailure ? [one.message] : []));
    const all = [...messages, ...scopeRefusals(connector, config.appScopes)];
    return all.map((message) => ({ platform, name, message }));
  });
  return (await Promise.all(mistakes)).flat();
}

/**
 * Asks the platform about its apps' keys and stores what it confirms.
 *
 * @throws AppError FORBIDDEN unless the caller is the instance's owner; NOT_FOUND; 400 when the check is impossible
 */
export async function checkPlatform(
  ctx: Ctx,
  platform: string,
  origin: string,
): Promise<AppChecks> {
  await readTicks(ctx);
  const connector = connectorOf(requirePlatform(platform));
  const { name, checkApp } = connector;
  if (!checkApp) throw new AppError(null, `${name} needs no app: nothing is to be checked.`);
  const apps = appsWithKeys(connector, (app) => app in ctx.config.appKeys);
  if (apps.length === 0) {
    const { variables } = setupOf(connector, origin);
    throw new AppError(null, `Set ${variables.join(" and ")} first, then check again.`);
  }
  const checks: AppChecks = Object.fromEntries(
    await Promise.all(
      apps.map(async (name) => {
        const account = {
          platform: connector.platform,
          mode: "live",
          app: otherAppOf(name),
        } as const;
        const keys = appKeysOf(ctx, account);
        if (!keys) throw new Error(`The keys of ${name} are gone.`);
        const redirectUri = origin + callbackPath(connector.platform);
        return [name, await checkApp(withTimeout(ctx.fetch), keys, redirectUri)] as const;
      }),
    ),
  );
  await keepConfirmations(ctx, connector, checks);
  return checks;
}

async function keepConfirmations(
  ctx: Ctx,
  { platform, setupSteps }: Connector,
  checks: AppChecks,
): Promise<void> {
  const writes = (await setupSteps()).flatMap((step) => {
    const verdict = checkOf(step, checks)?.verdict;
    if (verdict === "wrong") return [deleteConfirmation({ platform, step: step.id })];
    if (verdict !== "right") return [];
    return [insertTick({ platform, step: step.id, source: "platform", tickedAt: ctx.now() })];
  });
  if (writes.length > 0) await ctx.db.runAll(writes);
}

/** @throws AppError FORBIDDEN unless the caller is the instance's owner; NOT_FOUND for a platform or step */
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
