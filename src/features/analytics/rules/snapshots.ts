import { type Counters, highest, isSame, METRICS, UNMEASURED } from "./counters.ts";
import { type DayNumber, dayOf } from "./days.ts";
import { type Doubts, judgeReading, withoutContradicted } from "./doubts.ts";

export interface PostReading {
  id: string;
  /** In ms since 1970. */
  at: number;
  publishedAt: number;
  text: string;
  hashtags: readonly string[];
  url: string | null;
  counters: Counters;
}

/** The highest value of each counter per day. */
export interface StoredPost extends PostReading {
  /** Null for posts published elsewhere. */
  uploadId: number | null;
  /** Counters before the first entry of `steps`; null when unknown. */
  base: Counters | null;
  /** The highest counters of each day on which one rose. Ascending. */
  steps: readonly Step[];
  /** Kept for 14 days. */
  first?: readonly [at: number, counters: Counters];
  doubts?: Doubts;
}

type Step = readonly [day: DayNumber, marks: Counters];

/** Late readings still change the last 14 days; older days are settled. */
export const OPEN_DAYS = 14;

const VIEWS = METRICS.indexOf("views");

/** Compares views only, because likes can be withdrawn. */
export function hasShrunk(earlier: PostReading | undefined, reading: PostReading): boolean {
  if (!earlier || earlier.at >= reading.at) return false;
  const [before, now] = [earlier.counters[VIEWS] ?? null, reading.counters[VIEWS] ?? null];
  return before !== null && now !== null && now < before;
}

/** The later reading wins. For equal times, the order of arguments does not matter. */
function later<T extends PostReading>(a: T, b: PostReading): T {
  const isLater = a.at === b.at ? JSON.stringify(toReading(a)) < JSON.stringify(b) : a.at < b.at;
  return isLater ? { ...a, ...b } : a;
}

const toReading = (post: PostReading): PostReading => ({
  id: post.id,
  at: post.at,
  publishedAt: post.publishedAt,
  text: post.text,
  hashtags: post.hashtags,
  url: post.url,
  counters: post.counters,
});

/** Values are maxima, so the order of readings does not matter. */
export function takeReading(
  stored: StoredPost | undefined,
  reading: PostReading,
  uploadId: number | null,
): StoredPost {
  const fresh: StoredPost = { ...toReading(reading), uploadId: null, base: null, steps: [] };
  const post = stored ? withoutContradicted(stored, reading) : fresh;
  const { believed, doubts } = judgeReading(post, reading);
  const days = new Map(post.steps);
  for (const { at, counters } of believed) {
    const day = dayOf(at);
    const marks = days.get(day) ?? marksAt(post, day) ?? UNMEASURED;
    days.set(day, highest(marks, counters));
  }
  const isBelieved = (i: number) => believed.some(({ counters }) => (counters[i] ?? null) !== null);
  const counters = reading.counters.map((counter, i) => (isBelieved(i) ? counter : null));
  const shown = counters.map((counter, i) =>
    doubts?.[i]?.[0] === reading.at ? (post.counters[i] ?? null) : counter,
  );
  const { doubts: _, ...rest } = post;
  return {
    ...later(rest, toReading({ ...reading, counters: shown })),
    uploadId: uploadId ?? post.uploadId,
    base: post.base,
    steps: rising(
      post.base,
      [...days].sort(([a], [b]) => a - b),
    ),
    ...firstOf(stored && post, { at: reading.at, counters }),
    ...(doubts ? { doubts } : {}),
  };
}

function firstOf(
  stored: StoredPost | undefined,
  { at, counters }: Pick<PostReading, "at" | "counters">,
): Pick<StoredPost, "first"> {
  if (!stored) return { first: [at, counters] };
  if (!stored.first) return {};
  const [firstAt, firstCounters] = stored.first;
  if (at === firstAt) return { first: [at, highest(firstCounters, counters)] };
  return { first: at < firstAt ? [at, counters] : stored.first };
}

function rising(base: Counters | null, steps: readonly Step[]): Step[] {
  const kept: Step[] = [];
  let marks = base;
  for (const [day, own] of steps) {
    const reached = highest(marks ?? UNMEASURED, own);
    if (marks === null || !isSame(marks, reached)) kept.push([day, reached]);
    marks = reached;
  }
  return kept;
}

export function marksAt({ base, steps }: Pick<StoredPost, "base" | "steps">, day: DayNumber) {
  let marks = base;
  for (const [at, reached] of steps) {
    if (at > day) break;
    marks = reached;
  }
  return marks;
}

export function forgetDaysBefore(post: StoredPost, before: DayNumber): StoredPost {
  const { first, ...rest } = post;
  return {
    ...rest,
    base: marksAt(post, before - 1),
    steps: post.steps.filter(([day]) => day >= before),
    ...(first && dayOf(first[0]) >= before ? { first } : {}),
  };
}

/**
 * If the post is older than the account's first reading, its gains count from its own first reading, else from zero.
 *
 * @param firstAt in ms since 1970
 */
export function gainOf(post: StoredPost, day: DayNumber, firstAt: number): Counters {
  const now = marksAt(post, day) ?? UNMEASURED;
  const before = marksAt(post, day - 1) ?? UNMEASURED;
  const isNew = post.publishedAt >= firstAt;
  return METRICS.map((_, i) => {
    const [reached = null, from = null] = [now[i], before[i]];
    if (reached === null) return null;
    if (from !== null) return reached - from;
    return isNew ? reached : reached - (post.first?.[1][i] ?? reached);
  });
}
