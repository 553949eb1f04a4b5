import { ok, type Result, refuse } from "../../core/result.ts";
import type { PublishJob, Stopped } from "../connector.ts";
import type { Extras } from "../extras.ts";
import { failed } from "../kit/refusals.ts";
import {
  type CreatorInfo,
  creatorInfoRequest,
  type PostInfo,
  readCreatorInfoReply,
} from "./api.ts";
import { toRefused, UNAUDITED } from "./failures.ts";
import type { TikTokSettings } from "./settings.ts";

export type Job = PublishJob<TikTokSettings>;

export interface Creator {
  username: string | null;
  privacyLevel: string;
  warnings: string[];
  disableComment: boolean;
  disableDuet: boolean;
  disableStitch: boolean;
  maxVideoSeconds: number | null;
}

const PRIVATE = "SELF_ONLY";
export const PUBLIC = "PUBLIC_TO_EVERYONE";

const unusable = (level: unknown): string =>
  `The account cannot post as ${level}, so the post is SELF_ONLY: only its creator sees it.`;

/** Limits the settings to what the account allows. Source: spec, "Uploads: create", `tiktok`. */
export function clamp(settings: TikTokSettings, info: CreatorInfo): Creator {
  const level = settings.privacy_level;
  const isUsable = info.privacy_level_options.includes(level);
  return {
    username: info.creator_username || null,
    privacyLevel: isUsable ? level : PRIVATE,
    warnings: isUsable || level === PRIVATE ? [] : [unusable(level)],
    disableComment: settings.disable_comment || info.comment_disabled === true,
    disableDuet: settings.disable_duet || info.duet_disabled === true,
    disableStitch: settings.disable_stitch || info.stitch_disabled === true,
    maxVideoSeconds: info.max_video_post_duration_sec ?? null,
  };
}

export const creator: Required<Extras>["creator"] = async (fetch, accessToken) => {
  const reply = await readCreatorInfoReply(await fetch(creatorInfoRequest(accessToken)));
  if (!reply.ok) return refuse(toRefused(reply.error));
  const info = reply.value;
  return ok({
    username: info.creator_username || null,
    nickname: info.creator_nickname || null,
    avatarUrl: info.creator_avatar_url || null,
    privacyLevels: info.privacy_level_options,
    commentDisabled: info.comment_disabled === true,
    duetDisabled: info.duet_disabled === true,
    stitchDisabled: info.stitch_disabled === true,
    maxVideoSeconds: info.max_video_post_duration_sec ?? null,
  });
};

/** TikTok requires this query before each post. */
export async function askCreator(job: Job): Promise<Result<Creator, Stopped>> {
  const reply = await readCreatorInfoReply(await job.fetch(creatorInfoRequest(job.accessToken)));
  if (!reply.ok) return refuse(toRefused(reply.error));
  const creator = clamp(job.post.settings, reply.value);
  const { brand_content_toggle, privacy_level } = job.post.settings;
  if (brand_content_toggle && creator.privacyLevel === PRIVATE) {
    return refuse(
      failed(
        "unknown",
        `The account cannot post as ${privacy_level}, and TikTok takes no branded content that only its creator can see.`,
      ),
    );
  }
  return ok(creator);
}

export const commonInfo = ({ post }: Job, creator: Creator): PostInfo => ({
  privacy_level: creator.privacyLevel,
  disable_comment: creator.disableComment,
  brand_content_toggle: post.settings.brand_content_toggle,
  brand_organic_toggle: post.settings.brand_organic_toggle,
});

const LEVEL_REFUSALS: Record<string, (level: unknown) => string> = {
  privacy_level_option_mismatch: unusable,
  [UNAUDITED]: () =>
    "The app has not passed TikTok's audit, so the post is SELF_ONLY: only its creator sees it.",
};

export function asPrivate(
  info: PostInfo,
  refusalCode: string | null,
): { info: PostInfo; warning: string } | null {
  const level = info.privacy_level;
  if (level === PRIVATE || info.brand_content_toggle === true) return null;
  const warn = LEVEL_REFUSALS[refusalCode ?? ""];
  return warn ? { info: { ...info, privacy_level: PRIVATE }, warning: warn(level) } : null;
}
