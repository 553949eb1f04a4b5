import * as z from "zod";
import { bookmarkReader } from "../kit/bookmarks.ts";

/** Facts for the end of a post; a bookmark of an earlier version has none. */
const ending = {
  username: z.string().nullable(),
  /** Everybody can see it, so TikTok gives its id. */
  isPublic: z.boolean().default(true),
  warnings: z.array(z.string()).default([]),
};

const uploading = z.object({
  stage: z.literal("uploading"),
  publishId: z.string(),
  uploadUrl: z.string(),
  chunkSize: z.int().positive(),
  count: z.int().positive(),
  /** The chunk to be sent, counted from 0. */
  next: z.int().min(0),
  /** Times that TikTok turned out not to be as far as we believed. */
  realigned: z.int(),
  ...ending,
  isForInbox: z.boolean(),
});

const photos = z.object({
  stage: z.literal("photos"),
  body: z.object({
    media_type: z.literal("PHOTO"),
    post_mode: z.enum(["DIRECT_POST", "MEDIA_UPLOAD"]),
    post_info: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    source_info: z.object({
      source: z.literal("PULL_FROM_URL"),
      photo_images: z.array(z.string()),
      photo_cover_index: z.int(),
    }),
    is_aigc: z.boolean().optional(),
  }),
  username: z.string().nullable(),
  warnings: z.array(z.string()).default([]),
  /** Epoch milliseconds. */
  readyAt: z.number(),
});

const processing = z.object({
  stage: z.literal("processing"),
  publishId: z.string(),
  ...ending,
  isForInbox: z.boolean(),
  /** Epoch milliseconds. */
  since: z.number(),
  /** The same of the first look that found it published, and without its id. */
  completeSince: z.number().nullable().default(null),
});

export type Uploading = z.infer<typeof uploading>;
export type PhotosReady = z.infer<typeof photos>;
export type Processing = z.infer<typeof processing>;
/** A post that TikTok has all of. */
export type Accepted = Omit<Processing, "stage" | "since" | "completeSince">;

/** Reads the stage of a post: a video on its way, photos ready to go, or TikTok at work. */
export const readBookmark = bookmarkReader(uploading, photos, processing);
