import type { Config } from "../../config.ts";
import { appKeyNames } from "../../core/app-keys.ts";
import type { AppName, Platform } from "../../core/platforms.ts";
import type { AcceptedRedirects, Connector, Needs } from "../../platforms/connector.ts";
import type { ConsentScopes } from "../../platforms/consent.ts";
import type { AppCheck } from "../../platforms/login.ts";
import type { OurValue, SetupStep } from "../../platforms/setup-steps.ts";
import { callbackPath, clientMetadataPath } from "../connect/rules.ts";
import { deletionRequestPath, withdrawnPath } from "../withdrawals/rules.ts";
import type { SetupTick } from "./table.ts";

export interface SetupAddress {
  field: string;
  url: string;
}

export interface PlatformSetup extends ConsentScopes, Pick<Needs, "app"> {
  platform: Platform;
  /** Empty when no app is needed. */
  variables: readonly string[];
  key: NonNullable<Needs["key"]> | null;
  addresses: readonly SetupAddress[];
  document: string | null;
  /** Optional scopes that are requested only when `APP_SCOPES` names them. */
  extra: readonly string[];
  /** The separate app by which pages are connected. */
  pages: PagesSetup | null;
}

export interface PagesSetup extends ConsentScopes {
  variables: readonly string[];
  extra: readonly string[];
}

function pagesOf({ pagesApp }: Pick<Connector, "pagesApp">): PagesSetup | null {
  if (!pagesApp) return null;
  const { required, optional, usual = optional } = pagesApp.consent;
  return {
    variables: appKeyNames(pagesApp.app),
    required,
    optional: usual,
    extra: extraScopes({ optional, usual }),
  };
}

/** @param origin prefix of each address; empty for paths alone */
export function setupOf(connector: Connector, origin: string): PlatformSetup {
  const { platform, needs, consent, withdrawals } = connector;
  const hasApp = needs.app !== null;
  const { optional = [], usual = optional } = consent ?? {};
  return {
    platform,
    app: needs.app,
    required: consent?.required ?? needs.scopes,
    optional: usual,
    extra: extraScopes({ optional, usual }),
    variables: hasApp ? appKeyNames(platform) : [],
    key: needs.key ?? null,
    addresses: hasApp
      ? [
          { field: "Redirect URL", url: origin + callbackPath(platform) },
          ...(withdrawals ? addressesOf(withdrawals.fields, platform, origin) : []),
        ]
      : [],
    document: consent?.clientMetadata ? origin + clientMetadataPath(platform) : null,
    pages: pagesOf(connector),
  };
}

export const extraScopes = ({
  optional,
  usual = optional,
}: Pick<ConsentScopes, "optional" | "usual">): string[] =>
  optional.filter((scope) => !usual.includes(scope));

const addressesOf = (
  { withdrawn, deletion }: NonNullable<Connector["withdrawals"]>["fields"],
  platform: Platform,
  origin: string,
): SetupAddress[] => [
  { field: withdrawn, url: origin + withdrawnPath(platform) },
  ...(deletion === undefined
    ? []
    : [{ field: deletion, url: origin + deletionRequestPath(platform) }]),
];

const valuesOf = (platform: Platform, origin: string): Record<OurValue, string> => ({
  redirect: origin + callbackPath(platform),
  home: `${origin}/`,
  domain: new URL(origin).hostname,
  privacy: `${origin}/privacy`,
  terms: `${origin}/terms`,
  withdrawn: origin + withdrawnPath(platform),
  deletion: origin + deletionRequestPath(platform),
  metadata: origin + clientMetadataPath(platform),
});

/** Values to paste, with the platform's names for the fields. */
export function pastesOf(
  { pastes = {} }: SetupStep,
  platform: Platform,
  origin: string,
): SetupAddress[] {
  const values = valuesOf(platform, origin);
  return (Object.keys(pastes) as OurValue[]).map((value) => ({
    field: pastes[value] ?? "",
    url: values[value],
  }));
}

/** Apps that were not checked are absent. */
export type AppChecks = Partial<Record<AppName, AppCheck>>;

export const checkOf = (
  { isChecked, variables = [] }: SetupStep,
  checks: AppChecks,
): AppCheck | null => {
  const apps = Object.keys(checks) as AppName[];
  const app = apps.find((one) => variables.includes(appKeyNames(one)[0]));
  return (isChecked && app && checks[app]) || null;
};

/** Names an app's variable when the platform has several apps. */
export function describeChecks(checks: AppChecks): string[] {
  const answers = Object.entries(checks) as [AppName, AppCheck][];
  return answers.map(([app, { message }]) =>
    answers.length > 1 ? `${appKeyNames(app)[0]}: ${message}` : message,
  );
}

/** Mistakes in APP_SCOPES, each with the allowed scopes. */
export function scopeRefusals(
  { platform, consent, pagesApp }: Pick<Connector, "platform" | "consent" | "pagesApp">,
  appScopes: Config["appScopes"],
): string[] {
  const consents = [
    { app: platform, scopes: consent },
    ...(pagesApp ? [{ app: pagesApp.app, scopes: pagesApp.consent }] : []),
  ];
  return consents.flatMap(({ app, scopes }) => {
    const allowed = [...(scopes?.required ?? []), ...(scopes?.optional ?? [])];
    const unknown = (appScopes[app] ?? []).filter((scope) => !allowed.includes(scope));
    if (unknown.length === 0) return [];
    const verb = unknown.length > 1 ? "which are not permissions" : "which is not a permission";
    return [
      `APP_SCOPES asks ${app} for ${unknown.join(", ")}, ${verb} that Akimbo uses. Use ${allowed.join(", ")}.`,
    ];
  });
}

export const appsWithKeys = (
  { platform, pagesApp }: Pick<Connector, "platform" | "pagesApp">,
  hasKeys: (app: AppName) => boolean,
): AppName[] => [platform, ...(pagesApp ? [pagesApp.app] : [])].filter(hasKeys);

export interface AppVariables {
  names: readonly string[] | null;
  /** A value may be unknown although its name is known. */
  values: Readonly<Record<string, string | undefined>>;
}

export function variablesOf({
  appKeys,
  halfAppKeys,
}: Pick<Config, "appKeys" | "halfAppKeys">): AppVariables {
  const apps = Object.keys(appKeys) as (keyof typeof appKeys)[];
  return {
    names: [
      ...halfAppKeys,
      ...apps.flatMap((one) => [...appKeyNames(one), `${one.toUpperCase()}_KEY`]),
    ],
    values: Object.fromEntries(apps.map((one) => [appKeyNames(one)[0], appKeys[one]?.clientId])),
  };
}

export interface SetupProblem {
  kind: "half_keys" | "foreign_key" | "redirect" | "refused" | "unpublished";
  message: string;
  /** The id of the step that fixes the problem. */
  step: string;
  /** False for what may be intended, such as an app that is not reviewed yet. */
  isFailure: boolean;
}

interface SetupFacts {
  origin: string;
  variables: AppVariables;
  checks: AppChecks;
}

const isSet = ({ names }: AppVariables, variable: string): boolean =>
  names?.includes(variable) ?? false;

export function findProblems(
  { name, needs }: Pick<Connector, "name" | "needs">,
  steps: readonly SetupStep[],
  { origin, variables, checks }: SetupFacts,
): SetupProblem[] {
  const [keys] = steps.filter((step) => step.variables);
  const [addresses = keys] = steps.filter(({ pastes }) => pastes?.redirect);
  const [live] = steps.filter(({ kind }) => kind === "live" || kind === "review");
  const hasKeys = keys?.variables?.some((one) => isSet(variables, one)) ?? false;
  const problems: SetupProblem[] = steps.flatMap((step) => keyProblems(step, variables));
  if (addresses && needs.redirects && !isAcceptedAt(needs.redirects, origin)) {
    problems.push({
      kind: "redirect",
      message: `${name} does not lead people back to ${origin}, but to ${needs.redirects} alone. Set PUBLIC_URL to such an address of this instance.`,
      step: addresses.id,
      isFailure: hasKeys,
    });
  }
  for (const step of steps) {
    const check = checkOf(step, checks);
    const redirects = step.pastes?.redirect ? step : addresses;
    if (check?.verdict === "wrong") {
      const mending = (check.isAboutRedirect && redirects) || step;
      problems.push({
        kind: "refused",
        message: check.message,
        step: mending.id,
        isFailure: true,
      });
    }
    if (check?.isUnpublished && live) {
      problems.push({
        kind: "unpublished",
        message: check.message,
        step: live.id,
        isFailure: false,
      });
    }
  }
  return problems;
}

function keyProblems(
  { id, variables: own = [], differs }: SetupStep,
  variables: AppVariables,
): SetupProblem[] {
  const missing = own.filter((one) => !isSet(variables, one));
  const isHalf = missing.length > 0 && missing.length < own.length;
  const value = differs && variables.values[differs.variable];
  const isForeign = differs && value && value === variables.values[differs.other];
  return [
    ...(isHalf
      ? [
          {
            kind: "half_keys" as const,
            message: `${missing.join(" ")} is missing.`,
            step: id,
            isFailure: true,
          },
        ]
      : []),
    ...(isForeign
      ? [
          {
            kind: "foreign_key" as const,
            message: `${differs.variable} has the value of ${differs.other}. ${differs.message}`,
            step: id,
            isFailure: true,
          },
        ]
      : []),
  ];
}

const LOCAL_HOSTS = ["localhost", "127.0.0.1"];

export const isLocal = (origin: string): boolean => LOCAL_HOSTS.includes(new URL(origin).hostname);

function isAcceptedAt(redirects: AcceptedRedirects, origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  if (protocol === "https:") return true;
  switch (redirects) {
    case "https":
      return false;
    case "https, or http://127.0.0.1":
      return hostname === "127.0.0.1";
    case "https, or http://localhost":
      return LOCAL_HOSTS.includes(hostname);
    default:
      return redirects satisfies never;
  }
}

export type Tick = Pick<SetupTick, "platform" | "step" | "source">;

/** `confirmed`: by the platform. `done`: by the owner's tick or by variables. */
export type StepState = "confirmed" | "done" | "open" | "mend";

export interface JudgedStep {
  /** Counted from 1. */
  number: number;
  step: SetupStep;
  state: StepState;
  problems: SetupProblem[];
  pastes: SetupAddress[];
  tick: Tick | null;
}

export function judgeSteps(
  connector: Pick<Connector, "platform" | "name" | "needs">,
  steps: readonly SetupStep[],
  facts: SetupFacts & { ticks: readonly Tick[]; isAudited: boolean },
): JudgedStep[] {
  const { platform } = connector;
  const problems = findProblems(connector, steps, facts);
  return steps.map((step, index) => {
    const own = problems.filter((problem) => problem.step === step.id);
    const tick = facts.ticks.find((one) => one.platform === platform && one.step === step.id);
    return {
      number: index + 1,
      step,
      state: stateOf(step, { problems: own, tick: tick ?? null, facts }),
      problems: own,
      pastes: pastesOf(step, platform, facts.origin),
      tick: tick ?? null,
    };
  });
}

function stateOf(
  step: SetupStep,
  {
    problems,
    tick,
    facts,
  }: {
    problems: readonly SetupProblem[];
    tick: Tick | null;
    facts: SetupFacts & { isAudited: boolean };
  },
): StepState {
  const { endsLimits, variables } = step;
  if (problems.some(({ isFailure }) => isFailure)) return "mend";
  const isComplete = variables?.every((one) => isSet(facts.variables, one)) ?? false;
  const isLost = variables !== undefined && facts.variables.names !== null && !isComplete;
  const isConfirmed = checkOf(step, facts.checks)?.verdict === "right";
  if (isConfirmed || (tick?.source === "platform" && !isLost)) return "confirmed";
  if (tick?.source === "platform") return "open";
  const isPassed = endsLimits === true && facts.isAudited;
  return tick || isComplete || isPassed ? "done" : "open";
}

export function describeProblem({ message, step }: SetupProblem, judged: readonly JudgedStep[]) {
  const mending = judged.find((one) => one.step.id === step);
  return mending ? `${message} Step ${mending.number} mends it: ${mending.step.title}.` : message;
}
