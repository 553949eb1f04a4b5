import { type AppKeys, isAppKey, readAppKeys, readHalfAppKeys } from "./core/app-keys.ts";
import type { Claim } from "./core/claim-code.ts";
import { moveClock } from "./core/clock.ts";
import type { EncryptionKey } from "./core/encryption.ts";
import type { PLATFORM_KEY_NAMES } from "./core/instance-keys.ts";
import { plansOverride, readPlans } from "./core/plan-readers.ts";
import { PLAN_NAMES, type PlanName, type Plans } from "./core/plans.ts";
import { APP_NAMES, type AppName, PLATFORMS, type Platform } from "./core/platforms.ts";
import { isPrivateKey, isPublicKey, type VapidKeys } from "./core/push-keys.ts";
import {
  json,
  listOf,
  Malformed,
  matching,
  notEmpty,
  oneOf,
  type Read,
  type Reader,
  recordOf,
  text,
  textThat,
} from "./core/readers.ts";
import { type ReleaseKey, readReleaseKeys } from "./core/release-keys.ts";
import {
  claim,
  commaList,
  EMAIL,
  encryptionKeys,
  httpUrl,
  isOrigin,
  onOff,
  origin,
  privateKey,
  privateUrl,
  type RateLimits,
  rateLimits,
  type SiteFile,
  tiktokFiles,
  wholeText,
} from "./core/variables.ts";

/** The message names each variable that is missing, malformed or not allowed. */
export class ConfigError extends Error {}

/** Files with which platforms verify this instance's domain or URL prefix. */
const SITE_FILES = { TIKTOK_SITE_VERIFICATION: tiktokFiles };

const INSTANCE_KEYS = { BLUESKY_KEY: json(privateKey) } satisfies Record<
  (typeof PLATFORM_KEY_NAMES)[number],
  Reader<unknown>
>;

/** `on` says that the platform accepted this instance's use of figures derived from its own. */
const DERIVED_METRICS = { YOUTUBE_DERIVED_METRICS: onOff };

const namesOf = <T extends object>(record: T) => Object.keys(record) as (keyof T & string)[];

export const INSTANCE_KEY_NAMES = namesOf(INSTANCE_KEYS);

const VARIABLES = {
  ENVIRONMENT: oneOf(["production", "development"]),
  PUBLIC_URL: origin,
  SHORT_DOMAIN: matching(
    /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/,
    "must be a host name in lower case, such as go.example.com",
  ),
  SANDBOX: onOff,
  RATE_LIMITS: rateLimits,
  CLOCK_OFFSET: wholeText(/^-?\d{1,9}$/, "seconds"),
  PLANS: json(plansOverride),
  DEFAULT_PLAN: oneOf(PLAN_NAMES),
  INVITED_PLAN: oneOf(PLAN_NAMES),
  MAX_PEOPLE: wholeText(/^[1-9]\d{0,5}$/, "people, from 1 to 999999"),
  MEDIA_RETENTION_HOURS: wholeText(/^\d{1,5}$/, "hours"),
  SUBREQUESTS_PER_INVOCATION: wholeText(
    /^(?:[5-9]\d|[1-9]\d{2,6}|10000000)$/,
    "subrequests, from 50 to 10000000",
  ),
  APP_SCOPES: json(recordOf(listOf(matching(/^\S+$/, "must be a word")))),
  AUDITED_PLATFORMS: commaList,
  PLATFORM_ORIGINS: json(recordOf(origin, isOrigin)),
  ...SITE_FILES,
  FACEBOOK_CONFIG_ID: matching(
    /^\d{1,20}$/,
    "must be the id of a configuration of Facebook Login for Business",
  ),
  ENCRYPTION_KEYS: encryptionKeys,
  ...INSTANCE_KEYS,
  ...DERIVED_METRICS,
  VAPID_PUBLIC_KEY: textThat(isPublicKey, "must be a point of P-256: 65 bytes as base64url"),
  VAPID_PRIVATE_KEY: textThat(isPrivateKey, "must be 32 bytes as base64url"),
  EMAIL_FROM: matching(EMAIL, "must be an e-mail address"),
  SIGNING_KEY: textThat(({ length }) => length >= 32, "must have at least 32 characters"),
  CLOUDFLARE_API_TOKEN: notEmpty,
  CLOUDFLARE_ZONE_ID: matching(/^[0-9a-f]{32}$/, "must be the 32 hex digits of a zone"),
  RELEASES_URL: httpUrl,
  RELEASE_KEYS: readReleaseKeys,
  STORAGE_ENDPOINT: httpUrl,
  R2_ACCESS_KEY_ID: text,
  R2_SECRET_ACCESS_KEY: text,
  CLAIM_CODE: claim,
  BACKUP: onOff,
  BACKUP_ENDPOINT: privateUrl,
  BACKUP_ACCESS_KEY_ID: text,
  BACKUP_SECRET_ACCESS_KEY: text,
};

/** Variables whose values backups may show. All others are secrets. */
const SHOWN = [
  "ENVIRONMENT",
  "PUBLIC_URL",
  "SHORT_DOMAIN",
  "SANDBOX",
  "RATE_LIMITS",
  "PLANS",
  "DEFAULT_PLAN",
  "INVITED_PLAN",
  "MAX_PEOPLE",
  "MEDIA_RETENTION_HOURS",
  "SUBREQUESTS_PER_INVOCATION",
  "APP_SCOPES",
  "AUDITED_PLATFORMS",
  "FACEBOOK_CONFIG_ID",
  "YOUTUBE_DERIVED_METRICS",
  "EMAIL_FROM",
  "CLOUDFLARE_ZONE_ID",
  "STORAGE_ENDPOINT",
  "BACKUP",
  "BACKUP_ENDPOINT",
] as const satisfies (keyof typeof VARIABLES)[];

const REQUIRED = ["ENVIRONMENT", "ENCRYPTION_KEYS", "SIGNING_KEY"] as const;

type Values = { [N in keyof typeof VARIABLES]: Read<(typeof VARIABLES)[N]> };
type Variables = Partial<Values> & Pick<Values, (typeof REQUIRED)[number]>;

/** Spec is silent; storage is the largest cost. */
const MEDIA_RETENTION_HOURS = 24;

/** Spec is silent; the operator pays for each person's team. */
const MAX_PEOPLE = 100;

/**
 * Cloudflare's free plan has this limit. The paid plan has 10,000, and `limits.subrequests` in wrangler.toml up to 10
 * million.
 *
 * @see https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
const SUBREQUESTS_PER_INVOCATION = 50;

/** Does not contain the client ids and secrets of platform apps. */
export const VARIABLE_NAMES = Object.keys(VARIABLES);

export interface StorageAccess {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface BackupSettings {
  isOn: boolean;
  /** Null means the bucket of the instance. */
  access: StorageAccess | null;
  /** Names of variables for another storage that are missing while others of them are set. */
  missing: string[];
}

export interface Settings {
  values: Record<string, string>;
  /** Names of the secrets that are set. */
  secrets: string[];
}

export interface Config {
  environment: "production" | "development";
  isDevelopment: boolean;
  /** Null means the origin of each request. */
  publicUrl: string | null;
  /** Null means that short links are under /s/ of the instance. */
  shortDomain: string | null;
  edge: { apiToken: string; zoneId: string } | null;
  sandboxEnabled: boolean;
  /** Limits that replace the defaults, by group. "off" is allowed only in development. */
  rateLimits: RateLimits;
  clockOffsetSeconds: number;
  /** Replaces a platform's real origin, to run its connector against another implementation. */
  platformOrigins: Record<string, string>;
  siteFiles: readonly SiteFile[];
  encryptionKeys: EncryptionKey[];
  signingKey: string;
  /** Null means that no mail is sent. */
  emailFrom: string | null;
  vapid: VapidKeys | null;
  plans: Plans;
  defaultPlan: PlanName;
  /** The plan of an invited person's own team. */
  invitedPlan: PlanName;
  /** Includes the owner. */
  maxPeople: number;
  /** Counted from the publication of a post. */
  mediaRetentionHours: number;
  /** Calls that one run of the Worker may make, to platforms and to Cloudflare's services together. */
  subrequestsPerInvocation: number;
  /** Where the newest release stands, and the keys that sign it. Null when the owner allows no request. */
  releases: { url: string; keys: readonly ReleaseKey[] } | null;
  /** The code by which the deployment lets its owner claim the instance. */
  claim: Claim | null;
  /** Null turns presigned uploads off. */
  storage: StorageAccess | null;
  backup: BackupSettings;
  /** An app without keys is absent. */
  appKeys: Partial<Record<AppName, AppKeys>>;
  halfAppKeys: string[];
  /** An app with the default scopes is absent. */
  appScopes: Partial<Record<AppName, readonly string[]>>;
  /** Platforms whose audit the owner's app has passed. */
  auditedPlatforms: readonly Platform[];
  /** Platforms whose figures may be added to others' and kept by month, though their terms forbid it. */
  derivedMetrics: readonly Platform[];
}

const readInstanceKeys = (vars: Variables): Config["appKeys"] =>
  Object.fromEntries(
    INSTANCE_KEY_NAMES.flatMap((name) => {
      const platform = name.replace(/_KEY$/, "").toLowerCase();
      const key = vars[name];
      return key ? [[platform, { clientId: "", clientSecret: "", privateKey: key }]] : [];
    }),
  );

export const derivedMetricsName = (platform: Platform): string =>
  `${platform.toUpperCase()}_DERIVED_METRICS`;

const readDerivedMetrics = (vars: Variables): Platform[] =>
  PLATFORMS.filter((platform) =>
    namesOf(DERIVED_METRICS).some(
      (name) => name === derivedMetricsName(platform) && vars[name] === "on",
    ),
  );

function readStorage(vars: Variables): StorageAccess | null {
  const { STORAGE_ENDPOINT: endpoint, R2_ACCESS_KEY_ID: id, R2_SECRET_ACCESS_KEY: secret } = vars;
  return endpoint && id && secret ? { endpoint, accessKeyId: id, secretAccessKey: secret } : null;
}

function readReleases({ RELEASES_URL: url, RELEASE_KEYS: keys }: Variables): Config["releases"] {
  return url && keys ? { url, keys } : null;
}

const BACKUP_ACCESS = [
  "BACKUP_ENDPOINT",
  "BACKUP_ACCESS_KEY_ID",
  "BACKUP_SECRET_ACCESS_KEY",
] as const;

function readBackup(vars: Variables): BackupSettings {
  const [endpoint, accessKeyId, secretAccessKey] = BACKUP_ACCESS.map((name) => vars[name]);
  const missing = BACKUP_ACCESS.filter((name) => !vars[name]);
  return {
    isOn: vars.BACKUP ? vars.BACKUP === "on" : vars.ENVIRONMENT === "production",
    access:
      endpoint && accessKeyId && secretAccessKey
        ? { endpoint, accessKeyId, secretAccessKey }
        : null,
    missing: missing.length === BACKUP_ACCESS.length ? [] : missing,
  };
}

/** What is set, with the values that are no secrets. Bindings are left out. */
export function readSettings(env: object): Settings {
  const shown: readonly string[] = SHOWN;
  const isOurs = (name: string) => VARIABLE_NAMES.includes(name) || isAppKey(name);
  const set = Object.entries(env).filter(
    ([name, value]) => typeof value === "string" && value !== "" && isOurs(name),
  );
  return {
    values: Object.fromEntries(set.filter(([name]) => shown.includes(name))),
    secrets: set.flatMap(([name]) => (shown.includes(name) ? [] : [name])).sort(),
  };
}

function readVapid(vars: Variables): VapidKeys | null {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey } = vars;
  return publicKey && privateKey ? { publicKey, privateKey } : null;
}

function readEdge(vars: Variables): Config["edge"] {
  const { CLOUDFLARE_API_TOKEN: apiToken, CLOUDFLARE_ZONE_ID: zoneId } = vars;
  return apiToken && zoneId ? { apiToken, zoneId } : null;
}

export const namesOwnDomain = (
  config: Pick<Config, "isDevelopment" | "publicUrl" | "siteFiles">,
): boolean => config.isDevelopment || config.publicUrl !== null || config.siteFiles.length > 0;

/** @throws ConfigError for missing or malformed variables */
function readVariables(env: object): Variables {
  const variables = env as Record<string, unknown>;
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(VARIABLES)) {
    const value = variables[name];
    try {
      if (value !== undefined && value !== "") values[name] = read(value);
      else if (REQUIRED.some((one) => one === name)) problems.push(`${name} is missing`);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      problems.push(`${name} ${error.message}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(`Configuration: ${problems.join("; ")}.`);
  return values as Variables;
}

/** @throws ConfigError for variables that are missing, malformed, or allowed only in development */
export function parseConfig(env: object): Config {
  const vars = readVariables(env);
  const isDevelopment = vars.ENVIRONMENT === "development";
  const developmentOnly = [
    vars.CLOCK_OFFSET !== undefined && "CLOCK_OFFSET",
    vars.PLATFORM_ORIGINS !== undefined && "PLATFORM_ORIGINS",
    vars.RATE_LIMITS === "off" && "RATE_LIMITS=off",
    /^http:/i.test(vars.BACKUP_ENDPOINT ?? "") && "BACKUP_ENDPOINT=http://",
  ].filter((name) => name !== false);
  if (!isDevelopment && developmentOnly.length > 0) {
    throw new ConfigError(
      `Configuration: ${developmentOnly.join(", ")} is allowed only with ENVIRONMENT=development.`,
    );
  }
  return {
    environment: vars.ENVIRONMENT,
    isDevelopment,
    publicUrl: vars.PUBLIC_URL ?? null,
    shortDomain: vars.SHORT_DOMAIN ?? null,
    edge: readEdge(vars),
    sandboxEnabled: vars.SANDBOX ? vars.SANDBOX === "on" : isDevelopment,
    rateLimits: vars.RATE_LIMITS ?? {},
    clockOffsetSeconds: vars.CLOCK_OFFSET ?? 0,
    platformOrigins: vars.PLATFORM_ORIGINS ?? {},
    siteFiles: namesOf(SITE_FILES).flatMap((name) => vars[name] ?? []),
    encryptionKeys: vars.ENCRYPTION_KEYS,
    signingKey: vars.SIGNING_KEY,
    emailFrom: vars.EMAIL_FROM ?? null,
    vapid: readVapid(vars),
    plans: readPlans(vars.PLANS),
    defaultPlan: vars.DEFAULT_PLAN ?? "owner",
    invitedPlan: vars.INVITED_PLAN ?? "basic",
    maxPeople: vars.MAX_PEOPLE ?? MAX_PEOPLE,
    mediaRetentionHours: vars.MEDIA_RETENTION_HOURS ?? MEDIA_RETENTION_HOURS,
    subrequestsPerInvocation: vars.SUBREQUESTS_PER_INVOCATION ?? SUBREQUESTS_PER_INVOCATION,
    releases: readReleases(vars),
    claim: vars.CLAIM_CODE ?? null,
    storage: readStorage(vars),
    backup: readBackup(vars),
    appKeys: { ...readAppKeys(env), ...readInstanceKeys(vars) },
    halfAppKeys: readHalfAppKeys(env),
    appScopes: vars.APP_SCOPES ?? {},
    auditedPlatforms: (vars.AUDITED_PLATFORMS ?? []) as Platform[],
    derivedMetrics: readDerivedMetrics(vars),
  };
}

const configByEnv = new WeakMap<object, Config>();

/**
 * Parses once per isolate, and moves the clock by the configured offset.
 *
 * @throws ConfigError for variables that are missing, malformed or not allowed
 */
export function configOf(env: object): Config {
  const existing = configByEnv.get(env);
  if (existing) return existing;
  const config = parseConfig(env);
  if (config.clockOffsetSeconds !== 0) moveClock(config.clockOffsetSeconds);
  configByEnv.set(env, config);
  return config;
}

/** @throws ConfigError when PLANS, APP_SCOPES or AUDITED_PLATFORMS names an unknown platform */
export function requirePlatforms({ plans, appScopes, auditedPlatforms }: Config): void {
  const listed = Object.values(plans.plans).flatMap(({ platforms }) => platforms ?? []);
  const usages = {
    PLANS: { names: [...listed, ...Object.keys(plans.dailyCaps)], allowed: PLATFORMS },
    APP_SCOPES: { names: Object.keys(appScopes), allowed: APP_NAMES },
    AUDITED_PLATFORMS: { names: auditedPlatforms, allowed: PLATFORMS },
  };
  for (const [variable, { names, allowed }] of Object.entries(usages)) {
    const unknown = names.find((name) => !allowed.some((one) => one === name));
    if (unknown === undefined) continue;
    throw new ConfigError(
      `Configuration: ${variable} names ${unknown}, which is not a platform. Use ${allowed.join(", ")}.`,
    );
  }
}
