/** In storage order. */
export const METRICS = ["views", "likes", "comments", "shares"] as const;
export type Metric = (typeof METRICS)[number];

/** One number per metric; null where unmeasured. */
export type Counters = readonly (number | null)[];

export const UNMEASURED: Counters = METRICS.map(() => null);

/** Per metric: if one number is unmeasured, the other is taken. */
const joined = (a: Counters, b: Counters, join: (a: number, b: number) => number): Counters =>
  METRICS.map((_, i) => {
    const [first = null, second = null] = [a[i], b[i]];
    if (first === null || second === null) return first ?? second;
    return join(first, second);
  });

export const highest = (a: Counters, b: Counters): Counters => joined(a, b, Math.max);

export const add = (a: Counters, b: Counters): Counters => joined(a, b, (x, y) => x + y);

export const isSame = (a: Counters, b: Counters): boolean =>
  METRICS.every((_, i) => (a[i] ?? null) === (b[i] ?? null));

/** 0 for an unmeasured metric. Source: spec, "Analytics". */
export const countOf = (counters: Counters, metric: Metric): number =>
  counters[METRICS.indexOf(metric)] ?? 0;

export const engagementOf = (counters: Counters): number =>
  countOf(counters, "likes") + countOf(counters, "comments") + countOf(counters, "shares");

/** Null where none of its metrics was measured. */
export const engagementIn = (counters: Counters): number | null =>
  METRICS.some((metric, i) => metric !== "views" && (counters[i] ?? null) !== null)
    ? engagementOf(counters)
    : null;
