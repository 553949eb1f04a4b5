import { createExecutionContext, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { OWN_KEY_NAMES, type OwnKeyName } from "../../src/core/instance-keys.ts";
import { LATEST_MIGRATION } from "../../src/db/.generated/latest.ts";
import { completeEnv } from "../../src/durable/complete-env.ts";
import { theInstallation } from "../../src/durable/installation.ts";
import { ownKeysOf } from "../../src/durable/own-keys.ts";
import worker from "../../src/worker.ts";

type Variables = Partial<Record<OwnKeyName, string>>;

/** The environment of an isolate whose owner has set these keys alone. */
const isolate = (keys: Variables = {}) => {
  const { ...bindings } = env as typeof env & Variables;
  for (const name of OWN_KEY_NAMES) delete bindings[name];
  return { ...bindings, ...keys };
};

const keysOf = (complete: object): Variables =>
  Object.fromEntries(OWN_KEY_NAMES.map((name) => [name, (complete as Variables)[name]]));

const installation = () => theInstallation(env.INSTALLATION);

beforeEach(async () => {
  await runInDurableObject(installation(), async (_, { storage }) => {
    await storage.deleteAll();
    // The database of tests has its tables from elsewhere.
    await storage.put("schema", LATEST_MIGRATION);
  });
});

test("an instance without keys makes every one, and its configuration is whole", async () => {
  const complete = await completeEnv(isolate());
  expect(ownKeysOf(complete)).toEqual(OWN_KEY_NAMES);
  const config = parseConfig(complete);
  expect(config.encryptionKeys).toHaveLength(1);
  expect(config.vapid).not.toBeNull();
  expect(config.appKeys.bluesky?.privateKey).toMatchObject({ kty: "EC", crv: "P-256" });
});

test("isolates that start at once get the same keys, and so does one after a restart", async () => {
  const isolates = [isolate(), isolate(), isolate()];
  const keys = (await Promise.all(isolates.map(completeEnv))).map(keysOf);
  await evictDurableObject(installation());
  keys.push(keysOf(await completeEnv(isolate())));
  for (const one of keys) expect(one).toEqual(keys[0]);
});

test("variables and secrets come before the instance's own keys, each by itself", async () => {
  const SIGNING_KEY = "a signing key that the owner has chosen";
  const [mine, without] = await Promise.all([
    completeEnv(isolate({ SIGNING_KEY })),
    completeEnv(isolate()),
  ]);
  expect(keysOf(mine)).toEqual({ ...keysOf(without), SIGNING_KEY });
  expect(ownKeysOf(mine)).not.toContain("SIGNING_KEY");
});

test("keys that become secrets with the same values change nothing, and cost no call", async () => {
  const made = keysOf(await completeEnv(isolate()));
  const moved = {
    ...isolate(made),
    INSTALLATION: {
      getByName: () => {
        throw new Error("An environment with all keys asks for none.");
      },
    } as unknown as typeof env.INSTALLATION,
  };
  expect(completeEnv(moved) === moved).toBe(true);
});

test("half a pair of keys is left alone, and an empty optional key is off", async () => {
  const half = isolate({ VAPID_PUBLIC_KEY: "the owner's own", BLUESKY_KEY: "" });
  const keys = keysOf(await completeEnv(half));
  expect(keys).toMatchObject({ VAPID_PUBLIC_KEY: "the owner's own", BLUESKY_KEY: "" });
  expect(keys.VAPID_PRIVATE_KEY).toBeUndefined();
});

test("one call serves an isolate: later requests have the keys at once", async () => {
  const calls = vi.fn();
  const counted = {
    ...isolate(),
    INSTALLATION: {
      getByName: (name: string) => {
        calls(name);
        return env.INSTALLATION.getByName(name);
      },
    } as unknown as typeof env.INSTALLATION,
  };
  const first = await completeEnv(counted);
  const callsOfFirst = calls.mock.calls.length;
  expect(completeEnv(counted) === first).toBe(true);
  expect(calls.mock.calls.length).toBe(callsOfFirst);
});

test("no key is written to the log or the database", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const bindings = isolate();
  const request = new Request("https://akimbo.test/health");
  const response = await worker.fetch(request, bindings, createExecutionContext());
  expect(response.status).toBeLessThan(504);
  await worker.fetch(
    new Request("https://akimbo.test/s/nothing"),
    bindings,
    createExecutionContext(),
  );
  const keys = await installation().keys();
  const logged = JSON.stringify(log.mock.calls);
  log.mockRestore();
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
  ).all<{ name: string }>();
  const stored = await env.DB.batch(
    tables.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`)),
  );
  const texts = logged + JSON.stringify(stored.map(({ results }) => results));
  for (const key of Object.values(keys)) expect(texts).not.toContain(key);
});

test("a Worker whose keys cannot be read answers 503 in the envelope", async () => {
  const bindings = {
    ...isolate(),
    INSTALLATION: {
      getByName: () => ({ open: () => Promise.reject(new Error("The object is away.")) }),
    } as unknown as typeof env.INSTALLATION,
  };
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const request = new Request("https://akimbo.test/api/v1/accounts");
  const response = await worker.fetch(request, bindings, createExecutionContext());
  log.mockRestore();
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("5");
  expect(await response.json()).toMatchObject({ success: false, code: "UNAVAILABLE" });
});
