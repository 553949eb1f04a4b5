import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { counter, instant, readPosts } from "../kit/metrics.ts";
import { maybeText } from "../kit/shapes.ts";
import type { MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import { LISTED, readerOf, readVerifyReply, statusesRequest, verifyRequest } from "./api.ts";
import { toRefused } from "./failures.ts";
import { shownText } from "./html.ts";
import { idOf, serverOfAccount } from "./identity.ts";

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const request = verifyRequest(serverOfAccount(job.account), job.accessToken);
  const reply = await readVerifyReply(await job.fetch(request));
  return reply.ok
    ? ok(reply.value.followers_count ?? null)
    : refuse(toRefused(reply.error, job.now()));
}

const readListReply = readerOf(z.array(z.unknown()));

const post = z.object({
  id: z.string(),
  created_at: instant,
  content: maybeText,
  url: maybeText,
  in_reply_to_id: maybeText,
  favourites_count: counter,
  reblogs_count: counter,
  replies_count: counter,
});

/** Leaves out replies that were not published by Akimbo. Servers count no views. */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const { account, accessToken } = job;
  const request = statusesRequest(serverOfAccount(account), accessToken, idOf(account), cursor);
  const reply = await readListReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const own = new Set(job.own.map(({ id }) => id));
  let last: string | null = null;
  const read = readPosts("Mastodon", reply.value, post, (found) => {
    last = found.id;
    if (found.in_reply_to_id !== null && !own.has(found.id)) return null;
    return {
      id: found.id,
      publishedAt: found.created_at,
      text: shownText(found.content ?? "").trim(),
      url: found.url,
      counters: {
        views: null,
        likes: found.favourites_count,
        comments: found.replies_count,
        shares: found.reblogs_count,
      },
    };
  });
  return ok({ ...read, cursor: reply.value.length < LISTED ? null : last });
};
