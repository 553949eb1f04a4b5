import { appKeyNames } from "../core/app-keys.ts";
import { type AppName, otherAppOf } from "../core/platforms.ts";
import { callbackPath } from "../features/connect/rules.ts";
import {
  type AppChecks,
  appsWithKeys,
  describeChecks,
  describeProblem,
  type JudgedStep,
  judgeSteps,
  type PagesSetup,
  type StepState,
  setupOf,
  type Tick,
} from "../features/setup/rules.ts";
import type { Connector, Fetch } from "../platforms/connector.ts";
import { connectors } from "../platforms/registry.ts";
import type { Vars } from "./vars.ts";

export interface AppSettings {
  /** Names of the deployed secrets. Null when Cloudflare does not list them. */
  names: readonly string[] | null;
  values: Vars;
  origin: string;
  /** What the owner has ticked on the instance's setup pages. Absent when the database was not read. */
  ticks?: readonly Tick[];
}

export interface Diagnosis {
  report: string;
  problems: string[];
}

const TIMEOUT_MS = 20_000;

const network: Fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });

const STATES = {
  ready: "ready",
  unchecked: "set up but not confirmed",
  wrong: "to be mended",
  missing: "not set up",
} as const;

type State = keyof typeof STATES;

interface DiagnosedApp extends Diagnosis {
  platform: string;
  state: State;
}

/** Missing keys and unreachable platforms are not problems. */
export async function diagnoseApps(settings: AppSettings, ask = network): Promise<Diagnosis> {
  const apps = await Promise.all(connectors().map((one) => diagnoseApp(one, settings, ask)));
  return {
    report: [...apps.map(({ report }) => report), summarize(apps)].join("\n\n"),
    problems: apps.flatMap(({ problems }) => problems),
  };
}

function summarize(apps: readonly DiagnosedApp[]): string {
  const parts = Object.entries(STATES).flatMap(([state, words]) => {
    const platforms = apps.filter((app) => app.state === state).map(({ platform }) => platform);
    return platforms.length > 0 ? [`${platforms.length} ${words} (${platforms.join(", ")})`] : [];
  });
  return `${apps.length} platforms: ${parts.join("; ")}.`;
}

async function diagnoseApp(
  connector: Connector,
  { names, values, origin, ticks = [] }: AppSettings,
  ask: Fetch,
): Promise<DiagnosedApp> {
  const { platform } = connector;
  const setup = setupOf(connector, origin);
  const { app, key, variables, addresses, required, optional, extra, pages } = setup;
  const missingOf = (keys: readonly string[]) =>
    keys.filter((name) => names !== null && !names.includes(name));
  const steps = await connector.setupSteps();
  const isAudited = values.AUDITED_PLATFORMS?.split(/\s*,\s*/).includes(platform) ?? false;
  const facts = { origin, variables: { names, values }, ticks, isAudited };
  if (app === null) {
    const keys = key ? [key.variable] : [];
    const missing = missingOf(keys);
    const lines = [
      ...(key ? [describeKeys(keys, missing, names !== null)] : []),
      ...(key && missing.length > 0 ? [key.without] : []),
      ...judgeSteps(connector, steps, { ...facts, checks: {} }).map(describeStep),
    ];
    return {
      platform,
      state: "ready",
      report: [`${platform}: needs no app.`, ...lines.map(indent)].join("\n"),
      problems: [],
    };
  }
  const missing = missingOf(variables);
  const checks = await checkApps(connector, values, origin, ask);
  const answers = Object.values(checks);
  const judged = judgeSteps(connector, steps, { ...facts, checks });
  const problems = judged.flatMap((step) => step.problems);
  const failures = problems.filter(({ isFailure }) => isFailure);
  const lines = [
    `app: ${app}`,
    ...addresses.map(({ field, url }) => `${field} to register: ${url}`),
    `scopes: ${required.join(" ")}`,
    ...(optional.length > 0 ? [`optional scopes: ${optional.join(" ")}`] : []),
    ...(extra.length > 0 ? [`asked for only by APP_SCOPES: ${extra.join(" ")}`] : []),
    describeKeys(variables, missing, names !== null),
    ...(pages ? describePages(pages, missingOf(pages.variables), names !== null) : []),
    ...describeChecks(checks).map((message) => `check: ${message}`),
    ...judged.map(describeStep),
    ...problems.map((problem) => `to mend: ${describeProblem(problem, judged)}`),
  ];
  const isReady = answers.some(({ verdict }) => verdict === "right");
  return {
    platform,
    state:
      failures.length > 0
        ? "wrong"
        : missing.length > 0 && answers.length === 0
          ? "missing"
          : isReady
            ? "ready"
            : "unchecked",
    report: [platform, ...lines.map(indent)].join("\n"),
    problems: failures.map((problem) => `${platform}: ${describeProblem(problem, judged)}`),
  };
}

function describePages(
  { variables, required, optional }: PagesSetup,
  missing: readonly string[],
  areListed: boolean,
): string[] {
  return [
    `app for pages, scopes: ${required.join(" ")}`,
    ...(optional.length > 0 ? [`app for pages, optional scopes: ${optional.join(" ")}`] : []),
    `app for pages, ${describeKeys(variables, missing, areListed)}`,
  ];
}

async function checkApps(
  connector: Connector,
  values: Vars,
  origin: string,
  ask: Fetch,
): Promise<AppChecks> {
  const { platform, checkApp } = connector;
  const keysOf = (app: AppName) => appKeyNames(app).map((name) => values[name] ?? "");
  const apps = appsWithKeys(connector, (app) => keysOf(app).every((key) => key !== ""));
  if (!checkApp) return {};
  const answers = apps.map(async (app) => {
    const [clientId = "", clientSecret = ""] = keysOf(app);
    const other = otherAppOf(app);
    const keys = { clientId, clientSecret, ...(other ? { other } : {}) };
    return [app, await checkApp(ask, keys, origin + callbackPath(platform))] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

const STEP_STATES: Record<StepState, string> = {
  confirmed: "confirmed",
  done: "done",
  open: "open",
  mend: "to be mended",
};

const describeStep = ({ number, step: { title, page }, state }: JudgedStep): string =>
  `${number}. ${title} (${page}): ${STEP_STATES[state]}`;

const indent = (line: string): string => `  ${line}`;

function describeKeys(keys: readonly string[], missing: readonly string[], areListed: boolean) {
  if (!areListed) return `keys: ${keys.join(" ")}`;
  return missing.length > 0 ? `missing: ${missing.join(" ")}` : `set: ${keys.join(" ")}`;
}
