declare namespace Cloudflare {
  interface Env extends WorkerEnv {
    /** `full` for the loads of `npm run prove -- --full`; empty for the usual. */
    TEST_LOADS: string;
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
  }
}

/** Tests have every binding but mail. */
type WorkerEnv = Required<Omit<import("../../src/deps.ts").Env, "EMAIL">> &
  Pick<import("../../src/deps.ts").Env, "EMAIL">;

/** Texts of modules by their paths. */
declare module "texts:*" {
  const texts: Record<string, string>;
  export default texts;
}

/** Databases of earlier states, oldest first. */
declare module "earlier-states" {
  type State = import("../upgrades/states.ts").State;
  type Facts = import("../upgrades/states.ts").Facts;
  const states: readonly (State & { facts: Facts; statements: string[]; sandbox: string[] })[];
  export default states;
}

interface ImportMeta {
  /** Modules by their paths, each loaded when it is asked for. */
  glob(pattern: string): Record<string, () => Promise<unknown>>;
  /** Texts of files by their paths. */
  glob(
    pattern: string,
    options: { query: "?raw"; import: "default"; eager: true },
  ): Record<string, string>;
}
