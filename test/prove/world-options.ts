import type { Evidence } from "./findings.ts";

/** `bluesky` is the connector as shipped; `hasty` and `naive` are the controls, which must fail. */
export type Subject = "bluesky" | "stepwise" | "hasty" | "naive";

export interface WorldOptions {
  seed: number;
  uploads: number;
  subject: Subject;
  /** How often each step boundary is to see a crash. */
  crashesPerBoundary: number;
}

export interface WorldReport {
  evidence: Evidence;
  /** Crashes by boundary, such as "intent after". */
  crashes: Record<string, number>;
  /** Everything else that was injected, by kind. */
  faults: Record<string, number>;
  /** What the world did before its first duplicate, oldest first. */
  story: string[];
}
