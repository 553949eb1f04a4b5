import type { LimitOverrides, Plan } from "./limits.ts";

/** Begins the line by which the edge says that it runs. */
export const READY = "edge ready ";

export interface ServerOptions {
  folder: string;
  plan: Plan;
  limits: LimitOverrides;
  /** Whether schedules run at each minute; without, a test runs them. */
  schedules: boolean;
  /** The port of visitors. */
  port?: number | undefined;
  apiPort?: number | undefined;
}

export interface Ports {
  port: number;
  apiPort: number;
}
