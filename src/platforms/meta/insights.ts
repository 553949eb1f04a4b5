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

/** Meta omits insights that have no data yet. */
export const insightsReply = field("data", z.array(insight).default([])).transform(
  (read): Insights => new Map(read),
);

interface Source {
  platform: string;
  /** Meta refuses the whole call when one post has no insights. */
  ask(ids: readonly string[]): Promise<Result<ReadonlyMap<string, Insights>, GraphRefusal>>;
  toRefused(refusal: GraphRefusal): Stopped;
  endsThere?(refusal: GraphRefusal): boolean;
  toCounters(insights: Insights, listed: PostCounters): PostCounters;
  mostCalls: number;
}

interface InsightsPage {
  posts: MeasuredPost[];
  problems: string[];
  isEnd: boolean;
}

/**
 * Halves the list to find posts whose insights Meta refuses; these keep the list's counters and are counted in
 * `problems`. A refused login, a rate limit or an outage stops the search.
 * @param posts newest first
 */
export async function withInsights(
  posts: readonly MeasuredPost[],
  source: Source,
): Promise<Result<InsightsPage, Stopped>> {
  const search = createSearch(source);
  const ids = posts.map(({ id }) => id);
  const refused = ids.length > 0 ? await search.ask(ids) : null;
  if (refused) await search.halve(ids, refused);
  const { byPost, stopped, isEnd } = search.outcome();
  if (stopped) return refuse(stopped);
  const missing = posts.filter(({ id }) => !byPost.has(id)).length;
  const { platform, toCounters } = source;
  const problem = `${platform} gave no views for ${missing} post${missing === 1 ? "" : "s"}.`;
  return ok({
    posts: posts.map((post) => {
      const insights = byPost.get(post.id);
      return insights ? { ...post, counters: toCounters(insights, post.counters) } : post;
    }),
    problems: missing > 0 ? [problem] : [],
    isEnd,
  });
}

function createSearch({ ask: send, toRefused, endsThere = () => false, mostCalls }: Source) {
  const byPost = new Map<string, Insights>();
  let stopped: Stopped | null = null;
  let isEnd = false;
  let calls = 0;

  /** Null when Meta gave figures or no call is left. */
  async function ask(ids: readonly string[]): Promise<GraphRefusal | null> {
    if (stopped || calls >= mostCalls) return null;
    calls++;
    const reply = await send(ids);
    if (reply.ok) {
      for (const [id, insights] of reply.value) byPost.set(id, insights);
      return null;
    }
    const refused = toRefused(reply.error);
    if (isLasting(refused)) return reply.error;
    stopped = refused;
    return null;
  }

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
    if (!first) return halve(older, refusal);
    const second = endsThere(first) ? null : await ask(older);
    await halve(newer, first);
    if (second) await halve(older, second);
  }

  return { ask, halve, outcome: () => ({ byPost, stopped, isEnd }) };
}

export const insightsByPost = z.record(z.string(), z.unknown()).transform(
  (answers): ReadonlyMap<string, Insights> =>
    new Map(
      Object.entries(answers).flatMap(([id, answer]): [string, Insights][] => {
        const { data } = insightsReply.safeParse(answer);
        return data ? [[id, data]] : [];
      }),
    ),
);
