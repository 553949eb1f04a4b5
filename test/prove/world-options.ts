import type { Platform } from "../../src/core/platforms.ts";
import type { PlatformFault } from "./chaos.ts";
import type { Evidence } from "./findings.ts";
import type { CallKind } from "./protocol.ts";
import type { ScenarioName } from "./scenarios.ts";

/**
 * A platform is its connector as shipped; `stepwise` a scripted one whose every publish call makes a new
 * post; the others are the controls, which must fail.
 */
export type Subject = Platform | "stepwise" | Control;

export const CONTROLS = ["hasty", "naive", "blind", "astray"] as const;
export type Control = (typeof CONTROLS)[number];

export interface WorldOptions {
  seed: number;
  uploads: number;
  subject: Subject;
  /** Some posts have threads and first comments, where the platform has them. */
  hasParts?: boolean;
  /** How often each step boundary is to see a crash. */
  crashesPerBoundary: number;
  /** Nothing goes wrong but, where `hasPoison`, one post in a hundred that breaks off every run. */
  isCalm?: boolean;
  hasPoison?: boolean;
  /** One kind of fault alone, as a figure asks for it; `isCalm` keeps all others away. */
  scenario?: ScenarioName;
}

/** A call to the platform that a job made; `upload` is `#` and its id, `part` 0 for the post itself. */
export interface JobCall {
  upload: string;
  part: number;
  kind: CallKind;
  at: number;
  fault: PlatformFault;
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
  /** In a scenario: every call that its jobs made, in order. */
  calls: JobCall[];
  /** Places under caps and credits that nobody gave back. */
  leaks: string[];
  /** Lines of the log about the first duplicate, oldest first. */
  story: string[];
}
