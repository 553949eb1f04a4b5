import * as z from "zod";
import type { Bookmark } from "../connector.ts";

const uploading = z.object({
  stage: z.literal("uploading"),
  publishId: z.string(),
  uploadUrl: z.string(),
  chunkSize: z.int().positive(),
  count: z.int().positive(),
  /** The chunk to be sent, counted from 0. */
  next: z.int().min(0),
  /** How often TikTok turned out not to be as far as we believed. */
  realigned: z.int(),
  username: z.string().nullable(),
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
  /** Epoch milliseconds. */
  readyAt: z.number(),
});

const processing = z.object({
  stage: z.literal("processing"),
  publishId: z.string(),
  username: z.string().nullable(),
  isForInbox: z.boolean(),
  /** Epoch milliseconds. */
  since: z.number(),
});

const bookmark = z.discriminatedUnion("stage", [uploading, photos, processing]);

export type Uploading = z.infer<typeof uploading>;
export type PhotosReady = z.infer<typeof photos>;
export type Processing = z.infer<typeof processing>;

/** Where a post stands: a video on its way, photos ready to go, or TikTok at work. */
export const readBookmark = (stored: Bookmark) => bookmark.parse(stored);
