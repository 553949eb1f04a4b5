import * as z from "zod";
import { bookmarkReader } from "../kit/bookmarks.ts";

/** A text post or a photo: one call makes it. `readyAt`: before any attempt at that call. */
const post = z.object({ stage: z.literal("post"), readyAt: z.number() });

/** `photos`: those of the first files, staged; `readyAt`: once all are. */
const album = z.object({
  stage: z.literal("album"),
  photos: z.array(z.string()),
  readyAt: z.number().nullable(),
});

/** A video on its way; Facebook wants the bytes from `start` to `end` next, none once they are equal. */
const uploading = z.object({
  stage: z.literal("uploading"),
  sessionId: z.string(),
  videoId: z.string(),
  start: z.int().min(0),
  end: z.int().min(0),
  /** Times that Facebook turned out not to be as far as we believed. */
  realigned: z.int(),
});

/** `asked`: Facebook was told where the file is. */
const reel = z.object({
  stage: z.literal("reel"),
  videoId: z.string(),
  uploadUrl: z.string(),
  asked: z.boolean(),
  since: z.number(),
});

const posted = z.object({ stage: z.literal("posted"), postId: z.string(), since: z.number() });

/** `isUnlabelled`: it was to have an AI label that Facebook did not take. */
const processing = z.object({
  stage: z.literal("processing"),
  videoId: z.string(),
  isReel: z.boolean(),
  isUnlabelled: z.boolean(),
  since: z.number(),
});

export type PostPlace = z.infer<typeof post>;
export type AlbumPlace = z.infer<typeof album>;
export type Uploading = z.infer<typeof uploading>;
export type ReelPlace = z.infer<typeof reel>;
export type Posted = z.infer<typeof posted>;
export type Processing = z.infer<typeof processing>;

/** Reads the stage of a post. Moments in epoch milliseconds. */
export const readBookmark = bookmarkReader(post, album, uploading, reel, posted, processing);
