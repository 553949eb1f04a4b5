import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch, Stopped } from "../connector.ts";
import { counter, inTurns } from "../kit/metrics.ts";
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
  request(post: MeasuredPost): Request;
  read(reply: Response): Promise<Result<Insights, GraphRefusal>>;
  toRefused(refusal: GraphRefusal): Stopped;
  toCounters(insights: Insights, listed: PostCounters): PostCounters;
}

/**
 * Adds to posts what their insights tell, each by a call of its own. One that Meta refuses keeps its listed
 * counters, and is told of; a login or limit that is refused ends the page.
 */
export async function withInsights(
  fetch: Fetch,
  posts: readonly MeasuredPost[],
  { platform, request, read, toRefused, toCounters }: Source,
): Promise<Result<{ posts: MeasuredPost[]; problems: string[] }, Stopped>> {
  const answers = await inTurns(posts, async (post) => ({
    post,
    answer: await read(await fetch(request(post))),
  }));
  let untold = 0;
  const told: MeasuredPost[] = [];
  for (const { post, answer } of answers) {
    if (answer.ok) {
      told.push({ ...post, counters: toCounters(answer.value, post.counters) });
      continue;
    }
    const refused = toRefused(answer.error);
    if (refused.kind === "token_expired") return refuse(refused);
    if (refused.failure.code === "rate_limited") return refuse(refused);
    untold++;
    told.push(post);
  }
  const problem = `${platform} did not tell the views of ${untold} post${untold === 1 ? "" : "s"}.`;
  return ok({ posts: told, problems: untold > 0 ? [problem] : [] });
}
