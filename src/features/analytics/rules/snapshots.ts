import { type Counters, highest, isSame, METRICS, UNMEASURED } from "./counters.ts";
import { type DayNumber, dayOf } from "./days.ts";
import { type Doubts, judgeReading, withoutContradicted } from "./doubts.ts";

/** A post as a platform showed it at one moment. */
export interface PostReading {
  /** The platform's own id. */
  id: string;
  /** When it was read, in ms. */
  at: number;
  publishedAt: number;
  /** Its beginning. */
  text: string;
  /** Lower case, without the #. */
  hashtags: readonly string[];
  url: string | null;
  counters: Counters;
}

/** The snapshots of a post: by day the highest that its counters had been by its end. */
export interface StoredPost extends PostReading {
  /** The post of ours that it is; null for one that was not published through us. */
  uploadId: number | null;
  /** The state before the first of `steps`; null where nothing was known. */
  base: Counters | null;
  /** The days on which a counter passed its mark, and the marks from then on, in the order of days. */
  steps: readonly Step[];
  /** The first reading, until its day is settled. */
  first?: readonly [at: number, counters: Counters];
  /** Counters that rose by more than is possible, until another reading confirms them. */
  doubts?: Doubts;
}

type Step = readonly [day: DayNumber, marks: Counters];

/**
 * Days for which a reading is still taken in when later ones are known; what the days before gained is settled.
 */
export const OPEN_DAYS = 14;

const VIEWS = METRICS.indexOf("views");

/** Returns true for a reading that tells fewer views than an earlier one: people take likes back, nobody a view. */
export function hasShrunk(known: PostReading | undefined, reading: PostReading): boolean {
  if (!known || known.at >= reading.at) return false;
  const [before, now] = [known.counters[VIEWS] ?? null, reading.counters[VIEWS] ?? null];
  return before !== null && now !== null && now < before;
}

/** Returns the later of two readings; of two at one moment the same in either order. */
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

/**
 * Takes a reading in. A mark is a maximum, so that the same readings lead to the same snapshots, in whatever
 * order and however often they come; a counter that shrinks lowers none, and what it regains is not counted
 * twice. A counter that rises by more than is possible waits until another reading confirms it.
 */
export function takeReading(
  stored: StoredPost | undefined,
  given: PostReading,
  uploadId: number | null,
): StoredPost {
  const fresh: StoredPost = { ...toReading(given), uploadId: null, base: null, steps: [] };
  const post = stored ? withoutContradicted(stored, given) : fresh;
  const { believed, doubts } = judgeReading(post, given);
  const days = new Map(post.steps);
  for (const { at, counters } of believed) {
    const day = dayOf(at);
    const marks = days.get(day) ?? marksAt(post, day) ?? UNMEASURED;
    days.set(day, highest(marks, counters));
  }
  const isBelieved = (i: number) => believed.some(({ counters }) => (counters[i] ?? null) !== null);
  const counters = given.counters.map((counter, i) => (isBelieved(i) ? counter : null));
  const shown = counters.map((counter, i) =>
    doubts?.[i]?.[0] === given.at ? (post.counters[i] ?? null) : counter,
  );
  const { doubts: _, ...rest } = post;
  return {
    ...later(rest, toReading({ ...given, counters: shown })),
    uploadId: uploadId ?? post.uploadId,
    base: post.base,
    steps: rising(
      post.base,
      [...days].sort(([a], [b]) => a - b),
    ),
    ...firstOf(stored && post, { at: given.at, counters }),
    ...(doubts ? { doubts } : {}),
  };
}

/** The earlier of the first reading and this one. A post that was known without one has none. */
function firstOf(
  stored: StoredPost | undefined,
  { at, counters }: Pick<PostReading, "at" | "counters">,
): Pick<StoredPost, "first"> {
  if (!stored) return { first: [at, counters] };
  if (!stored.first) return {};
  const [firstAt, known] = stored.first;
  if (at === firstAt) return { first: [at, highest(known, counters)] };
  return { first: at < firstAt ? [at, counters] : stored.first };
}

/** The steps, each as high as all before it; without those that change nothing. */
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

/** The marks at the end of a day; null before the post was known. */
export function marksAt({ base, steps }: Pick<StoredPost, "base" | "steps">, day: DayNumber) {
  let marks = base;
  for (const [at, reached] of steps) {
    if (at > day) break;
    marks = reached;
  }
  return marks;
}

/** Forgets the single days before this one. */
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
 * The gain of a post on a day. A post that was there before anything was ever read gains from its first
 * reading on, another one from zero.
 *
 * @param firstAt when the account's posts were first read, in ms
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
