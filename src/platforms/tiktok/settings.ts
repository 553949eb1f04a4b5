import * as z from "zod";

export const PRIVACY_LEVELS = [
  "PUBLIC_TO_EVERYONE",
  "MUTUAL_FOLLOW_FRIENDS",
  "FOLLOWER_OF_CREATOR",
  "SELF_ONLY",
] as const;

/** `DRAFT` and `MEDIA_UPLOAD` are one thing: the form of one post and of many name it differently. */
const POST_MODES = ["DIRECT_POST", "DRAFT", "MEDIA_UPLOAD"] as const;

/** The largest whole number that TikTok's int32 fields hold. */
const MAX_INT32 = 2_147_483_647;

/** One value; of a repeated field the last. Blank is unset. */
const formField = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((raw) => {
    const value = (typeof raw === "string" ? raw : raw?.at(-1))?.trim();
    return value === "" ? undefined : value;
  });

const choice = <const T extends string>(allowed: readonly T[], initial: T) =>
  formField.transform((value, ctx): T => {
    if (value === undefined) return initial;
    const found = allowed.find((one) => one === value.toUpperCase());
    if (found) return found;
    ctx.addIssue({ code: "custom", message: `must be ${allowed.join(", ")}.` });
    return initial;
  });

const BOOLEANS = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

const flag = formField.transform((value, ctx): boolean => {
  if (value === undefined) return false;
  const found = BOOLEANS.get(value.toLowerCase());
  if (found === undefined) ctx.addIssue({ code: "custom", message: "must be true or false." });
  return found ?? false;
});

const wholeNumber = (least: number) =>
  formField.transform((value, ctx): number | null => {
    if (value === undefined) return null;
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= MAX_INT32) return number;
    ctx.addIssue({ code: "custom", message: `must be a whole number from ${least}.` });
    return null;
  });

/** The form fields of a TikTok post. */
export const settings = z.object({
  privacy_level: choice(PRIVACY_LEVELS, "PUBLIC_TO_EVERYONE").describe(
    `Who sees a TikTok post: ${PRIVACY_LEVELS.join(", ")}. Default: PUBLIC_TO_EVERYONE; SELF_ONLY where the creator cannot use the one that was asked for.`,
  ),
  disable_comment: flag.describe("TikTok: no comments. true or false. Default: false."),
  disable_duet: flag.describe("TikTok video: no duets. true or false. Default: false."),
  disable_stitch: flag.describe("TikTok video: no stitches. true or false. Default: false."),
  brand_content_toggle: flag.describe(
    "TikTok: a paid partnership for somebody else's brand; not with SELF_ONLY. Default: false.",
  ),
  brand_organic_toggle: flag.describe(
    "TikTok: promotes the creator's own business. true or false. Default: false.",
  ),
  is_aigc: flag.describe("TikTok: made by AI. true or false. Default: false."),
  auto_add_music: flag.describe("TikTok photos: TikTok adds music. Default: false."),
  video_cover_timestamp_ms: wholeNumber(0).describe(
    "TikTok video: the cover is the frame at this moment, in milliseconds. Default: the first frame.",
  ),
  photo_cover_index: wholeNumber(1).describe(
    "TikTok photos: which one is the cover, counted from 1. Default: 1.",
  ),
  post_mode: choice(POST_MODES, "DIRECT_POST").describe(
    "TikTok: DIRECT_POST publishes; DRAFT or MEDIA_UPLOAD puts the post into the creator's inbox. Default: DIRECT_POST.",
  ),
});

export type TikTokSettings = z.infer<typeof settings>;

/** Whether the post goes to the creator's inbox, to be finished in the app. */
export const isForInbox = ({ post_mode }: TikTokSettings): boolean => post_mode !== "DIRECT_POST";
