import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { counter, instant, list, oddPosts, readPosts } from "../kit/metrics.ts";
import { unavailable } from "../kit/refusals.ts";
import { bearerRequest } from "../kit/requests.ts";
import { field, maybeText } from "../kit/shapes.ts";
import type { MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import { API, getChannelRequest, readerOf, readGetChannelReply } from "./api.ts";
import { toRefused } from "./failures.ts";

/** Source: YouTube Data API, "playlistItems.list" and "videos.list". */
const PAGE = 50;

const statistics = z.object({
  subscriberCount: counter,
  hiddenSubscriberCount: z.boolean().nullish(),
});

const readSubscribersReply = readerOf(
  field("items", z.array(z.object({ statistics })).default([])),
);

/** Rounded by YouTube; null when the channel hides it. */
export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const request = getChannelRequest(job.accessToken, "statistics");
  const reply = await readSubscribersReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const own = reply.value[0]?.statistics;
  return ok(own && !own.hiddenSubscriberCount ? own.subscriberCount : null);
}

const cursorShape = z.object({ playlist: z.string(), page: z.string().nullable() });

const playlistPage = z.object({
  items: z.array(z.object({ contentDetails: z.object({ videoId: z.string() }) })).default([]),
  nextPageToken: maybeText,
});

const readPlaylistReply = readerOf(playlistPage);

const video = z.object({
  id: z.string().min(1),
  snippet: z.object({ title: z.string(), description: maybeText, publishedAt: instant }),
  // Owners can hide counters.
  statistics: z
    .object({ viewCount: counter, likeCount: counter, commentCount: counter })
    .default({ viewCount: null, likeCount: null, commentCount: null }),
});

const readVideosReply = readerOf(field("items", list));

/** YouTube has no figure for shares. */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const start = cursor === null ? await firstPlace(job) : ok(cursorShape.parse(JSON.parse(cursor)));
  if (!start.ok) return start;
  const { playlist, page } = start.value;
  const query = new URLSearchParams({
    part: "contentDetails",
    playlistId: playlist,
    maxResults: String(PAGE),
    ...(page === null ? {} : { pageToken: page }),
  });
  const listRequest = bearerRequest(`${API}/playlistItems?${query}`, job.accessToken);
  const listed = await readPlaylistReply(await job.fetch(listRequest));
  if (!listed.ok) return refuse(toRefused(listed.error, job.now()));
  const { items, nextPageToken } = listed.value;
  const next = nextPageToken ? JSON.stringify({ playlist, page: nextPageToken }) : null;
  if (items.length === 0) return ok({ posts: [], cursor: next });
  const ids = items.map(({ contentDetails }) => contentDetails.videoId).join(",");
  const request = bearerRequest(
    `${API}/videos?part=statistics,snippet&id=${encodeURIComponent(ids)}`,
    job.accessToken,
  );
  const videos = await readVideosReply(await job.fetch(request));
  if (!videos.ok) {
    const refused = toRefused(videos.error, job.now());
    if (refused.kind !== "failed" || next === null) return refuse(refused);
    // The next page may be readable.
    return ok({ posts: [], cursor: next, problems: [oddPosts("YouTube", items.length)] });
  }
  const read = readPosts("YouTube", videos.value, video, ({ id, snippet, statistics }) => ({
    id,
    publishedAt: snippet.publishedAt,
    text: [snippet.title, snippet.description].filter(Boolean).join("\n"),
    url: `https://www.youtube.com/watch?v=${id}`,
    counters: {
      views: statistics.viewCount,
      likes: statistics.likeCount,
      comments: statistics.commentCount,
      shares: null,
    },
  }));
  return ok({ ...read, cursor: next });
};

async function firstPlace(job: MetricsJob): MetricsReading<z.infer<typeof cursorShape>> {
  const request = getChannelRequest(job.accessToken, "id,contentDetails");
  const channel = await readGetChannelReply(await job.fetch(request));
  if (!channel.ok) return refuse(toRefused(channel.error, job.now()));
  const playlist = channel.value?.contentDetails?.relatedPlaylists.uploads;
  if (!playlist) return refuse(unavailable("YouTube does not name the channel's uploads."));
  return ok({ playlist, page: null });
}
