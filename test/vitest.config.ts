import { existsSync, statfsSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { writeMigrationsModule } from "../src/cli/migrations-module.ts";
import { textsOfFolders } from "./texts.ts";
import { earlierStates } from "./upgrades/module.ts";

const root = new URL("..", import.meta.url).pathname;

/** The library in one file: the test runner stumbles over its optional import of Node's file system. */
const mediabunny = `${root}node_modules/mediabunny/dist/bundles/mediabunny.mjs`;

/** A disk in memory, where a machine has one with room: nothing that tests store has to survive them. */
const MEMORY = "/dev/shm";
const ROOM_BYTES = 2e9;

if (existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > ROOM_BYTES) process.env.TMPDIR = MEMORY;
}

await writeMigrationsModule();

export default defineConfig({
  root,
  resolve: {
    alias: [{ find: "mediabunny", replacement: mediabunny }],
  },
  plugins: [
    textsOfFolders(root),
    earlierStates(root),
    cloudflareTest(async () => ({
      wrangler: { configPath: `${root}wrangler.toml` },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
          ENVIRONMENT: "development",
          TEST_LOADS: process.env.TEST_LOADS ?? "",
          RATE_LIMITS: "off",
          // Every test makes its own people, and those of a file share a database.
          MAX_PEOPLE: "100000",
          // Whatever a developer has set for the local run is not for tests; empty counts as unset.
          PUBLIC_URL: "",
          SANDBOX: "",
          CLOCK_OFFSET: "",
          PLATFORM_ORIGINS: "",
          STORAGE_ENDPOINT: "https://storage.test/akimbo-media",
          R2_ACCESS_KEY_ID: "storage-key",
          R2_SECRET_ACCESS_KEY: "storage-secret",
          ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
          BLUESKY_KEY: "",
          // The pair of RFC 8291, appendix A.
          VAPID_PUBLIC_KEY:
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
          VAPID_PRIVATE_KEY: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
          SIGNING_KEY: "a signing key for tests, long enough to be one",
        },
        outboundService: (request: Request) => {
          throw new Error(`A test reached for the network: ${request.url}`);
        },
      },
    })),
  ],
  test: {
    include: [
      "test/*.test.ts",
      "test/{client,core,costs,cron,db,features,http,mcp,platforms,sandbox,spec,upgrades}/**/*.test.{ts,tsx}",
    ],
    setupFiles: ["test/support/setup.ts"],
    isolate: false,
    maxWorkers: 2,
    // Nothing waits, but a machine may be busy.
    testTimeout: 20_000,
  },
});
