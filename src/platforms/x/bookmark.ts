import * as z from "zod";
import type { Bookmark, PublishJob } from "../connector.ts";
import { bookmarkReader, placeAt } from "../kit/bookmarks.ts";
import type { XSettings } from "./settings.ts";

export type Job = PublishJob<XSettings>;

const mediaId = z.string().regex(/^\d+$/);

const upload = z.object({
  mediaId,
  /** The next segment to send, from 0. */
  segmentIndex: z.int().min(0),
  processed: z.number().nullable(),
});

const preparing = z.object({
  stage: z.literal("preparing"),
  taggedIds: z.array(mediaId).nullable(),
  subtitles: z.discriminatedUnion("state", [
    z.object({ state: z.literal("missing") }),
    z.object({ state: z.literal("uploaded"), id: mediaId }),
    z.object({ state: z.literal("done") }),
  ]),
  mediaIds: z.array(mediaId),
  upload: upload.nullable(),
  /** X needs the category again for subtitles. */
  videoCategory: z.enum(["tweet_video", "amplify_video"]).default("tweet_video"),
  /** Files before this index have their alt text. */
  described: z.int().min(0),
  warnings: z.array(z.string()),
});

const ready = z.object({
  stage: z.literal("ready"),
  taggedIds: z.array(mediaId),
  mediaIds: z.array(mediaId),
  warnings: z.array(z.string()),
  /** Epoch ms. */
  readyAt: z.number(),
});

export type Upload = z.infer<typeof upload>;
export type Preparing = z.infer<typeof preparing>;
export type Ready = z.infer<typeof ready>;

export const readBookmark = bookmarkReader(preparing, ready);

/** @throws Error for a bookmark at any other stage */
export const readReady = (stored: Bookmark): Ready => placeAt(readBookmark(stored), "ready");
