import { RESTORED } from "../../../src/features/publishing/rules.ts";
import type { Arrival, UploadState } from "../findings.ts";
import { isUndecided } from "../findings.ts";

/**
 * `held`: a person decides, and the post says why. `queued`: an item of a pool that no slot has taken yet. A month that
 * ends with `waiting` or `lost` posts has failed.
 */
export const OUTCOMES = ["out", "refused", "held", "queued", "waiting", "lost"] as const;
export type Outcome = (typeof OUTCOMES)[number];
type Counts = Record<Outcome, number>;

/** The text of the post, also of what follows it. */
export const postOf = (text: string): string => /^Post \d+ \w+/.exec(text)?.[0] ?? text;

export interface Known {
  uploads: readonly UploadState[];
  arrivals: readonly Arrival[];
  /** States of pool items, by their titles. */
  items: ReadonlyMap<string, string>;
  /** Posts whose call was refused: what is not known any more was sent again after the loss. */
  refused: ReadonlySet<string>;
}

/** What became of each text that was to go out. */
export function outcomesOf(texts: readonly string[], known: Known) {
  const out = new Set(known.arrivals.map(({ text }) => text));
  const uploads = new Map(known.uploads.map((upload) => [upload.text, upload]));
  const byOutcome = Map.groupBy(texts, (text): Outcome => {
    if (out.has(text)) return "out";
    const upload = uploads.get(text);
    if (upload) return outcomeOf(upload);
    const state = known.items.get(text);
    if (state === "queued") return "queued";
    if (state !== undefined) return "held";
    return known.refused.has(text) ? "refused" : "lost";
  });
  const textsOf = (outcome: Outcome): string[] => byOutcome.get(outcome) ?? [];
  const counts = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, textsOf(outcome).length]),
  ) as Counts;
  return { counts, wrong: [...textsOf("waiting"), ...textsOf("lost")] };
}

function outcomeOf({ status, failureCode, message }: UploadState): Outcome {
  switch (status) {
    case "failed":
      return isUndecided({ failureCode }) || message?.startsWith(RESTORED) ? "held" : "refused";
    case "draft":
    case "pending_approval":
      return "held";
    default:
      return "waiting";
  }
}

const STEP_MS = 900_000;

/**
 * How often a slot of every day comes between two moments. A time that a day does not have, because summer begins, comes
 * nevertheless.
 *
 * @param time such as `09:30`
 */
export function countFirings(zone: string, time: string, from: number, to: number): number {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "short",
  });
  const localAt = (ms: number) => format.format(ms).split(" ") as [day: string, time: string];
  const days = new Set<string>();
  for (let at = from; at < to; at += STEP_MS) {
    const [day, clock] = localAt(at);
    if (clock >= time) days.add(day);
  }
  const [firstDay, firstClock] = localAt(from);
  if (firstClock >= time) days.delete(firstDay);
  return days.size;
}
