import * as z from "zod";
import type { Stopped } from "../connector.ts";
import type { MeasuredPost, PostCounters } from "../metrics.ts";

const wholeNumber = z.number().int().min(0);

export const counter = z
  .union([
    wholeNumber,
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ])
  .nullish()
  .transform((value) => value ?? null);

/** Accepts UTC offsets without colon, such as `+0000`. */
export const instant = z
  .string()
  .transform((text) => new Date(text.replace(/([+-]\d\d)(\d\d)$/, "$1:$2")))
  .refine((at) => !Number.isNaN(at.getTime()));

export const NO_COUNTERS: PostCounters = { views: null, likes: null, comments: null, shares: null };

/** Parsed one by one, so that one odd item fails alone. */
export const list = z.array(z.unknown()).default([]);

/** Unreadable posts are only counted, in `problems`. */
export function readPosts<T>(
  platform: string,
  items: readonly unknown[],
  shape: z.ZodType<T>,
  toPost: (item: T) => MeasuredPost | null,
): { posts: MeasuredPost[]; problems: string[] } {
  const read = items.map((item) => shape.safeParse(item));
  const odd = read.filter(({ success }) => !success).length;
  return {
    posts: read.flatMap(({ data }) => (data === undefined ? [] : (toPost(data) ?? []))),
    problems: odd > 0 ? [oddPosts(platform, odd)] : [],
  };
}

export const oddPosts = (platform: string, count: number): string =>
  `${platform} answered with figures that cannot be read for ${count} post${count === 1 ? "" : "s"}.`;

export const isLasting = (stopped: Stopped): boolean =>
  stopped.kind === "failed" && !stopped.transient && stopped.failure.code !== "rate_limited";

/** Limits parallel calls, as an invocation has few connections. */
export async function inTurns<T, U>(
  items: readonly T[],
  work: (item: T) => Promise<U>,
  atOnce = 4,
): Promise<U[]> {
  const done: U[] = [];
  for (let i = 0; i < items.length; i += atOnce) {
    done.push(...(await Promise.all(items.slice(i, i + atOnce).map(work))));
  }
  return done;
}
