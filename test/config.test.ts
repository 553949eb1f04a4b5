import { describe, expect, test } from "vitest";
import { createApp } from "../src/app.ts";
import { ConfigError, parseConfig, readSettings } from "../src/config.ts";
import { DEFAULT_PLANS } from "../src/core/plans.ts";
import { createDeps, type Env } from "../src/deps.ts";

const KEY = btoa("k".repeat(32));
const GOOD = {
  ENVIRONMENT: "production",
  ENCRYPTION_KEYS: `a:${KEY}`,
  SIGNING_KEY: "s".repeat(32),
};

const signatureFile = (signature: string) => ({
  name: `tiktok${signature}.txt`,
  text: `tiktok-developers-site-verification=${signature}`,
});

function problemOf(vars: object): string {
  try {
    const present = Object.entries({ ...GOOD, ...vars }).filter(([, value]) => value !== undefined);
    parseConfig(Object.fromEntries(present));
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

test("the least there can be", () => {
  expect(parseConfig(GOOD)).toEqual({
    environment: "production",
    isDevelopment: false,
    publicUrl: null,
    shortDomain: null,
    edge: null,
    sandboxEnabled: false,
    rateLimits: {},
    clockOffsetSeconds: 0,
    platformOrigins: {},
    siteFiles: [],
    encryptionKeys: [{ id: "a", bytes: expect.any(Uint8Array) }],
    signingKey: "s".repeat(32),
    emailFrom: null,
    vapid: null,
    appKeys: {},
    halfAppKeys: [],
    appScopes: {},
    auditedPlatforms: [],
    derivedMetrics: [],
    releases: null,
    claim: null,
    storage: null,
    backup: { isOn: true, access: null, missing: [] },
    plans: DEFAULT_PLANS,
    defaultPlan: "owner",
    invitedPlan: "basic",
    maxPeople: 100,
    mediaRetentionHours: 24,
    subrequestsPerInvocation: 50,
  });
});

const VAPID = {
  VAPID_PUBLIC_KEY:
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  VAPID_PRIVATE_KEY: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
};

test.each<[object, object]>([
  [{ PUBLIC_URL: "https://akimbo.example" }, { publicUrl: "https://akimbo.example" }],
  [{ PUBLIC_URL: "" }, { publicUrl: null }],
  [{ SHORT_DOMAIN: "go.example.com" }, { shortDomain: "go.example.com" }],
  [{ RELEASES_URL: "https://releases.example/release.json" }, { releases: null }],
  [
    { RELEASES_URL: "https://releases.example/release.json", RELEASE_KEYS: `r1:${KEY}` },
    {
      releases: {
        url: "https://releases.example/release.json",
        keys: [{ id: "r1", bytes: expect.any(Uint8Array) }],
      },
    },
  ],
  [{ SHORT_DOMAIN: "localhost:8788" }, { shortDomain: "localhost:8788" }],
  [{ YOUTUBE_DERIVED_METRICS: "on" }, { derivedMetrics: ["youtube"] }],
  [{ YOUTUBE_DERIVED_METRICS: "off" }, { derivedMetrics: [] }],
  [{ CLOUDFLARE_API_TOKEN: "t" }, { edge: null }],
  [
    { CLAIM_CODE: `${"0f".repeat(32)}:1796000000000` },
    { claim: { hash: "0f".repeat(32), expiresAt: 1_796_000_000_000 } },
  ],
  [
    { CLOUDFLARE_API_TOKEN: "t", CLOUDFLARE_ZONE_ID: "0123456789abcdef".repeat(2) },
    { edge: { apiToken: "t", zoneId: "0123456789abcdef".repeat(2) } },
  ],
  [
    { INVITED_PLAN: "pro", MAX_PEOPLE: "5" },
    { invitedPlan: "pro", maxPeople: 5 },
  ],
  ...["50", "99", "100", "10000", "9999999", "10000000"].map((value): [object, object] => [
    { SUBREQUESTS_PER_INVOCATION: value },
    { subrequestsPerInvocation: Number(value) },
  ]),
  [{ BACKUP: "off" }, { backup: { isOn: false } }],
  [{ ENVIRONMENT: "development" }, { backup: { isOn: false } }],
  [
    { BACKUP_ENDPOINT: "https://s3.example.com/mine/", BACKUP_ACCESS_KEY_ID: "a" },
    { backup: { access: null, missing: ["BACKUP_SECRET_ACCESS_KEY"] } },
  ],
  [
    {
      BACKUP_ENDPOINT: "https://s3.example.com/mine/",
      BACKUP_ACCESS_KEY_ID: "a",
      BACKUP_SECRET_ACCESS_KEY: "b",
    },
    {
      backup: {
        access: { endpoint: "https://s3.example.com/mine", accessKeyId: "a", secretAccessKey: "b" },
        missing: [],
      },
    },
  ],
  [{ SANDBOX: "on" }, { sandboxEnabled: true }],
  [{ TIKTOK_CLIENT_ID: "a" }, { appKeys: {}, halfAppKeys: ["TIKTOK_CLIENT_ID"] }],
  [
    { TIKTOK_CLIENT_ID: "a", TIKTOK_CLIENT_SECRET: "b" },
    { appKeys: { tiktok: { clientId: "a", clientSecret: "b" } }, halfAppKeys: [] },
  ],
  [
    { LINKEDIN_PAGES_CLIENT_ID: "a", LINKEDIN_PAGES_CLIENT_SECRET: "b" },
    { appKeys: { linkedin_pages: { clientId: "a", clientSecret: "b" } }, halfAppKeys: [] },
  ],
  [
    { LINKEDIN_PAGES_CLIENT_SECRET: "b" },
    { appKeys: {}, halfAppKeys: ["LINKEDIN_PAGES_CLIENT_SECRET"] },
  ],
  [
    { FACEBOOK_CLIENT_ID: "a", FACEBOOK_CLIENT_SECRET: "b", FACEBOOK_CONFIG_ID: "123" },
    { appKeys: { facebook: { clientId: "a", clientSecret: "b", configId: "123" } } },
  ],
  [{ AUDITED_PLATFORMS: "tiktok, pinterest" }, { auditedPlatforms: ["tiktok", "pinterest"] }],
  [{ APP_SCOPES: '{"linkedin":["a"]}' }, { appScopes: { linkedin: ["a"] } }],
  [{ APP_SCOPES: '{"linkedin_pages":["a"]}' }, { appScopes: { linkedin_pages: ["a"] } }],
  [{ ENVIRONMENT: "development" }, { isDevelopment: true, sandboxEnabled: true }],
  [{ ENVIRONMENT: "development", SANDBOX: "off" }, { sandboxEnabled: false }],
  [{ ENVIRONMENT: "development", RATE_LIMITS: "off" }, { rateLimits: "off" }],
  [
    { RATE_LIMITS: '{"read":{"limit":1,"windowSeconds":2}}' },
    { rateLimits: { read: { limit: 1, windowSeconds: 2 } } },
  ],
  [{ ENVIRONMENT: "development", CLOCK_OFFSET: "-3600" }, { clockOffsetSeconds: -3_600 }],
  [
    {
      ENVIRONMENT: "development",
      PLATFORM_ORIGINS: '{"https://api.x.com":"http://127.0.0.1:4010"}',
    },
    { platformOrigins: { "https://api.x.com": "http://127.0.0.1:4010" } },
  ],
  [{ ENCRYPTION_KEYS: `b:${KEY}, a:${KEY}` }, { encryptionKeys: [{ id: "b" }, { id: "a" }] }],
  [{ TIKTOK_SITE_VERIFICATION: "AbC123xyz" }, { siteFiles: [signatureFile("AbC123xyz")] }],
  [
    {
      TIKTOK_SITE_VERIFICATION:
        "tiktokAbC123xyz.txt, tiktok-developers-site-verification=DeF456uvw",
    },
    { siteFiles: [signatureFile("AbC123xyz"), signatureFile("DeF456uvw")] },
  ],
  [VAPID, { vapid: { publicKey: VAPID.VAPID_PUBLIC_KEY, privateKey: VAPID.VAPID_PRIVATE_KEY } }],
  [{ ...VAPID, VAPID_PRIVATE_KEY: "" }, { vapid: null }],
  [{ DB: {}, UNRELATED: "x" }, { environment: "production" }],
])("%j is understood", (vars, expected) => {
  expect(parseConfig({ ...GOOD, ...vars })).toMatchObject(expected);
});

test.each<[string, object]>([
  ["ENVIRONMENT", { ENVIRONMENT: "staging" }],
  ["INVITED_PLAN", { INVITED_PLAN: "large" }],
  ["YOUTUBE_DERIVED_METRICS", { YOUTUBE_DERIVED_METRICS: "yes" }],
  ["YOUTUBE_DERIVED_METRICS", { YOUTUBE_DERIVED_METRICS: "ON" }],
  ["MAX_PEOPLE", { MAX_PEOPLE: "0" }],
  ["MAX_PEOPLE", { MAX_PEOPLE: "many" }],
  ["ENVIRONMENT is missing", { ENVIRONMENT: undefined }],
  ["ENVIRONMENT is missing", { ENVIRONMENT: "" }],
  ["PUBLIC_URL", { PUBLIC_URL: "akimbo.example" }],
  ["PUBLIC_URL", { PUBLIC_URL: "https://akimbo.example/" }],
  ["PUBLIC_URL", { PUBLIC_URL: "https://akimbo.example/api" }],
  ["TIKTOK_SITE_VERIFICATION", { TIKTOK_SITE_VERIFICATION: "../secret" }],
  ["TIKTOK_SITE_VERIFICATION", { TIKTOK_SITE_VERIFICATION: "AbC123xyz,google123.html" }],
  ...["49", "050", "10000001", "many"].map((value): [string, object] => [
    "SUBREQUESTS_PER_INVOCATION",
    { SUBREQUESTS_PER_INVOCATION: value },
  ]),
  ["SANDBOX", { SANDBOX: "yes" }],
  ["BACKUP", { BACKUP: "nightly" }],
  ["BACKUP_ENDPOINT", { BACKUP_ENDPOINT: "s3.example.com" }],
  ["BACKUP_ENDPOINT", { BACKUP_ENDPOINT: "http://s3.example.com/mine" }],
  ["BACKUP_ENDPOINT", { ENVIRONMENT: "development", BACKUP_ENDPOINT: "HTTP://s3.example.com/a" }],
  ["FACEBOOK_CONFIG_ID", { FACEBOOK_CONFIG_ID: "my configuration" }],
  ["RATE_LIMITS", { RATE_LIMITS: "on" }],
  ["RATE_LIMITS", { RATE_LIMITS: "{" }],
  ["RATE_LIMITS", { RATE_LIMITS: "[]" }],
  ["RATE_LIMITS", { RATE_LIMITS: '{"read":{"limit":0,"windowSeconds":1}}' }],
  ["RATE_LIMITS", { RATE_LIMITS: '{"read":{"limit":1}}' }],
  ["RATE_LIMITS", { RATE_LIMITS: '{"read":{"limit":1,"windowSeconds":1,"x":1}}' }],
  [
    "RATE_LIMITS",
    { RATE_LIMITS: '{"reads of a group that is none":{"limit":1,"windowSeconds":1}}' },
  ],
  ["ENCRYPTION_KEYS", { ENCRYPTION_KEYS: KEY }],
  ["ENCRYPTION_KEYS", { ENCRYPTION_KEYS: "a:!!!" }],
  ["ENCRYPTION_KEYS", { ENCRYPTION_KEYS: `a:${btoa("short")}` }],
  ["ENCRYPTION_KEYS", { ENCRYPTION_KEYS: `a.b:${KEY}` }],
  ["ENCRYPTION_KEYS", { ENCRYPTION_KEYS: `a:${KEY},` }],
  ["ENCRYPTION_KEYS", { ENCRYPTION_KEYS: `a:${KEY},a:${btoa("j".repeat(32))}` }],
  ["ENCRYPTION_KEYS is missing", { ENCRYPTION_KEYS: undefined }],
  ["VAPID_PUBLIC_KEY", { ...VAPID, VAPID_PUBLIC_KEY: VAPID.VAPID_PRIVATE_KEY }],
  ["VAPID_PRIVATE_KEY", { ...VAPID, VAPID_PRIVATE_KEY: VAPID.VAPID_PUBLIC_KEY }],
  ["SIGNING_KEY", { SIGNING_KEY: "short" }],
  ["SIGNING_KEY is missing", { SIGNING_KEY: undefined }],
  ["CLOCK_OFFSET", { ENVIRONMENT: "development", CLOCK_OFFSET: "1h" }],
  ["CLOCK_OFFSET", { ENVIRONMENT: "development", CLOCK_OFFSET: "1.5" }],
  ["PLATFORM_ORIGINS", { ENVIRONMENT: "development", PLATFORM_ORIGINS: "x" }],
  [
    "PLATFORM_ORIGINS",
    { ENVIRONMENT: "development", PLATFORM_ORIGINS: '{"https://a.example/x":"http://b.example"}' },
  ],
])("a bad value is named: %s (%j)", (name, vars) => {
  expect(problemOf(vars)).toContain(name);
});

test.each<[string, object]>([
  ["CLOCK_OFFSET", { CLOCK_OFFSET: "0" }],
  ["PLATFORM_ORIGINS", { PLATFORM_ORIGINS: "{}" }],
  ["RATE_LIMITS=off", { RATE_LIMITS: "off" }],
  ["BACKUP_ENDPOINT=http://", { BACKUP_ENDPOINT: "http://localhost:9000/mine" }],
])("%s is for development only", (name, vars) => {
  expect(problemOf(vars)).toMatch(new RegExp(`${name}.*ENVIRONMENT=development`));
  expect(problemOf({ ...vars, ENVIRONMENT: "development" })).toBe("");
});

test("everything that is wrong is named at once, and no value is told", () => {
  const missing = problemOf({
    SIGNING_KEY: "hunter2",
    ENCRYPTION_KEYS: "a:hunter3",
    SANDBOX: "hunter4",
  });
  expect(missing).toMatch(/SIGNING_KEY/);
  expect(missing).toMatch(/ENCRYPTION_KEYS/);
  expect(missing).toMatch(/SANDBOX/);
  expect(missing).not.toMatch(/hunter/);
  const forbidden = problemOf({ CLOCK_OFFSET: "1", PLATFORM_ORIGINS: "{}", RATE_LIMITS: "off" });
  expect(forbidden).toMatch(/CLOCK_OFFSET, PLATFORM_ORIGINS, RATE_LIMITS=off/);
});

describe("an instance that is misconfigured", () => {
  const app = createApp(() => createDeps({ ENVIRONMENT: "production" } as unknown as Env));

  test.each([
    ["GET", "/"],
    ["GET", "/health"],
    ["GET", "/docs"],
    ["GET", "/docs/scalar.js"],
    ["GET", "/sandbox"],
    ["GET", "/api/v1/openapi.json"],
    ["GET", "/api/v1/accounts"],
    ["POST", "/api/v1/upload"],
    ["GET", "/nothing"],
    ["DELETE", "/api/v1/accounts/1"],
  ])("answers %s %s with what is wrong, and nothing else", async (method, path) => {
    const response = await app.fetch(new Request(`https://akimbo.test${path}`, { method }));
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      success: false,
      error: "Configuration: ENCRYPTION_KEYS is missing; SIGNING_KEY is missing.",
      code: "UNAVAILABLE",
    });
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });
});

test("settings are shown without their secrets", () => {
  const env = {
    ...GOOD,
    PUBLIC_URL: "https://a.example",
    TIKTOK_CLIENT_SECRET: "t",
    MAX_PEOPLE: "",
  };
  expect(readSettings({ ...env, DB: {}, UNRELATED: "x" })).toEqual({
    values: { ENVIRONMENT: "production", PUBLIC_URL: "https://a.example" },
    secrets: ["ENCRYPTION_KEYS", "SIGNING_KEY", "TIKTOK_CLIENT_SECRET"],
  });
});
