import * as z from "zod";
import type { EncryptionKey } from "./core/encryption.ts";
import { DEFAULT_PLANS, PLAN_NAMES, type Plan, type PlanName, type Plans } from "./core/plans.ts";
import type { Platform } from "./core/platforms.ts";
import { isLimitName } from "./core/quotas.ts";

/** A variable or secret that is missing, malformed or not allowed here; the message names it. */
export class ConfigError extends Error {}

const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, ctx) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        ctx.addIssue({ code: "custom", message: "must be valid JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema);

const origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    "must be an origin, such as https://social.example.com",
  );

const httpUrl = z
  .url({ protocol: /^https?$/, error: "must be an http(s) address" })
  .transform((text) => text.replace(/\/+$/, ""));

const onOff = z.enum(["on", "off"]);

const quota = z.strictObject({
  limit: z.number().int().positive(),
  windowSeconds: z.number().int().positive(),
});

const rateLimits = z.union(
  [z.literal("off"), json(z.record(z.string().refine(isLimitName), quota))],
  {
    error: 'must be "off" or JSON such as {"upload-create":{"limit":50,"windowSeconds":900}}',
  },
);

const most = z.number().int().nonnegative().nullable();

/** Every part may be left out: what stands is what is other than usual. */
const plansOverride = z.strictObject({
  plans: z
    .partialRecord(
      z.enum(PLAN_NAMES),
      z
        .strictObject({
          monthlyPosts: most,
          members: most,
          presignBytes: most,
          analytics: z.boolean(),
          xCredits: z.number().int().nonnegative(),
          platforms: z.array(z.string()),
        })
        .partial(),
    )
    .optional(),
  packs: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        credits: z.number().int().positive(),
        price: z.string(),
      }),
    )
    .optional(),
  dailyCaps: z.record(z.string(), z.number().int().positive()).optional(),
});

function readPlans(override: z.infer<typeof plansOverride> = {}): Plans {
  const names = PLAN_NAMES.map((name) => {
    const plan: Plan = { ...DEFAULT_PLANS.plans[name], ...override.plans?.[name] };
    return [name, plan] as const;
  });
  return {
    plans: Object.fromEntries(names) as Record<PlanName, Plan>,
    packs: override.packs ?? DEFAULT_PLANS.packs,
    dailyCaps: override.dailyCaps ?? DEFAULT_PLANS.dailyCaps,
  };
}

const KEY_BYTES = 32;

/** `id:base64,id:base64`: the first encrypts, all decrypt. */
const encryptionKeys = z
  .string()
  .transform((text, ctx): EncryptionKey[] =>
    text.split(",").map((entry) => {
      const [id = "", encoded = ""] = entry.trim().split(":");
      try {
        const bytes = Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
        if (/^\w+$/.test(id) && bytes.length === KEY_BYTES) return { id, bytes };
      } catch {}
      ctx.addIssue({
        code: "custom",
        message: "must be keys of 32 bytes, each as id:base64, separated by commas",
      });
      return z.NEVER;
    }),
  )
  .refine(
    (keys) => new Set(keys.map(({ id }) => id)).size === keys.length,
    "must not use an id twice",
  );

/**
 * The signature of one domain or URL prefix: as such, as the name of TikTok's file, or as the file's text.
 *
 * @see https://developers.tiktok.com/doc/set-up-development-configuration
 */
const TIKTOK_SIGNATURE =
  /^(?:tiktok(\w{8,128})\.txt|(?:tiktok-developers-site-verification=)?(\w{8,128}))$/;

const tiktokSignatures = z.string().transform((text, ctx): string[] =>
  text.split(",").map((entry) => {
    const [, named, written] = TIKTOK_SIGNATURE.exec(entry.trim()) ?? [];
    const signature = named ?? written;
    if (signature !== undefined) return signature;
    ctx.addIssue({
      code: "custom",
      message: "must be names of TikTok's signature files, such as tiktokAbC123xyz.txt",
    });
    return z.NEVER;
  }),
);

/** A private key of ES256, as JWK. */
const privateKey = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string().min(1),
  y: z.string().min(1),
  d: z.string().min(1),
  kid: z.string().min(1),
});

const variables = z.object({
  ENVIRONMENT: z.enum(["production", "development"]),
  PUBLIC_URL: origin.optional(),
  SANDBOX: onOff.optional(),
  RATE_LIMITS: rateLimits.optional(),
  CLOCK_OFFSET: z
    .string()
    .regex(/^-?\d{1,9}$/, "must be a whole number of seconds")
    .transform(Number)
    .optional(),
  PLANS: json(plansOverride).optional(),
  DEFAULT_PLAN: z.enum(PLAN_NAMES).optional(),
  MEDIA_RETENTION_HOURS: z
    .string()
    .regex(/^\d{1,5}$/, "must be a whole number of hours")
    .transform(Number)
    .optional(),
  APP_SCOPES: json(z.record(z.string(), z.array(z.string().regex(/^\S+$/)))).optional(),
  PLATFORM_ORIGINS: json(z.record(origin, origin)).optional(),
  TIKTOK_SITE_VERIFICATION: tiktokSignatures.optional(),
  FACEBOOK_CONFIG_ID: z
    .string()
    .regex(/^\d{1,20}$/, "must be the id of a configuration of Facebook Login for Business")
    .optional(),
  ENCRYPTION_KEYS: encryptionKeys,
  BLUESKY_KEY: json(privateKey).optional(),
  EMAIL_FROM: z.email("must be an e-mail address").optional(),
  SIGNING_KEY: z.string().min(32, "must have at least 32 characters"),
  STORAGE_ENDPOINT: httpUrl.optional(),
  R2_ACCESS_KEY_ID: z.string().optional(),
  R2_SECRET_ACCESS_KEY: z.string().optional(),
});

/** Storage is the largest cost of all. Spec is silent. */
const MEDIA_RETENTION_HOURS = 24;

/** Every name but those of `appKeyNames`. */
export const VARIABLE_NAMES = Object.keys(variables.shape);

interface AppKeys {
  clientId: string;
  clientSecret: string;
  configId?: string;
  /** In place of the two others, where the app signs with a key. */
  privateKey?: z.infer<typeof privateKey>;
}

/** The way to the bucket by its S3 API, on which callers put large files. */
export interface StorageAccess {
  /** Address of the bucket, without a slash at its end. */
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface Config {
  environment: "production" | "development";
  isDevelopment: boolean;
  /** The origin callers use; null: the origin of each request. */
  publicUrl: string | null;
  sandboxEnabled: boolean;
  /** Overrides per group; "off" only in development. */
  rateLimits: "off" | Record<string, { limit: number; windowSeconds: number }>;
  clockOffsetSeconds: number;
  /** Real origin → replacement, to run connectors against another implementation of a platform. */
  platformOrigins: Record<string, string>;
  /** By which TikTok knows this instance's domain, or its URL prefix, as the owner's. */
  tiktokSignatures: string[];
  encryptionKeys: EncryptionKey[];
  signingKey: string;
  /** The sender of mail; null: none goes out. */
  emailFrom: string | null;
  /** The contents of each plan, and the packs of X credits on offer. */
  plans: Plans;
  /** The plan of teams that have none of their own. */
  defaultPlan: PlanName;
  /** How long the files of a published post are kept. */
  mediaRetentionHours: number;
  /** Null: no address is set, or no key, and nothing can be presigned. */
  storage: StorageAccess | null;
  /** The owner's app at each platform that needs one; a platform without keys is absent. */
  appKeys: Partial<Record<Platform, AppKeys>>;
  /** Variables with one key of an app that is absent because its other key is not set. */
  halfAppKeys: string[];
  /** The permissions that those apps may ask people for; a platform with the usual ones is absent. */
  appScopes: Partial<Record<Platform, readonly string[]>>;
}

/** The variables with the keys of the owner's app at a platform. */
export const appKeyNames = (platform: Platform): [id: string, secret: string] => {
  const name = platform.toUpperCase();
  return [`${name}_CLIENT_ID`, `${name}_CLIENT_SECRET`];
};

const CLIENT_ID = /^([A-Z0-9]+)_CLIENT_ID$/;

function readAppKeys(env: object): Config["appKeys"] {
  const vars = env as Record<string, string | undefined>;
  return Object.fromEntries(
    Object.keys(vars).flatMap((name) => {
      const platform = CLIENT_ID.exec(name)?.[1]?.toLowerCase();
      if (!platform) return [];
      const [clientId, clientSecret] = appKeyNames(platform).map((one) => vars[one]);
      if (!clientId || !clientSecret) return [];
      const configId = vars[`${platform.toUpperCase()}_CONFIG_ID`];
      return [[platform, { clientId, clientSecret, ...(configId ? { configId } : {}) }]];
    }),
  );
}

const APP_KEY = /^([A-Z0-9]+)_CLIENT_(?:ID|SECRET)$/;

const readHalfAppKeys = (env: object): string[] =>
  Object.entries(env).flatMap(([name, value]) => {
    const platform = APP_KEY.exec(name)?.[1]?.toLowerCase();
    return platform && value && !readAppKeys(env)[platform] ? [name] : [];
  });

const keyAlone = (key: z.infer<typeof privateKey>): AppKeys => ({
  clientId: "",
  clientSecret: "",
  privateKey: key,
});

function readStorage(vars: z.infer<typeof variables>): StorageAccess | null {
  const { STORAGE_ENDPOINT: endpoint, R2_ACCESS_KEY_ID: id, R2_SECRET_ACCESS_KEY: secret } = vars;
  return endpoint && id && secret ? { endpoint, accessKeyId: id, secretAccessKey: secret } : null;
}

/** Returns true when a platform that pulls only from verified domains can be shown that this one is ours. */
export const namesOwnDomain = (
  config: Pick<Config, "isDevelopment" | "publicUrl" | "tiktokSignatures">,
): boolean =>
  config.isDevelopment || config.publicUrl !== null || config.tiktokSignatures.length > 0;

/**
 * The variables and secrets as one object.
 *
 * @throws ConfigError naming every variable that is missing, malformed, or allowed only in
 * development
 */
export function parseConfig(env: object): Config {
  const present = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => VARIABLE_NAMES.includes(name) && value !== ""),
  );
  const parsed = variables.safeParse(present);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      return name in present ? `${name} ${issue.message}` : `${name} is missing`;
    });
    throw new ConfigError(`Configuration: ${[...new Set(problems)].join("; ")}.`);
  }
  const vars = parsed.data;
  const isDevelopment = vars.ENVIRONMENT === "development";
  const developmentOnly = [
    vars.CLOCK_OFFSET !== undefined && "CLOCK_OFFSET",
    vars.PLATFORM_ORIGINS !== undefined && "PLATFORM_ORIGINS",
    vars.RATE_LIMITS === "off" && "RATE_LIMITS=off",
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
    sandboxEnabled: vars.SANDBOX ? vars.SANDBOX === "on" : isDevelopment,
    rateLimits: vars.RATE_LIMITS ?? {},
    clockOffsetSeconds: vars.CLOCK_OFFSET ?? 0,
    platformOrigins: vars.PLATFORM_ORIGINS ?? {},
    tiktokSignatures: vars.TIKTOK_SITE_VERIFICATION ?? [],
    encryptionKeys: vars.ENCRYPTION_KEYS,
    signingKey: vars.SIGNING_KEY,
    emailFrom: vars.EMAIL_FROM ?? null,
    plans: readPlans(vars.PLANS),
    defaultPlan: vars.DEFAULT_PLAN ?? "owner",
    mediaRetentionHours: vars.MEDIA_RETENTION_HOURS ?? MEDIA_RETENTION_HOURS,
    storage: readStorage(vars),
    appKeys: {
      ...readAppKeys(env),
      ...(vars.BLUESKY_KEY ? { bluesky: keyAlone(vars.BLUESKY_KEY) } : {}),
    },
    halfAppKeys: readHalfAppKeys(env),
    appScopes: vars.APP_SCOPES ?? {},
  };
}

/** @throws ConfigError when PLANS or APP_SCOPES names a platform that does not exist */
export function requirePlatforms({ plans, appScopes }: Config, known: readonly Platform[]): void {
  const listed = Object.values(plans.plans).flatMap(({ platforms }) => platforms ?? []);
  const named = {
    PLANS: [...listed, ...Object.keys(plans.dailyCaps)],
    APP_SCOPES: Object.keys(appScopes),
  };
  for (const [variable, names] of Object.entries(named)) {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) continue;
    throw new ConfigError(
      `Configuration: ${variable} names ${unknown}, which is not a platform. Use ${known.join(", ")}.`,
    );
  }
}
