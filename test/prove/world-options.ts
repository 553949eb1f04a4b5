import type { Platform } from "../../src/core/platforms.ts";
import type { Evidence } from "./findings.ts";

/**
 * A platform is its connector as shipped; `stepwise` a scripted one whose every publish call makes a new
 * post; `hasty` and `naive` are the controls, which must fail.
 */
export type Subject = Platform | "stepwise" | "hasty" | "naive";

export interface WorldOptions {
  seed: number;
  uploads: number;
  subject: Subject;
  /** How often each step boundary is to see a crash. */
  crashesPerBoundary: number;
  /** Nothing goes wrong but, where `hasPoison`, one post in a hundred that breaks off every run. */
  isCalm?: boolean;
  hasPoison?: boolean;
}

/** The fault of a look-up that meets listings which are behind. */
export const LATE_LISTING = "look-up: listings behind";

export interface WorldReport {
  evidence: Evidence;
  /** Crashes by boundary, such as "intent after". */
  crashes: Record<string, number>;
  /** Everything else that was injected, by kind. */
  faults: Record<string, number>;
  /** From its time, or from its creation, until each post was with the platform; ms, ascending. */
  delays: number[];
  /** What the world did before its first duplicate, oldest first. */
  story: string[];
}
