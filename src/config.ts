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
  PLATFORM_ORIGINS: json(z.record(origin, origin)).optional(),
  TIKTOK_SITE_VERIFICATION: tiktokSignatures.optional(),
  ENCRYPTION_KEYS: encryptionKeys,
  EMAIL_FROM: z.email("must be an e-mail address").optional(),
  SIGNING_KEY: z.string().min(32, "must have at least 32 characters"),
});

/** Storage is the largest cost of all. Spec is silent. */
const MEDIA_RETENTION_HOURS = 24;

/** Every name but those of `appKeyNames`. */
export const VARIABLE_NAMES = Object.keys(variables.shape);

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
  /** The owner's app at each platform that needs one; a platform without keys is absent. */
  appKeys: Partial<Record<Platform, { clientId: string; clientSecret: string }>>;
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
      return clientId && clientSecret ? [[platform, { clientId, clientSecret }]] : [];
    }),
  );
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
    appKeys: readAppKeys(env),
  };
}

/** @throws ConfigError when PLANS names a platform that does not exist */
export function requirePlatforms({ plans }: Config, known: readonly Platform[]): void {
  const listed = Object.values(plans.plans).flatMap(({ platforms }) => platforms ?? []);
  const unknown = [...listed, ...Object.keys(plans.dailyCaps)].find(
    (name) => !known.includes(name),
  );
  if (unknown === undefined) return;
  throw new ConfigError(
    `Configuration: PLANS names ${unknown}, which is not a platform. Use ${known.join(", ")}.`,
  );
}
