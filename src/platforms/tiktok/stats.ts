import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import type { Extras } from "../extras.ts";
import { readReply } from "./api.ts";
import { userInfoRequest } from "./auth.ts";
import { toRefused } from "./failures.ts";

/** Need the scope `user.info.stats`. Source: TikTok, "Get User Info". */
const STATS_FIELDS = ["follower_count", "following_count", "likes_count", "video_count"];

/** Spec: missing figures count as 0. */
const count = z
  .number()
  .nullish()
  .transform((number) => number ?? 0);

const user = z.object({
  follower_count: count,
  following_count: count,
  likes_count: count,
  video_count: count,
});

/** @see https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info */
export const stats: Required<Extras>["stats"] = async (fetch, accessToken) => {
  const answer = await fetch(userInfoRequest(accessToken, STATS_FIELDS));
  const reply = await readReply(answer, z.object({ user }), (data) => data.user);
  if (!reply.ok) return refuse(toRefused(reply.error));
  const { follower_count, following_count, likes_count, video_count } = reply.value;
  return ok({
    followerCount: follower_count,
    followingCount: following_count,
    likesCount: likes_count,
    videoCount: video_count,
  });
};
