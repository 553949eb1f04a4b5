import * as z from "zod";
import { bookmarkReader } from "../kit/bookmarks.ts";

/** Defaults are for bookmarks stored before the field existed. */
const ending = {
  username: z.string().nullable(),
  /** Only public posts get an id. */
  isPublic: z.boolean().default(true),
  warnings: z.array(z.string()).default([]),
};

const uploading = z.object({
  stage: z.literal("uploading"),
  publishId: z.string(),
  uploadUrl: z.string(),
  chunkSize: z.int().positive(),
  count: z.int().positive(),
  next: z.int().min(0),
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
  /** When the photos were ready, in epoch ms. */
  readyAt: z.number(),
});

const processing = z.object({
  stage: z.literal("processing"),
  publishId: z.string(),
  ...ending,
  isForInbox: z.boolean(),
  /** When TikTok accepted the post, in epoch ms. */
  since: z.number(),
  /** When TikTok first reported the post as published without an id, in epoch ms. */
  completeSince: z.number().nullable().default(null),
});

export type Uploading = z.infer<typeof uploading>;
export type PhotosReady = z.infer<typeof photos>;
export type Processing = z.infer<typeof processing>;
export type Accepted = Omit<Processing, "stage" | "since" | "completeSince">;

export const readBookmark = bookmarkReader(uploading, photos, processing);
