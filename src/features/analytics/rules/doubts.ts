import { DAY } from "../../../core/time.ts";
import { type Counters, METRICS } from "./counters.ts";
import type { DayNumber } from "./days.ts";

/** `at`: ms since 1970. An unmeasured counter is null. */
interface Reading {
  at: number;
  counters: Counters;
}

/** Per metric: an implausible number that awaits confirmation, else null. */
export type Doubts = readonly (readonly [at: number, value: number] | null)[];

interface Watched extends Reading {
  base: Counters | null;
  steps: readonly (readonly [day: DayNumber, marks: Counters])[];
  first?: readonly [at: number, counters: Counters];
  doubts?: Doubts;
}

/** A rise beyond this factor and `MOST_A_DAY` is implausible. Spec is silent: platforms sometimes misreport. */
const MAX_TIMES = 1_000;
const MAX_A_DAY = 1_000_000;

const rises = (from: number, to: number, days = 1): boolean =>
  to > from * MAX_TIMES && to - from > MAX_A_DAY * days;

const daysBetween = (a: number, b: number): number => Math.max(1, Math.ceil(Math.abs(a - b) / DAY));

const markOf = ({ base, steps }: Watched, i: number): number | null =>
  (steps.at(-1)?.[1] ?? base)?.[i] ?? null;

const alone = (i: number, value: number): Counters =>
  METRICS.map((_, at) => (at === i ? value : null));

/** Doubts an implausible rise until a second reading confirms it. A plausible reading ends the doubt. */
export function judgeReading(
  post: Watched,
  { at, counters }: Reading,
): { believed: Reading[]; doubts: Doubts | null } {
  const believed: Reading[] = [{ at, counters: METRICS.map(() => null) }];
  const doubts = METRICS.map((_, i) => {
    const [value, mark] = [counters[i] ?? null, markOf(post, i)];
    const doubt = post.doubts?.[i] ?? null;
    if (value === null) return doubt;
    if (mark === null || !rises(mark, value, daysBetween(at, post.at))) {
      believed.push({ at, counters: alone(i, value) });
      return doubt && doubt[0] > at ? doubt : null;
    }
    if (doubt === null) return post.at > at ? null : ([at, value] as const);
    if (doubt[0] === at) return doubt;
    const own = [at, value] as const;
    const [older, newer] = doubt[0] < at ? [doubt, own] : [own, doubt];
    const shownTwice = Math.min(older[1], newer[1]);
    believed.push({ at: older[0], counters: alone(i, shownTwice) });
    if (rises(shownTwice, newer[1])) return newer;
    believed.push({ at: newer[0], counters: alone(i, newer[1]) });
    return null;
  });
  return { believed, doubts: doubts.some((doubt) => doubt !== null) ? doubts : null };
}

/** Removes counters of a first reading that the second shows to be wrong. */
export function withoutContradicted<T extends Watched>(post: T, { at, counters }: Reading): T {
  const { first, steps } = post;
  if (!first || first[0] !== post.at || at <= post.at) return post;
  const isWrong = METRICS.map((_, i) => {
    const [before, now] = [first[1][i] ?? null, counters[i] ?? null];
    return before !== null && now !== null && rises(now, before);
  });
  if (!isWrong.includes(true)) return post;
  const corrected = (all: Counters): Counters => all.map((one, i) => (isWrong[i] ? null : one));
  return {
    ...post,
    counters: corrected(post.counters),
    first: [first[0], corrected(first[1])],
    steps: steps.map(([day, marks]) => [day, corrected(marks)] as const),
  };
}

export const isDoubted = ({ doubts }: Pick<Watched, "doubts">): boolean => doubts !== undefined;
