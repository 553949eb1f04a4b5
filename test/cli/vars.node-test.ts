import assert from "node:assert/strict";
import { test } from "node:test";
import { checkVars, NAMES, parseVarOptions, readTomlVars } from "../../src/cli/vars.ts";
import { INSTANCE_KEY_NAMES } from "../../src/config.ts";
import { appKeyNames } from "../../src/core/app-keys.ts";
import { createEncryptionKeys, createSigningKey } from "../../src/core/instance-keys.ts";
import { connectors } from "../../src/platforms/registry.ts";

const KEYS = { ENCRYPTION_KEYS: createEncryptionKeys(), SIGNING_KEY: createSigningKey() };

test("knows every variable that a platform needs, a key by the platform's name", () => {
  for (const { platform, needs, pagesApp } of connectors()) {
    const names = [
      ...(needs.app === null ? [] : appKeyNames(platform)),
      ...(pagesApp ? appKeyNames(pagesApp.app) : []),
    ];
    for (const name of names) assert.ok(NAMES.includes(name), name);
    if (needs.key) {
      assert.equal(needs.key.variable, `${platform.toUpperCase()}_KEY`);
      assert.ok(INSTANCE_KEY_NAMES.some((name) => name === needs.key?.variable));
    }
  }
});

test("takes everything after the first colon as the value", () => {
  const option = 'PLATFORM_ORIGINS:{"https://api.x.com":"http://127.0.0.1:4010"}';
  assert.deepEqual(parseVarOptions([option, "SANDBOX:off"]), {
    PLATFORM_ORIGINS: '{"https://api.x.com":"http://127.0.0.1:4010"}',
    SANDBOX: "off",
  });
});

test("the last of two values for one name counts", () => {
  assert.deepEqual(parseVarOptions(["SANDBOX:on", "SANDBOX:off"]), { SANDBOX: "off" });
});

for (const option of ["SANDBOX", ":on", ""]) {
  test(`refuses "${option}", which is no NAME:VALUE`, () => {
    assert.throws(() => parseVarOptions([option]), /--var needs NAME:VALUE/);
  });
}

test("refuses a name the Worker does not know, by that name", () => {
  assert.throws(() => parseVarOptions(["SANDBOXX:on"]), /Unknown variable SANDBOXX\..*SANDBOX/);
});

test("fresh keys and development need nothing else", () => {
  assert.doesNotThrow(() => checkVars({ ...KEYS, ENVIRONMENT: "development" }));
});

const refused: [string, Record<string, string>, RegExp][] = [
  ["a malformed value", { ENVIRONMENT: "development", CLOCK_OFFSET: "1h" }, /CLOCK_OFFSET must be/],
  ["a wrong environment", { ENVIRONMENT: "staging" }, /ENVIRONMENT/],
  ["a moved clock in production", { ENVIRONMENT: "production", CLOCK_OFFSET: "5" }, /CLOCK_OFFSET/],
  [
    "no rate limits in production",
    { ENVIRONMENT: "production", RATE_LIMITS: "off" },
    /RATE_LIMITS/,
  ],
  [
    "other platforms in production",
    { ENVIRONMENT: "production", PLATFORM_ORIGINS: '{"https://a.example":"http://127.0.0.1:1"}' },
    /PLATFORM_ORIGINS/,
  ],
  [
    "a daily cap of a platform that does not exist",
    { ENVIRONMENT: "production", PLANS: '{"dailyCaps":{"blusky":1}}' },
    /PLANS names blusky/,
  ],
  [
    "permissions of a platform that does not exist",
    { ENVIRONMENT: "production", APP_SCOPES: '{"linkedn":["openid"]}' },
    /APP_SCOPES names linkedn/,
  ],
  [
    "permissions that Akimbo does not use",
    { ENVIRONMENT: "production", APP_SCOPES: '{"linkedin_pages":["w_organisation_social"]}' },
    /APP_SCOPES asks linkedin_pages for w_organisation_social, which is not a permission that Akimbo uses\. Use r_basicprofile/,
  ],
  [
    "an audit by a platform that does not exist",
    { ENVIRONMENT: "production", AUDITED_PLATFORMS: "tiktok,tictoc" },
    /AUDITED_PLATFORMS names tictoc, which is not a platform/,
  ],
  ["a missing key", { ENVIRONMENT: "development", SIGNING_KEY: "" }, /SIGNING_KEY is missing/],
];
for (const [what, vars, message] of refused) {
  test(`refuses ${what}, by name`, () => {
    assert.throws(() => checkVars({ ...KEYS, ...vars }), message);
  });
}

test("reads the strings under [vars] and nothing else of wrangler.toml", () => {
  const toml = `
name = "akimbo"
[vars]
ENVIRONMENT = "production" # the default
PUBLIC_URL = 'https://a.example'
RATE_LIMITS = "{\\"uploads\\":{\\"limit\\":1,\\"windowSeconds\\":2}}"
NUMBER = 5
[assets]
directory = ".assets"
[[queues.consumers]]
queue = "q"
`;
  assert.deepEqual(readTomlVars(toml), {
    ENVIRONMENT: "production",
    PUBLIC_URL: "https://a.example",
    RATE_LIMITS: '{"uploads":{"limit":1,"windowSeconds":2}}',
  });
});
