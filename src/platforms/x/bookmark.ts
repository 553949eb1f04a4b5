import * as z from "zod";
import type { Bookmark, PublishJob } from "../connector.ts";
import { bookmarkReader, placeAt } from "../kit/bookmarks.ts";
import type { XSettings } from "./settings.ts";

export type Job = PublishJob<XSettings>;

const mediaId = z.string().regex(/^\d+$/);

/** A file that goes up in segments. */
const upload = z.object({
  mediaId,
  /** The segment to be sent, counted from 0. */
  segmentIndex: z.int().min(0),
  /** Progress of X on all of it, in percent; null while bytes are still to come. */
  processed: z.number().nullable(),
});

const preparing = z.object({
  stage: z.literal("preparing"),
  /** Null: they have not been looked up yet. */
  taggedIds: z.array(mediaId).nullable(),
  subtitles: z.discriminatedUnion("state", [
    z.object({ state: z.literal("missing") }),
    z.object({ state: z.literal("uploaded"), id: mediaId }),
    z.object({ state: z.literal("done") }),
  ]),
  /** The first files, in their order; each is complete. */
  mediaIds: z.array(mediaId),
  upload: upload.nullable(),
  /** The category of the video; X asks for it again when subtitles are added. */
  videoCategory: z.enum(["tweet_video", "amplify_video"]).default("tweet_video"),
  /** Number of files that have their alternative text. */
  described: z.int().min(0),
  warnings: z.array(z.string()),
});

const ready = z.object({
  stage: z.literal("ready"),
  taggedIds: z.array(mediaId),
  mediaIds: z.array(mediaId),
  warnings: z.array(z.string()),
  /** Epoch milliseconds: no post of ours is older. */
  readyAt: z.number(),
});

export type Upload = z.infer<typeof upload>;
export type Preparing = z.infer<typeof preparing>;
export type Ready = z.infer<typeof ready>;

/** Reads the stage of a post. */
export const readBookmark = bookmarkReader(preparing, ready);

/** @throws when nothing has been made ready */
export const readReady = (stored: Bookmark): Ready => placeAt(readBookmark(stored), "ready");
