import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { counter, isLasting } from "../kit/metrics.ts";
import { field } from "../kit/shapes.ts";
import type { MeasuredPost, PostCounters } from "../metrics.ts";
import type { GraphRefusal } from "./graph.ts";

const insight = z
  .object({
    name: z.string(),
    values: z.array(z.object({ value: counter })).optional(),
    total_value: z.object({ value: counter }).optional(),
  })
  .transform(({ name, values, total_value }): [string, number | null] => [
    name,
    values?.[0]?.value ?? total_value?.value ?? null,
  ]);

export type Insights = ReadonlyMap<string, number | null>;

/** Lifetime insights by their names; Meta leaves out those that have no data yet. */
export const insightsReply = field("data", z.array(insight).default([])).transform(
  (read): Insights => new Map(read),
);

/** The way to the insights of posts. */
interface Source {
  /** Its name as people know it. */
  platform: string;
  /** Asks for several posts at once: Meta refuses them all for one that has none. */
  ask(ids: readonly string[]): Promise<Result<ReadonlyMap<string, Insights>, GraphRefusal>>;
  toRefused(refusal: GraphRefusal): Stopped;
  /** Returns true where all older posts are refused too. */
  endsThere?(refusal: GraphRefusal): boolean;
  toCounters(insights: Insights, listed: PostCounters): PostCounters;
}

interface Told {
  posts: MeasuredPost[];
  problems: string[];
  /** No older post has insights. */
  isEnd: boolean;
}

/** Calls that are made for posts some of which Meta refuses: enough to find one among fifty. */
const SEARCH_CALLS = 8;

/**
 * Adds to posts what their insights tell. Those that Meta refuses are searched for by halves; they keep their
 * listed counters, and are told of. A login, a limit or an outage ends the page.
 *
 * @param posts newest first
 */
export async function withInsights(
  posts: readonly MeasuredPost[],
  { platform, ask, toRefused, endsThere = () => false, toCounters }: Source,
): Promise<Result<Told, Stopped>> {
  const told = new Map<string, Insights>();
  let isEnd = false;
  const open = posts.length > 0 ? [posts.map(({ id }) => id)] : [];
  for (let calls = 0; calls < SEARCH_CALLS && !isEnd; calls++) {
    const ids = open.shift();
    if (!ids) break;
    const reply = await ask(ids);
    if (reply.ok) {
      for (const [id, insights] of reply.value) told.set(id, insights);
      continue;
    }
    const refused = toRefused(reply.error);
    if (!isLasting(refused)) return refuse(refused);
    if (endsThere(reply.error)) open.splice(0);
    const half = Math.ceil(ids.length / 2);
    if (ids.length > 1) open.unshift(ids.slice(0, half), ids.slice(half));
    else isEnd = endsThere(reply.error);
  }
  const untold = posts.filter(({ id }) => !told.has(id)).length;
  const problem = `${platform} did not tell the views of ${untold} post${untold === 1 ? "" : "s"}.`;
  return ok({
    posts: posts.map((post) => {
      const insights = told.get(post.id);
      return insights ? { ...post, counters: toCounters(insights, post.counters) } : post;
    }),
    problems: untold > 0 ? [problem] : [],
    isEnd,
  });
}

/** Insights by the ids of the posts that were asked for together, those that can be read. */
export const insightsByPost = z.record(z.string(), z.unknown()).transform(
  (answers): ReadonlyMap<string, Insights> =>
    new Map(
      Object.entries(answers).flatMap(([id, answer]): [string, Insights][] => {
        const { data } = insightsReply.safeParse(answer);
        return data ? [[id, data]] : [];
      }),
    ),
);
