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
  /** Calls that are made for posts some of which Meta refuses. */
  mostCalls: number;
}

interface Told {
  posts: MeasuredPost[];
  problems: string[];
  /** No older post has insights. */
  isEnd: boolean;
}

/**
 * Adds insights to posts. Posts that Meta refuses are found by halving the list; they keep the counters from the
 * list of posts, and are reported. A refused login, a limit or an outage ends the page.
 *
 * @param posts newest first
 */
export async function withInsights(
  posts: readonly MeasuredPost[],
  source: Source,
): Promise<Result<Told, Stopped>> {
  const search = createSearch(source);
  const ids = posts.map(({ id }) => id);
  const refused = ids.length > 0 ? await search.ask(ids) : null;
  if (refused) await search.halve(ids, refused);
  const { told, stopped, isEnd } = search.outcome();
  if (stopped) return refuse(stopped);
  const untold = posts.filter(({ id }) => !told.has(id)).length;
  const { platform, toCounters } = source;
  const problem = `${platform} gave no views for ${untold} post${untold === 1 ? "" : "s"}.`;
  return ok({
    posts: posts.map((post) => {
      const insights = told.get(post.id);
      return insights ? { ...post, counters: toCounters(insights, post.counters) } : post;
    }),
    problems: untold > 0 ? [problem] : [],
    isEnd,
  });
}

/** Asks for insights, and for parts of what was refused as a whole. */
function createSearch({ ask: send, toRefused, endsThere = () => false, mostCalls }: Source) {
  const told = new Map<string, Insights>();
  let stopped: Stopped | null = null;
  let isEnd = false;
  let calls = 0;

  /** Answers the refusal; null where there is none, or nothing more is to be asked. */
  async function ask(ids: readonly string[]): Promise<GraphRefusal | null> {
    if (stopped || calls >= mostCalls) return null;
    calls++;
    const reply = await send(ids);
    if (reply.ok) {
      for (const [id, insights] of reply.value) told.set(id, insights);
      return null;
    }
    const refused = toRefused(reply.error);
    if (isLasting(refused)) return reply.error;
    stopped = refused;
    return null;
  }

  /** Searches posts at least one of which is refused, for this reason. */
  async function halve(ids: readonly string[], refusal: GraphRefusal): Promise<void> {
    if (ids.length === 1) {
      isEnd ||= endsThere(refusal);
      return;
    }
    if (calls >= mostCalls) return;
    const middle = Math.ceil(ids.length / 2);
    const [newer, older] = [ids.slice(0, middle), ids.slice(middle)];
    const first = await ask(newer);
    if (stopped) return;
    // The refused post is in the older half, since the newer half has all its figures.
    if (!first) return halve(older, refusal);
    const second = endsThere(first) ? null : await ask(older);
    await halve(newer, first);
    if (second) await halve(older, second);
  }

  return { ask, halve, outcome: () => ({ told, stopped, isEnd }) };
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
