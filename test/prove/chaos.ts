import type { Random } from "../../src/cli/random.ts";
import { REQUIRED_PART_STEPS } from "./boundaries.ts";
import type { Place } from "./positions.ts";
import type { CallKind } from "./protocol.ts";

export type Side = "before" | "after";
export type Disturbance = { kind: "none" | "crash" | "lost" } | { kind: "pause"; ms: number };
export type PlatformFault =
  | "none"
  | "reply dropped"
  | "5xx before"
  | "5xx after"
  | "late acceptance"
  | "token refused"
  | "rate limited"
  | "hang";

/** How badly the queue keeps what it is given. */
export interface QueueFaults {
  lossShare: number;
  copies: number;
  jitterMs: number;
}

const BAD_QUEUE: QueueFaults = { lossShare: 0.05, copies: 2, jitterMs: 5_000 };
const GOOD_QUEUE: QueueFaults = { lossShare: 0, copies: 1, jitterMs: 100 };

/** An upload that has met this many of them is left in peace, so that it must succeed. */
const MAX_CRASHES = 5;
const MAX_LOST = 2;
const MAX_PAUSES = 3;
const MAX_PLATFORM_FAULTS = 3;
/** Longer than a lease: its worker comes back as a zombie. */
const ZOMBIE_SECONDS = [95, 150] as const;
/** A database that answers slowly: a batch may take 30 seconds. Source: D1, "Limits". */
const SLOW_SECONDS = [1, 30] as const;

const SUBMIT_FAULTS: [PlatformFault, number][] = [
  ["reply dropped", 0.15],
  ["5xx before", 0.1],
  ["5xx after", 0.05],
  ["late acceptance", 0.2],
  ["token refused", 0.03],
];
const OTHER_FAULTS: [PlatformFault, number][] = [
  ["reply dropped", 0.08],
  ["5xx before", 0.08],
  ["token refused", 0.03],
];

const RARE_STEPS = new Set<string>([
  ...REQUIRED_PART_STEPS.filter((step) => step !== "part intent" && step !== "part call step"),
  "progress",
  "back-off",
  "send batch",
  "completed",
  "refresh stored",
  "call submit",
  "call status",
  "call look-up",
  "call refresh",
]);

class Allowance {
  private readonly spent = new Map<string, number>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  has = (subjects: string[]): boolean =>
    subjects.every((subject) => (this.spent.get(subject) ?? 0) < this.max);

  spend(subjects: string[]): void {
    for (const subject of subjects) this.spent.set(subject, (this.spent.get(subject) ?? 0) + 1);
  }
}

/** Decides what goes wrong, by the seed, and counts it. */
export class Chaos {
  isOn = false;
  /** Share of the late acceptances that come at the very latest moment. */
  readonly latestShare: number = 0.5;
  /** Share of the messages that are delivered with others in one batch. */
  readonly batchShare: number = 0.15;
  readonly crashes: Record<string, number> = {};
  readonly faults: Record<string, number> = {};
  protected readonly random: Random;
  private readonly wanted: number;
  private readonly spared: ReadonlySet<string>;
  private readonly breaks = new Allowance(MAX_CRASHES);
  private readonly lost = new Allowance(MAX_LOST);
  private readonly pauses = new Allowance(MAX_PAUSES);
  private readonly platform = new Allowance(MAX_PLATFORM_FAULTS);

  /**
   * @param spared boundaries at which no run dies or freezes and no answer is lost, because no program
   * could make up for it; that the database cannot be reached, it can
   */
  constructor(random: Random, crashesPerBoundary: number, spared: readonly string[]) {
    this.random = random;
    this.spared = new Set(spared);
    this.wanted = crashesPerBoundary;
  }

  get queue(): QueueFaults {
    return this.isOn ? BAD_QUEUE : GOOD_QUEUE;
  }

  /** Returns true while the database refuses everything. */
  isAway(_now: number): boolean {
    return false;
  }

  count(fault: string, times = 1): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + times;
  }

  /** Chooses the disturbance at a boundary of a run that works on `subjects`. */
  at(step: string, side: Side, subjects: string[], isDatabase: boolean): Disturbance {
    const boundary = `${step} ${side}`;
    if (!this.isOn || step === "read") return { kind: "none" };
    const isSpared = this.spared.has(boundary);
    const isWanted = (this.crashes[boundary] ?? 0) < this.wanted;
    if (
      !isSpared &&
      this.breaks.has(subjects) &&
      this.random.chance(this.shareOf(step, isWanted))
    ) {
      this.breaks.spend(subjects);
      this.crashes[boundary] = (this.crashes[boundary] ?? 0) + 1;
      return { kind: "crash" };
    }
    if (isDatabase && this.lost.has(subjects) && this.random.chance(isSpared ? 0.3 : 0.06)) {
      this.lost.spend(subjects);
      this.count(`database connection lost ${side}`);
      if (isSpared)
        this.count(`database connection lost ${side} the only copy of a login was stored`);
      return { kind: "lost" };
    }
    if (isSpared) return { kind: "none" };
    if (this.pauses.has(subjects) && this.random.chance(step.endsWith("intent") ? 0.2 : 0.05)) {
      this.pauses.spend(subjects);
      const isZombie = this.random.chance(0.35);
      this.count(isZombie ? "worker frozen past its lease" : "slow step");
      const [low, high] = isZombie ? ZOMBIE_SECONDS : SLOW_SECONDS;
      return { kind: "pause", ms: this.random.between(low * 1_000, high * 1_000) };
    }
    return { kind: "none" };
  }

  /** Steps that few runs reach break more often: crashes before them would leave them none. */
  private shareOf(step: string, isWanted: boolean): number {
    if (!isWanted) return 0.003;
    return RARE_STEPS.has(step) ? 0.5 : 0.12;
  }

  /** Chooses the platform's fault for a call; `text` is that of its post, where the call says it. */
  onCall(
    kind: CallKind,
    { step, subjects }: Place,
    _now: number,
    _text: string | null,
  ): PlatformFault {
    if (!this.isOn || kind === "read" || !this.platform.has(subjects)) return "none";
    const isSpared = this.spared.has(`call ${kind} after`);
    let roll = this.random.next();
    for (const [fault, share] of kind === "submit" ? SUBMIT_FAULTS : OTHER_FAULTS) {
      roll -= share;
      if (roll < 0) {
        if (fault === "token refused" && kind === "refresh") return "none";
        if (fault === "reply dropped" && isSpared) return "none";
        this.platform.spend(subjects);
        this.count(`${step.replace("call ", "")}: ${fault}`);
        return fault;
      }
    }
    return "none";
  }
}
