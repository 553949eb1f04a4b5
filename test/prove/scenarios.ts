import type { Random } from "../../src/cli/random.ts";
import {
  Chaos,
  type Disturbance,
  type PlatformFault,
  type QueueFaults,
  type Side,
} from "./chaos.ts";
import type { Place } from "./positions.ts";
import type { CallKind } from "./protocol.ts";

/** Kinds of trouble that a figure asks for, each alone. */
export type ScenarioName =
  /** Every first submit is taken, and its answer is lost. */
  | "lost replies"
  /** Every first submit is taken at the last moment, long after we stopped waiting. */
  | "late acceptance"
  /** As `lost replies`, while look-ups fail for ten minutes, or for ever. */
  | "no look-ups"
  /** Every submit is answered with a 503. */
  | "platform down"
  /** Ten minutes in which the platform answers every call with a 503, or with a 429. */
  | "storm"
  /** One post in a hundred whose calls are never answered. */
  | "hanging"
  /** Every message comes twice, in no order, and one in twenty not at all. */
  | "shuffled queue"
  /** Writes whose connection is lost before or after the commit, and an outage longer than the queue tries. */
  | "bad database"
  /** Nothing at all: to compare with. */
  | "calm";

const MINUTE_MS = 60_000;
/** The `Retry-After` of a 429; longer than our own first wait. */
export const RETRY_AFTER_SECONDS = 90;
const STORM = { from: 10 * MINUTE_MS, to: 20 * MINUTE_MS };
/** Longer than all tries of a message, 100 seconds apart. */
const OUTAGE = { from: 12 * MINUTE_MS, to: 30 * MINUTE_MS };
const LOOK_UPS_AWAY_MS = 10 * MINUTE_MS;
const LOST_SHARE = 0.12;
/** Fewer than end a job. */
const MAX_LOST = 8;
const SHUFFLED: QueueFaults = { lossShare: 0.05, copies: 2, jitterMs: MINUTE_MS };

const isEven = (subject: string): boolean => Number(/\d+/.exec(subject)?.[0]) % 2 === 0;

/** One kind of trouble, the same for every post: the figures count what became of each. */
export class Scenario extends Chaos {
  override readonly latestShare = 1;
  override readonly batchShare: number;
  private readonly name: ScenarioName;
  private readonly startedAt: number;
  private readonly submittedAt = new Map<string, number>();
  private readonly lostWrites = new Map<string, number>();

  constructor(name: ScenarioName, random: Random, startedAt: number) {
    super(random, 0, []);
    this.name = name;
    this.startedAt = startedAt;
    this.batchShare = ["hanging", "shuffled queue", "calm"].includes(name) ? 0.15 : 0;
  }

  override get queue(): QueueFaults {
    return this.name === "shuffled queue" ? SHUFFLED : super.queue;
  }

  override isAway(now: number): boolean {
    return this.name === "bad database" && this.isWithin(OUTAGE, now);
  }

  private isWithin({ from, to }: { from: number; to: number }, now: number): boolean {
    return now >= this.startedAt + from && now < this.startedAt + to;
  }

  override at(step: string, side: Side, subjects: string[], isDatabase: boolean): Disturbance {
    const isWrite = isDatabase && step !== "read" && subjects.length > 0;
    if (this.name !== "bad database" || !isWrite) return { kind: "none" };
    const [subject = ""] = subjects;
    const lost = this.lostWrites.get(subject) ?? 0;
    if (lost >= MAX_LOST || !this.random.chance(LOST_SHARE)) return { kind: "none" };
    this.lostWrites.set(subject, lost + 1);
    this.count(`database connection lost ${side}`);
    return { kind: "lost" };
  }

  override onCall(
    kind: CallKind,
    { subjects: [subject = ""] }: Place,
    now: number,
    text: string | null,
  ): PlatformFault {
    const fault = this.faultOf(kind, subject, now, text);
    if (kind === "submit" && !this.submittedAt.has(subject)) this.submittedAt.set(subject, now);
    if (fault !== "none") this.count(`${kind}: ${fault}`);
    return fault;
  }

  private faultOf(kind: string, subject: string, now: number, text: string | null): PlatformFault {
    if (kind === "read") return "none";
    const submittedAt = this.submittedAt.get(subject);
    const isFirst = kind === "submit" && submittedAt === undefined;
    switch (this.name) {
      case "lost replies":
        return isFirst ? "reply dropped" : "none";
      case "late acceptance":
        return isFirst ? "late acceptance" : "none";
      case "no look-ups": {
        // A part looks for the post that it answers before its own submit.
        const isAfter = kind === "look-up" && submittedAt !== undefined;
        const isAway = isAfter && (isEven(subject) || now < submittedAt + LOOK_UPS_AWAY_MS);
        if (isAway) return "5xx before";
        return isFirst ? "reply dropped" : "none";
      }
      case "platform down":
        return kind === "submit" ? "5xx before" : "none";
      case "storm":
        if (!this.isWithin(STORM, now)) return "none";
        return isEven(subject) ? "5xx before" : "rate limited";
      case "hanging":
        return text?.includes("poison") ? "hang" : "none";
      default:
        return "none";
    }
  }
}
