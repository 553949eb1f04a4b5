declare namespace Cloudflare {
  interface Env extends WorkerEnv {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
  }
}

type WorkerEnv = import("../../src/deps.ts").Env;
