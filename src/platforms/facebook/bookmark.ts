import * as z from "zod";
import type { PublishJob } from "../connector.ts";
import { bookmarkReader } from "../kit/bookmarks.ts";
import type { FacebookSettings } from "./settings.ts";

export type Job = PublishJob<FacebookSettings>;

/** `readyAt`: a time before the only call. */
const post = z.object({ stage: z.literal("post"), readyAt: z.number() });

/** `readyAt`: when all photos had been sent. */
const album = z.object({
  stage: z.literal("album"),
  photos: z.array(z.string()),
  readyAt: z.number().nullable(),
});

/** Facebook wants the bytes from `start` to `end`; when both are equal, it has all. */
const uploading = z.object({
  stage: z.literal("uploading"),
  sessionId: z.string(),
  videoId: z.string(),
  start: z.int().min(0),
  end: z.int().min(0),
  realigned: z.int(),
});

/** `asked`: whether Facebook has the file's URL. */
const reel = z.object({
  stage: z.literal("reel"),
  videoId: z.string(),
  uploadUrl: z.string(),
  asked: z.boolean(),
  since: z.number(),
});

const posted = z.object({ stage: z.literal("posted"), postId: z.string(), since: z.number() });

/** `isUnlabelled`: whether Facebook refused the AI label. */
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

/** Times are epoch milliseconds. */
export const readBookmark = bookmarkReader(post, album, uploading, reel, posted, processing);
