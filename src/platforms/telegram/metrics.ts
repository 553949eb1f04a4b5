import { ok, refuse } from "../../core/result.ts";
import type { MetricsJob, MetricsPage, MetricsReading } from "../metrics.ts";
import { getChatMemberCount } from "./api.ts";
import { judge } from "./failures.ts";

/** Bots see no views, reactions or forwards of posts. */
export const readPage = async (): MetricsReading<MetricsPage> => ok({ posts: [], cursor: null });

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const reply = await getChatMemberCount(job, { chat_id: job.account.platformAccountId });
  return reply.ok ? reply : refuse(judge.toRefused(reply.error, job.now()));
}
