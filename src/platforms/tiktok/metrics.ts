import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { SECOND } from "../../core/time.ts";
import { counter, list, readPosts } from "../kit/metrics.ts";
import { bearerRequest } from "../kit/requests.ts";
import { maybeText } from "../kit/shapes.ts";
import type { MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import { API, readReply } from "./api.ts";
import { userInfoRequest } from "./auth.ts";
import { toRefused } from "./failures.ts";

/** Source: TikTok, "List Videos". */
const PAGE = 20;
const FIELDS = [
  "id",
  "create_time",
  "share_url",
  "video_description",
  "title",
  "view_count",
  "like_count",
  "comment_count",
  "share_count",
];

const user = z.object({ user: z.object({ follower_count: counter }) });

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const answer = await job.fetch(userInfoRequest(job.accessToken, ["follower_count"]));
  const reply = await readReply(answer, user, (data) => data.user.follower_count);
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

const videoPage = z.object({
  videos: list,
  cursor: z.number().nullish(),
  has_more: z.boolean().nullish(),
});

const video = z.object({
  id: z.string().min(1),
  create_time: z.number().int().min(0),
  share_url: maybeText,
  video_description: maybeText,
  title: maybeText,
  view_count: counter,
  like_count: counter,
  comment_count: counter,
  share_count: counter,
});

export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const json = { max_count: PAGE, ...(cursor === null ? {} : { cursor: Number(cursor) }) };
  const request = bearerRequest(
    `${API}/v2/video/list/?fields=${FIELDS.join(",")}`,
    job.accessToken,
    { headers: { "content-type": "application/json; charset=UTF-8" }, json },
  );
  const reply = await readReply(await job.fetch(request), videoPage, (data) => data);
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const { videos, cursor: next, has_more } = reply.value;
  const read = readPosts("TikTok", videos, video, (one) => ({
    id: one.id,
    url: one.share_url,
    publishedAt: new Date(one.create_time * SECOND),
    text: one.video_description || one.title || "",
    counters: {
      views: one.view_count,
      likes: one.like_count,
      comments: one.comment_count,
      shares: one.share_count,
    },
  }));
  return ok({ ...read, cursor: has_more && typeof next === "number" ? String(next) : null });
};
