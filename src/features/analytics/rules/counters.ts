/** The counters of a post, in the order in which they are stored. */
export const METRICS = ["views", "likes", "comments", "shares"] as const;
export type Metric = (typeof METRICS)[number];

/** A number for each of `METRICS`; null where it was not measured. */
export type Counters = readonly (number | null)[];

export const UNMEASURED: Counters = METRICS.map(() => null);

/** Joins numbers by `join` wherever both are measured; where one is, it stands for both. */
const joined = (a: Counters, b: Counters, join: (a: number, b: number) => number): Counters =>
  METRICS.map((_, i) => {
    const [left = null, right = null] = [a[i], b[i]];
    if (left === null || right === null) return left ?? right;
    return join(left, right);
  });

/** The higher number of each. */
export const highest = (a: Counters, b: Counters): Counters => joined(a, b, Math.max);

export const add = (a: Counters, b: Counters): Counters => joined(a, b, (x, y) => x + y);

export const isSame = (a: Counters, b: Counters): boolean =>
  METRICS.every((_, i) => (a[i] ?? null) === (b[i] ?? null));

/** The number of a metric; 0 where it was not measured. Source: spec, "Analytics". */
export const countOf = (counters: Counters, metric: Metric): number =>
  counters[METRICS.indexOf(metric)] ?? 0;

/** Everything that people did with a post but see it. */
export const engagementOf = (counters: Counters): number =>
  countOf(counters, "likes") + countOf(counters, "comments") + countOf(counters, "shares");
